"""HTTP/1.1 by hand: requests exactly as a test spells them, and what comes back, byte for byte."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Connection", "Reply", "exchange", "spelt"]

SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; header names are in lower case, in the order in which they came."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """Return the value of a header that came once, None where it did not come."""
        values = [value for known, value in self.headers if known == name]
        assert len(values) <= 1, values
        return values[0] if values else None

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def spelt(
    method: str,
    path: str,
    headers: Iterable[tuple[str, str]] | Mapping[str, str] = (),
    body: bytes | None = None,
) -> bytes:
    """Return the bytes of a request with exactly these headers, and the length of the body where there is one."""
    pairs = list(headers.items() if isinstance(headers, Mapping) else headers)
    if body is not None:
        pairs.append(("Content-Length", str(len(body))))
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in pairs), "", ""]
    return "\r\n".join(lines).encode("latin-1") + (body or b"")


class Connection:
    """One connection; use it as a context."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._read = self._socket.makefile("rb")

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *failure: object) -> None:
        self._read.close()
        self._socket.close()

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._socket.sendall(data)

    def wait(self) -> None:
        """Wait until something comes, without reading it."""
        select.select([self._socket], [], [], SECONDS)

    def line(self) -> bytes:
        """Return the next line, without its end."""
        return self._read.readline().rstrip(b"\r\n")

    def reply(self, method: str = "GET") -> Reply:
        """Return the next answer, which is to a request of that method."""
        status = self._read.readline().split(b" ", 2)
        assert len(status) == 3, "the connection was closed without an answer"
        headers = []
        while (line := self._read.readline().rstrip(b"\r\n")) != b"":
            name, _, value = line.decode("latin-1").partition(":")
            headers.append((name.strip().lower(), value.strip()))
        found = dict(headers)
        if method == "HEAD" or status[1] in (b"204", b"304"):
            body = b""
        elif found.get("transfer-encoding") == "chunked":
            body = b"".join(iter(self._chunk, b""))
        else:
            body = self._read.read(int(found["content-length"]))
        return Reply(int(status[1]), tuple(headers), body)

    def _chunk(self) -> bytes:
        size = int(self._read.readline(), 16)
        data = self._read.read(size)
        self._read.readline()
        return data

    def rest(self) -> bytes:
        """Return what still comes until the other end closes."""
        try:
            return self._read.read()
        except ConnectionResetError:
            return b""


def exchange(port: int, data: bytes, method: str = "GET") -> Reply:
    """Send a request on a connection of its own and return the answer."""
    with Connection(port) as connection:
        connection.send(data)
        return connection.reply(method)
