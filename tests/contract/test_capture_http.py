"""A server at an address is captured as one that is started is, and nobody else is spoken to."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from econome.contract.capture import capture, capture_all
from econome.contract.captured import Captured
from econome.contract.sources import Source
from econome.errors import UpstreamAway
from tests.contract.listed import entry, source
from tests.http.proxied import Asked, Reply, upstream
from tests.requirements import requirement

pytestmark = requirement("L16")

TOOLS = [entry("read"), entry("write")]
PROMPTS = [{"name": "greet"}]
CAPABILITIES: dict[str, Any] = {"tools": {}, "prompts": {}}
ABOUT = {"name": "listing", "version": "1"}
MODERN = "2026-07-28"

OPENED: list[tuple[str, object]] = []
"""What this process opened a connection to, or looked up, while a test watches."""

_WATCHES: list[bool] = []
_HOOKED: list[bool] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if _WATCHES and event in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
        OPENED.append((event, arguments[1] if event == "socket.connect" else arguments[:2]))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, object]]]:
    """Watch all connections of this process; the quicker loop makes its own, unseen, so it has to do without."""
    if not _HOOKED:
        sys.addaudithook(_note)  # for good: there is no way to take one away
        _HOOKED.append(True)
    monkeypatch.setattr("econome.lean.proxy.stdio.loop_factory", lambda: None)
    OPENED.clear()
    _WATCHES.append(True)
    yield OPENED
    _WATCHES.clear()


def _result(message: Any, result: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _refused(message: Any, code: int, status: int) -> Reply:
    error = {"code": code, "message": "not so"}
    return Reply.json({"jsonrpc": "2.0", "id": message["id"], "error": error}, status)


def _lists(message: Any) -> dict[str, Any] | None:
    """Return the result of a list, which comes in pages of one."""
    held = {"tools/list": ("tools", TOOLS), "prompts/list": ("prompts", PROMPTS)}
    if message["method"] not in held:
        return None
    member, entries = held[message["method"]]
    at = int(message["params"].get("cursor", 0))
    more = {"nextCursor": str(at + 1)} if at + 1 < len(entries) else {}
    return {member: [entries[at]], **more}


def _sessions(asked: Asked) -> Reply:
    """Answer as a server with sessions does, lists as streams with a request for a ping before the answer."""
    if asked.method == "GET":
        return Reply(405)
    if asked.method == "DELETE":
        return Reply(204)
    message = asked.message
    if "id" not in message or "method" not in message:
        return Reply(202)
    if message["method"] == "initialize":
        greeting = {
            "protocolVersion": "2025-06-18",
            "capabilities": CAPABILITIES,
            "serverInfo": ABOUT,
        }
        return Reply.json(_result(message, greeting), Mcp_Session_Id="abc")
    found = _lists(message)
    if found is None:
        return _refused(message, -32601, 404)
    ping = {"jsonrpc": "2.0", "id": "p", "method": "ping"}
    events = [f"data: {json.dumps(each)}\n\n" for each in (ping, _result(message, found))]
    return Reply.stream("".join(events).encode())


def _alone(asked: Asked) -> Reply:
    """Answer as a server that speaks 2026-07-28 and nothing else."""
    message = asked.message
    if message["method"] == "initialize":
        return _refused(message, -32022, 400)
    found = {"supportedVersions": [MODERN], "capabilities": CAPABILITIES, "instructions": "Hm."}
    about = {"_meta": {"io.modelcontextprotocol/serverInfo": {**ABOUT, "title": "Listing"}}}
    result = {**found, **about} if message["method"] == "server/discover" else _lists(message)
    return Reply.json(_result(message, {"resultType": "complete", **(result or {})}))


def _captured(**differing: Any) -> Captured:
    whole: dict[str, Any] = {
        "name": "shop",
        "tools": tuple(TOOLS),
        "menu": tuple(TOOLS),
        "prompts": tuple(PROMPTS),
        "capabilities": CAPABILITIES,
        "title": "listing",
        "version": "1",
        "protocol": "2025-06-18",
    }
    return Captured(**{**whole, **differing})


def test_a_server_with_sessions_is_captured_and_told_that_the_session_is_over() -> None:
    with upstream(_sessions) as server:
        told = Source("shop", url=server.url, headers={"Authorization": "Bearer x"})
        assert capture(told, version="1") == _captured()
    posts = [one.message for one in server.asked if one.method == "POST"]
    methods = [one["method"] for one in posts if "method" in one]
    assert methods[:2] == ["initialize", "notifications/initialized"]
    assert sorted(methods[2:]) == ["prompts/list", "tools/list", "tools/list"]
    assert {one.headers["authorization"] for one in server.asked} == {"Bearer x"}
    ended = [one.headers.get("mcp-session-id") for one in server.asked if one.method == "DELETE"]
    assert ended == ["abc"]


def test_a_server_without_a_handshake_is_asked_in_its_own_era() -> None:
    with upstream(_alone) as server:
        found = capture(Source("shop", url=server.url), version="1.2.3")
    assert found == _captured(protocol=MODERN, instructions="Hm.", title="Listing")
    about = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "econome", "version": "1.2.3"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    asked = [(one.message, one.headers) for one in server.asked[1:]]
    assert [(one["method"], one["params"]) for one, _ in asked if one["method"] != "prompts/list"] == [
        ("server/discover", {"_meta": about}),
        ("tools/list", {"_meta": {**about, "econome/contract": True}}),
        ("tools/list", {"_meta": about, "cursor": "1"}),
    ]  # fmt: skip
    assert {(headers["mcp-protocol-version"], headers["mcp-method"]) for _, headers in asked} == {
        (MODERN, one["method"]) for one, _ in asked
    }


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (lambda: Reply(404), "{origin}: answered with status 404"),
        (lambda: Reply(500), "{origin}: answered with status 500"),
        (lambda: Reply(401), "{origin}: asks for a sign-in, which only its client can do; give its "
         "header in ECONOME_UPSTREAM_HEADERS, or in its entry"),
        (lambda: Reply(307, {"Location": "http://localhost:1/mcp"}),
         "{origin}: wants to be asked at http://localhost:1, another origin, which is not followed; "
         "name that URL if you trust it"),
        (lambda: Reply(200, {"Content-Type": "text/html"}, [b"hello"]),
         "the server refused initialize: {origin}: ended without an answer"),
    ],
)  # fmt: skip
def test_an_address_that_is_no_such_server_says_so(reply: Callable[[], Reply], reason: str) -> None:
    with upstream(lambda asked: reply()) as server:
        with pytest.raises(UpstreamAway) as caught:
            capture(Source("shop", url=server.url), version="1")
        assert str(caught.value) == reason.format(origin=server.origin)


def test_an_address_that_is_none_is_told_without_asking_anybody(
    opened: list[tuple[str, object]],
) -> None:
    with pytest.raises(UpstreamAway):
        capture(Source("shop", url="ftp://shop.example/"), version="1")
    assert opened == []


def test_nobody_is_spoken_to_but_the_servers_that_are_named(
    tmp_path: Path, opened: list[tuple[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    started = source(tmp_path, tools=TOOLS)
    with upstream(_sessions) as server:
        reached = Source("far", url=server.url)
        found = capture_all((started, reached), version="1")
    assert [len(one.tools) for _, one in found if isinstance(one, Captured)] == [2, 2]
    port = server.server_address[1]
    assert {(event, str(where)) for event, where in opened} <= {
        ("socket.connect", str(("127.0.0.1", port))),
        ("socket.getaddrinfo", str(("127.0.0.1", port))),
    }
    assert ("socket.connect", ("127.0.0.1", port)) in opened
    opened.clear()
    capture(started, version="1")
    assert opened == []
