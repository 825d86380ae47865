"""What the server gets over: an import that failed once, and strangers who make it speak."""

from __future__ import annotations

import asyncio
import socket
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from econome.server import later
from econome.server.later import LaterMcp
from econome.server.logs import QUIET_SECONDS, sparing
from tests.http.process import served
from tests.http.raw import Connection, exchange, spelt
from tests.requirements import requirement


class _Pretended:
    """MCP that answers, once it could be imported."""

    def __init__(self, tools: object) -> None:
        self._stopped = asyncio.Event()

    async def run(self, ready: asyncio.Event) -> None:
        ready.set()
        await self._stopped.wait()

    async def stop(self) -> None:
        self._stopped.set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send("answered")


@requirement("S1")
@pytest.mark.parametrize("failures", [0, 1, 3])
def test_an_import_that_failed_is_tried_anew_when_somebody_asks(
    monkeypatch: pytest.MonkeyPatch, failures: int
) -> None:
    tries: list[str] = []

    def imported(name: str) -> Any:
        tries.append(name)
        if len(tries) <= failures:
            raise OSError(24, "Too many open files")
        return SimpleNamespace(Mcp=_Pretended)

    monkeypatch.setattr(later, "import_module", imported)
    told: list[str] = []
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def serve() -> int:
        mcp = LaterMcp({}, told.append)
        running = asyncio.create_task(mcp.run())
        refused = 0
        while not sent:
            try:
                await mcp({}, send, send)  # type: ignore[arg-type]
            except RuntimeError:
                refused += 1
        await mcp.stop()
        await running
        return refused

    refused = asyncio.run(asyncio.wait_for(serve(), 60))
    assert (refused, len(told), sent) == (max(0, failures - 1), failures, ["answered"])
    assert len(tries) == failures + 1


@requirement("S1")
def test_without_anybody_who_asks_a_failed_import_does_not_hold_a_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(later, "import_module", fail)

    async def serve() -> None:
        mcp = LaterMcp({}, lambda line: None)
        running = asyncio.create_task(mcp.run())
        await mcp.stop()
        await running

    asyncio.run(asyncio.wait_for(serve(), 60))


@requirement("S1")
def test_a_line_is_said_once_a_minute_and_then_how_often_it_was_not() -> None:
    told: list[str] = []
    now = [1000.0]
    log = sparing(told.append, lambda: now[0])
    for line in ("a", "a", "b", "a"):
        log(line)
    now[0] += QUIET_SECONDS
    for line in ("a", "a", "b"):
        log(line)
    assert told == ["a", "b", "a (2 more like this before)", "b"]


@pytest.mark.slow
@requirement("S1")
def test_strangers_leave_nothing_in_the_log(tmp_path: Path) -> None:
    head = "POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n"
    odd = [
        b"\x16\x03\x01\x00\x00",
        b"GET / HTTP/9.9\r\n\r\n",
        b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
        f"{head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nxx\r\n".encode(),
        f"{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n".encode(),
    ]
    with served(tmp_path) as running:
        for data in odd:
            with Connection(running.port) as connection:
                connection.send(data)
                connection.wait()
        for _ in range(3):  # gone in the middle of a body
            with socket.create_connection(("127.0.0.1", running.port)) as gone:
                gone.sendall(f"{head}Content-Length: 500\r\n\r\nxx".encode())
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        health = spelt("GET", "/api/v1/health", {"Host": "localhost"})
        assert exchange(running.port, health).status == 200
        assert running.stop().err == ""
