"""What outlasts its token: cut off at the next look, where a token was asked for at all."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from econome.server.answers import Answer, Message, Receive, Scope, Send
from econome.server.gate import UNKNOWN, Gate
from econome.server.hosts import Hosts
from econome.server.logins import Logins
from econome.server.standing import Standing
from econome.server.token import TokenFile
from tests.requirements import requirement

SLOW = [("POST", "/login"), ("GET", "/static/login.js"), ("GET", "/api/v1/health")]


class _Slow:
    """An application whose answers wait until they may go on."""

    def __init__(self) -> None:
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.begun.set()
        await self.go_on.wait()
        await Answer(200, b"done", "text/plain")(scope, receive, send)


def _status(directory: Path, method: str, path: str, *, rotated: bool) -> int:
    """Return how the first request of a server ends, which is looked at before its answer is ready."""
    token = TokenFile(str(directory / "token"))
    headers = {"host": "localhost:8090", "authorization": f"Bearer {token.ensure()}"}
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": pairs}
    statuses: list[int] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def ask() -> None:
        slow = _Slow()
        standing = Standing(slow, token, UNKNOWN)
        hosts = Hosts.of("127.0.0.1", tls=False, behind_proxy=None)
        gate: Any = Gate(standing, hosts, token, Logins(lambda: 0.0), "cookie", b"")
        answer = asyncio.ensure_future(gate(scope, receive, send))
        await slow.begun.wait()
        if rotated:
            token.rotate()
        standing.look()
        slow.go_on.set()
        await answer

    asyncio.run(ask())
    (status,) = statuses
    return status


@requirement("S1")
@pytest.mark.parametrize(("method", "path"), [*SLOW, ("POST", "/economies"), ("GET", "/metrics")])
def test_the_first_request_of_a_server_is_not_taken_for_one_with_another_token(
    tmp_path: Path, method: str, path: str
) -> None:
    assert _status(tmp_path, method, path, rotated=False) == 200


@requirement("S1")
@pytest.mark.parametrize(("method", "path"), SLOW)
def test_what_needs_no_token_does_not_end_with_one(tmp_path: Path, method: str, path: str) -> None:
    assert _status(tmp_path, method, path, rotated=True) == 200


@requirement("S1")
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/economies"), ("GET", "/metrics"), ("POST", "/api/v1/health")]
)
def test_what_was_asked_with_another_token_is_cut_off(
    tmp_path: Path, method: str, path: str
) -> None:
    assert _status(tmp_path, method, path, rotated=True) == 401
