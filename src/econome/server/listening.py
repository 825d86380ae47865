"""The socket that the server listens on, how many may be connected to it, and the URL under which it is found."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from hashlib import sha256
from ssl import PEM_cert_to_DER_cert

from econome.errors import PortTaken
from econome.server.hosts import is_wildcard

__all__ = ["BACKLOG", "CONNECTIONS", "bound", "fingerprint", "listen", "room", "url_of"]

BACKLOG = 1024
CONNECTIONS = 1024
"""At most so many are open at once."""

_FILES = 4096


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that has an address and does not listen yet.

    Raises:
        PortTaken: the address is in use, or is none of this machine.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _taken(host, port, error) from None
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except (OSError, OverflowError) as error:
        listener.close()
        raise _taken(host, port, error) from None
    return listener


def listen(listener: socket.socket, host: str) -> None:
    """Let a socket listen.

    Raises:
        PortTaken: another process has begun to listen there in the meantime.
    """
    try:
        listener.listen(BACKLOG)
    except OSError as error:
        raise _taken(host, listener.getsockname()[1], error) from None
    listener.setblocking(False)


def room() -> int:
    """Return how many connections may be open: half of the files that may be, the other half is for the ledger's work.

    Where this process may allow itself more files, it does.
    """
    try:
        import resource
    except ImportError:  # Windows
        return CONNECTIONS
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if most == resource.RLIM_INFINITY else min(_FILES, most)
    if files != resource.RLIM_INFINITY and files < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
            files = wanted
    return CONNECTIONS if files == resource.RLIM_INFINITY else min(CONNECTIONS, files // 2)


def url_of(host: str, port: int, *, tls: bool) -> str:
    """Return the URL under which this machine finds a server that is bound to an address."""
    if is_wildcard(host):
        host = "[::1]" if ":" in host else "127.0.0.1"
    elif ":" in host:
        host = f"[{host}]"
    return f"{'https' if tls else 'http'}://{host}:{port}"


def fingerprint(certificate: str) -> str:
    """Return the SHA-256 of the first certificate in a PEM file, in hexadecimal: of the one that a server shows."""
    with open(certificate, encoding="ascii", errors="replace") as file:
        text = file.read()
    begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    first = text[text.index(begin) : text.index(end) + len(end)]
    return sha256(PEM_cert_to_DER_cert(first)).hexdigest()


def _taken(host: str, port: int, error: Exception) -> PortTaken:
    reason = getattr(error, "strerror", None) or str(error)
    return PortTaken(host, port, reason.lower())
