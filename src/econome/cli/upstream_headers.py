"""The headers for a server at an address, as the environment of this user holds them."""

from __future__ import annotations

from econome.cli.proxy_texts import PROXY
from econome.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from econome.settings import Settings

__all__ = ["upstream_headers"]

_HEADERS = "ECONOME_UPSTREAM_HEADERS"


def upstream_headers(settings: Settings, header_env: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that rules want from variables, and those of the variable that is for any server.

    Raises:
        UsageError: a variable is not there, or holds no headers.
    """
    from econome.lean.proxy.http_headers import own_headers

    headers: dict[str, str] = {}
    for header, variable in header_env.items():
        value = settings.variable(variable)
        if value is None:
            raise UsageError(PROXY["no_variable"].format(variable=variable, header=header))
        headers |= own_headers({header: value}, variable)
    told = settings.variable(_HEADERS)
    if told is not None:
        import json

        try:
            given = json.loads(told)
        except ValueError:
            given = None
        if not isinstance(given, dict):
            raise UsageError(PROXY["headers"].format(variable=_HEADERS))
        headers |= own_headers(given, _HEADERS)
    return headers
