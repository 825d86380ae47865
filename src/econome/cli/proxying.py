"""Starts the proxy that a command line asks for."""

from __future__ import annotations

import contextlib

from econome import settings
from econome.errors import UsageError
from econome.lean.proxy.process import spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from econome.lean.proxy.opening import Opening

__all__ = ["run"]


def run(command: tuple[str, ...], values: Mapping[str, Any]) -> None:
    """Run until either end is gone.

    Raises:
        UpstreamAway: the server cannot be started or reached.
        SettingsError: the rules cannot be used.
        UsageError: what was asked for does not go together.
    """
    found = settings.load(data_dir=values["data_dir"])
    if command and not values["dry_run"] and values["listen"] is None:
        # The server starts while all that is needed here is imported.
        started = spawn(command)
        try:
            opening = _opening(found, command, values)
        except BaseException:
            started.cut()
            raise
        from econome.lean.proxy.stdio import serve_stdio

        with contextlib.closing(opening.writer):
            serve_stdio(opening.lean, command, started)
        return
    raise UsageError("not here yet")


def _opening(
    found: settings.Settings, command: tuple[str, ...], values: Mapping[str, Any]
) -> Opening:
    from econome.lean.proxy.opening import Wishes, named_after, opened
    from econome.lean.rules import ToolRules

    wishes = Wishes(
        name=values["name"] or named_after(command),
        menu=values["menu"],
        client=values["client"],
        tokenizer=values["tokenizer"],
        rules=values["rules"],
        answers=ToolRules(
            limit=values["limit"], max_bytes=values["max_bytes"], select=values["select"] or None
        ),
        passing=values["passing"],
    )
    return opened(found, wishes)
