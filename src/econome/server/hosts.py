"""Which `Host` headers name this server, and which origin each of them stands for.

A web page that is no page of ours can reach a server on this machine by letting its own host name point here; the
name it used then stands in `Host`. It knows names and ports, no request.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Final

from econome.errors import UsageError

__all__ = ["LOOPBACK_NAMES", "Hosts", "is_loopback", "is_wildcard"]

LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})

_HOST = re.compile(rb"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?")
_USUAL = {"http": 80, "https": 443}
_LAST_PORT = 65535
_REMEMBERED = 64


class Hosts:
    """The names of a server; *names* None means any, which only a server with a certificate may allow.

    A certificate defeats rebinding: the browser demands one for the foreign name, and this server has none.
    """

    def __init__(self, names: frozenset[str] | None, scheme: str, port: int | None = None) -> None:
        self._names, self._scheme, self._port = names, scheme, port
        self._origins: dict[bytes, bytes] = {}

    @classmethod
    def of(cls, host: str, *, tls: bool, behind_proxy: str | None = None) -> Hosts:
        """Return the names of a server that is bound to *host*.

        A proxy in front speaks TLS, so its origin is an https one whatever it speaks to this server. Where it is named
        with a port, it has to be called by that port too.

        Raises:
            UsageError: the name of the proxy can stand in no `Host`.
        """
        if behind_proxy is not None:
            name, port = _proxy(behind_proxy)
            return cls(frozenset({name}), "https", port)
        scheme = "https" if tls else "http"
        own = f"[{host.lower()}]" if ":" in host else host.lower()
        if is_loopback(host):
            return cls(LOOPBACK_NAMES | {own}, scheme)
        return cls(None if is_wildcard(host) else frozenset({own}), scheme)

    @property
    def secure(self) -> bool:
        """Whether browsers reach the server by https."""
        return self._scheme == "https"

    def origin(self, header: bytes) -> bytes | None:
        """Return the origin that a `Host` header stands for, None where it names no server of ours."""
        known = self._origins.get(header)
        if known is not None:
            return known
        found = _HOST.fullmatch(header.lower())
        if found is None:
            return None
        name, port = found[1].decode("ascii"), int(found[2] or _USUAL[self._scheme])
        if port > _LAST_PORT or (self._names is not None and name not in self._names):
            return None
        if self._port not in (None, port):
            return None
        suffix = "" if port == _USUAL[self._scheme] else f":{port}"
        origin = f"{self._scheme}://{name}{suffix}".encode("ascii")
        if len(self._origins) < _REMEMBERED:
            self._origins[header] = origin
        return origin


def _proxy(given: str) -> tuple[str, int | None]:
    """Return the name and the port of a proxy, None where it was named without one."""
    found = _HOST.fullmatch(given.lower().encode("utf-8", "replace"))
    port = None if found is None or found[2] is None else int(found[2])
    if found is None or (port is not None and not 1 <= port <= _LAST_PORT):
        reason = "give the name by which browsers reach the proxy, such as tokens.example.org"
        raise UsageError(f"--behind-proxy {given!r}: {reason}, with :PORT if it is not 443")
    return found[1].decode("ascii"), port


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_wildcard(host: str) -> bool:
    """Tell whether an address stands for all addresses of the machine."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False
