"""Runs a proxy that listens: its socket, its token, its loop.

Only this machine reaches it: who wants it elsewhere puts `econome serve`'s kind of guard in front of the upstream itself.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from functools import partial

from econome.errors import PortTaken, UsageError
from econome.server.hosts import Hosts, is_loopback
from econome.server.listening import bound, url_of
from econome.server.listening import listen as begin_to_listen
from econome.server.logs import route_logging, sparing, to_standard_error
from econome.server.proxying.app import MCP, App, Endpoint, Parts
from econome.server.serving import Serving
from econome.server.token import TokenFile

__all__ = ["address", "listen"]

_PORTS = range(65536)


def address(given: str) -> tuple[str, int]:
    """Return host and port of `[HOST:]PORT`; 0 is any port that is free.

    Raises:
        UsageError: it is none, or one that other machines reach.
    """
    host, _, port = given.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not (port.isascii() and port.isdigit() and int(port) in _PORTS):
        raise UsageError(f"--listen {given}: give [HOST:]PORT, such as 7801")
    if not is_loopback(host):
        raise UsageError(
            f"--listen {given}: only this machine may reach a proxy; give a loopback address"
        )
    return host, int(port)


def listen(
    endpoint: Endpoint,
    token_path: str,
    host: str,
    port: int,
    *,
    ready: Callable[[str], None] | None = None,
    log: Callable[[str], None] = to_standard_error,
) -> None:
    """Serve *endpoint* until SIGTERM or SIGINT; *ready* is told its URL once requests are answered.

    Raises:
        PortTaken: the address cannot be used.
        TokenUnsafe: there is no token that only this user can read.
    """
    route_logging(log)
    token = TokenFile(token_path)
    token.ensure()
    with contextlib.closing(_bound(host, port)) as listener:
        number: int = listener.getsockname()[1]
        hosts = Hosts.of(host, tls=False)
        parts = Parts(endpoint, token, hosts, number, sparing(log), time.monotonic)
        url = url_of(host, number, tls=False) + MCP
        Serving(App(parts), None, None if ready is None else partial(ready, url)).run(
            sockets=[listener]
        )


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens."""
    try:
        listener = bound(host, port)
        try:
            begin_to_listen(listener, host)
        except PortTaken:
            listener.close()
            raise
    except PortTaken as error:
        raise PortTaken(error.host, error.port, error.reason, "--listen") from None
    return listener
