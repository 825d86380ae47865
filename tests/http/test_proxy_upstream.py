"""Pipes to HTTP: what a client says by lines becomes requests as each era of the protocol wants them, and comes back."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.http_target import Target
from econome.lean.proxy.http_upstream import HttpUpstream
from tests.http.proxied import SECONDS, Asked, Reply, Upstream, lean, upstream
from tests.lean.connections import rpc, tool
from tests.requirements import requirement

pytestmark = requirement("L20")

ABOUT = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
READY = rpc(None, "notifications/initialized")


class Client:
    """A client at the end of the pipes; what it hears waits to be read."""

    def __init__(self, server: HttpUpstream, heard: asyncio.Queue[bytes], said: list[str]) -> None:
        self._server, self._heard, self.said = server, heard, said

    def say(self, message: bytes) -> None:
        """Send a message."""
        self._server.client_said(message)

    async def hear(self) -> Any:
        """Return the next message."""
        async with asyncio.timeout(SECONDS):
            return json.loads(await self._heard.get())

    async def greet(self) -> None:
        """Begin a session."""
        self.say(
            rpc(0, "initialize", {"protocolVersion": "2025-11-25", "clientInfo": {"name": "x"}})
        )
        await self.hear()
        self.say(READY)


def talk(
    there: Upstream, with_it: Callable[[Client], Awaitable[None]], **headers: str
) -> list[str]:
    """Let a client talk with an upstream; return the lines told to people."""
    said: list[str] = []

    async def run() -> None:
        heard: asyncio.Queue[bytes] = asyncio.Queue()
        target = Target(there.url, headers)
        server = HttpUpstream(target, Exchange(lean()), heard.put_nowait, say=said.append)
        await server.start()
        try:
            await with_it(Client(server, heard, said))
        finally:
            await server.close(SECONDS)

    asyncio.run(run())
    return said


def result(asked: Asked, value: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": asked.message["id"], "result": value}


def shop(asked: Asked) -> Reply:
    """Answer as a server of the older era, with sessions and without a stream for news."""
    if asked.method != "POST":
        return Reply(405 if asked.method == "GET" else 204, {"Content-Length": "0"})
    method = asked.message.get("method")
    if method == "initialize":
        return Reply.json(result(asked, {"protocolVersion": "2025-06-18"}), Mcp_Session_Id="s1")
    if "id" not in asked.message or method is None:
        return Reply(202)
    return Reply.json(result(asked, {"content": []}))


def modern(identity: int, method: str, **params: object) -> bytes:
    return rpc(identity, method, {**params, "_meta": ABOUT})


def _always(reply: Reply, asked: Asked) -> Reply:
    return reply


def of(asked: Asked, *names: str) -> list[str | None]:
    return [asked.headers.get(name) for name in names]


def test_a_session_is_kept_as_the_older_era_asks() -> None:
    listening = threading.Event()

    def script(asked: Asked) -> Reply:
        if asked.method == "GET":
            listening.set()
        return shop(asked)

    async def client(it: Client) -> None:
        await it.greet()
        it.say(rpc(1, "tools/call", {"name": "e"}))
        await it.hear()
        # The stream for news is asked for beside the calls: who leaves at once may never ask for it, or be heard late.
        assert await asyncio.to_thread(listening.wait, SECONDS)

    with upstream(script) as there:
        talk(there, client, Authorization="Bearer theirs")
    posts = [asked for asked in there.asked if asked.method == "POST"]
    session = ("mcp-session-id", "mcp-protocol-version", "authorization", "mcp-method")
    assert [of(asked, *session) for asked in posts] == [
        [None, None, "Bearer theirs", None],
        ["s1", "2025-06-18", "Bearer theirs", None],
        ["s1", "2025-06-18", "Bearer theirs", None],
    ]
    assert [asked.message["method"] for asked in posts] == [
        "initialize", "notifications/initialized", "tools/call",
    ]  # fmt: skip
    (news,) = (asked for asked in there.asked if asked.method == "GET")
    assert of(news, *session, "accept") == [
        "s1", "2025-06-18", "Bearer theirs", None, "application/json, text/event-stream",
    ]  # fmt: skip
    assert [asked.method for asked in there.asked][-1] == "DELETE"
    assert of(there.asked[-1], *session)[:3] == ["s1", "2025-06-18", "Bearer theirs"]


def test_what_the_server_says_unasked_comes_through_and_is_answered() -> None:
    asked_back = {"jsonrpc": "2.0", "id": "q", "method": "roots/list"}
    answered: queue.Queue[Any] = queue.Queue()

    def script(asked: Asked) -> Reply:
        if asked.method == "GET":
            event = b"data: " + json.dumps(asked_back).encode() + b"\n\n"
            return Reply.stream(event, lambda: answered.get(timeout=SECONDS))
        if asked.method == "POST" and "method" not in asked.message:
            answered.put(asked.message)
            answered.put(asked.message)
            return Reply(202)
        return shop(asked)

    async def client(it: Client) -> None:
        await it.greet()
        assert await it.hear() == asked_back
        it.say(b'{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}')
        found = await asyncio.to_thread(answered.get, timeout=SECONDS)
        assert found == {"jsonrpc": "2.0", "id": "q", "result": {"roots": []}}

    with upstream(script) as there:
        talk(there, client)


def test_a_session_that_the_server_forgot_is_one_clear_error_and_is_begun_anew() -> None:
    sessions = iter(("s1", "s2"))

    def script(asked: Asked) -> Reply:
        if asked.method == "POST" and asked.message.get("method") == "initialize":
            return Reply.json(
                result(asked, {"protocolVersion": "2025-06-18"}), Mcp_Session_Id=next(sessions)
            )
        if asked.headers.get("mcp-session-id") == "s1" and b"tools/call" in asked.body:
            return Reply.json({"error": "no such session"}, 404)
        return shop(asked)

    async def client(it: Client) -> None:
        await it.greet()
        it.say(rpc(1, "tools/call", {"name": "e"}))
        first = await it.hear()
        assert first["id"] == 1
        assert first["result"]["isError"] is True
        assert "has forgotten the session" in first["result"]["content"][0]["text"]
        it.say(rpc(2, "tools/call", {"name": "e"}))
        assert await it.hear() == {"jsonrpc": "2.0", "id": 2, "result": {"content": []}}

    with upstream(script) as there:
        said = talk(there, client)
    assert said == [f"{there.origin}: has forgotten the session; it is begun anew"]
    greeted = [asked for asked in there.asked if b'"initialize"' in asked.body]
    assert len(greeted) == 2
    assert greeted[0].message["params"] == greeted[1].message["params"]


def test_a_server_that_knows_no_session_is_not_greeted_again_and_again() -> None:
    def script(asked: Asked) -> Reply:
        known = asked.method == "POST" and asked.message.get("method") == "initialize"
        return shop(asked) if known else Reply.json({"error": "x"}, 404)

    async def client(it: Client) -> None:
        await it.greet()
        it.say(rpc(1, "tools/call", {"name": "e"}))
        assert (await it.hear())["result"]["isError"] is True

    with upstream(script) as there:
        talk(there, client)
    assert sum(b'"initialize"' in asked.body for asked in there.asked) == 1


def test_what_was_asked_is_answered_though_the_client_says_no_more() -> None:
    begun = threading.Event()

    def script(asked: Asked) -> Reply:
        begun.set()
        return shop(asked)

    heard: list[bytes] = []

    async def run() -> None:
        server = HttpUpstream(Target(there.url), Exchange(lean()), heard.append, say=print)
        await server.start()
        server.client_said(rpc(1, "tools/call", {"name": "e"}))
        await server.close(SECONDS)

    with upstream(script) as there:
        asyncio.run(run())
    assert [json.loads(message)["id"] for message in heard] == [1]


def test_a_request_that_stands_alone_says_in_headers_what_it_is() -> None:
    mirrored = tool("find", region="string")
    mirrored["inputSchema"]["properties"]["region"]["x-mcp-header"] = "Region"

    def script(asked: Asked) -> Reply:
        return Reply.json(result(asked, {"tools": [mirrored]}))

    async def client(it: Client) -> None:
        for message in (
            modern(1, "tools/list"),
            modern(2, "tools/call", name="find", arguments={"region": "é"}),
            modern(3, "resources/read", uri="file:///a b"),
            modern(4, "server/discover"),
        ):
            it.say(message)
            await it.hear()

    with upstream(script) as there:
        talk(there, client)
    names = ("mcp-protocol-version", "mcp-method", "mcp-name", "mcp-param-region", "mcp-session-id")
    assert [of(asked, *names) for asked in there.asked] == [
        ["2026-07-28", "tools/list", None, None, None],
        ["2026-07-28", "tools/call", "find", "=?base64?w6k=?=", None],
        ["2026-07-28", "resources/read", "file:///a b", None, None],
        ["2026-07-28", "server/discover", None, None, None],
    ]


def test_taking_a_request_back_hangs_up_where_requests_stand_alone() -> None:
    begun, gone = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        assert gone.wait(SECONDS)

    endless: list[bytes | Callable[[], object]] = [
        b": here\n\n",
        wait,
        *[b": more\n\n" * 4096] * 4096,
    ]

    async def client(it: Client) -> None:
        it.say(modern(1, "tools/call", name="e"))
        await asyncio.to_thread(begun.wait, SECONDS)
        it.say(rpc(None, "notifications/cancelled", {"requestId": 1}))
        it.say(modern(2, "ping"))
        await asyncio.sleep(0)
        gone.set()
        assert await asyncio.to_thread(there.left.get, timeout=SECONDS) == "POST"
        assert (await it.hear())["id"] == 2

    def script(asked: Asked) -> Reply:
        return Reply.json(result(asked, {})) if asked.message["id"] == 2 else Reply.stream(*endless)

    with upstream(script) as there:
        talk(there, client)
    assert [asked.message["method"] for asked in there.asked] == ["tools/call", "ping"]


def test_taking_a_request_back_is_said_in_the_older_era() -> None:
    release = threading.Event()

    def script(asked: Asked) -> Reply:
        if b"tools/call" in asked.body:
            return Reply.stream(b": here\n\n", lambda: release.wait(SECONDS))
        if b"cancelled" in asked.body:
            release.set()
        return shop(asked)

    async def client(it: Client) -> None:
        await it.greet()
        it.say(rpc(1, "tools/call", {"name": "e"}))
        it.say(rpc(None, "notifications/cancelled", {"requestId": 1}))
        await asyncio.to_thread(release.wait, SECONDS)

    with upstream(script) as there:
        talk(there, client)
    assert any(b"cancelled" in asked.body for asked in there.asked)


def test_an_answer_of_several_lines_becomes_one() -> None:
    said = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"text": "a\nb"}}, indent=2).encode()

    async def client(it: Client) -> None:
        it.say(rpc(1, "prompts/get", {"name": "p"}))
        assert await it.hear() == json.loads(said)

    for reply in (
        Reply.json(said),
        Reply.stream(b"data: " + said.replace(b"\n", b"\r\ndata: ") + b"\r\n\r\n"),
    ):
        with upstream(partial(_always, reply)) as there:
            talk(there, client)


def test_a_refusal_without_an_id_is_the_answer_to_what_was_asked() -> None:
    error = {"code": -32600, "message": "Bad Request"}
    said = {"jsonrpc": "2.0", "id": None, "error": error}

    async def client(it: Client) -> None:
        it.say(modern(9, "server/discover"))
        assert await it.hear() == {"jsonrpc": "2.0", "id": 9, "error": error}

    with upstream(lambda asked: Reply.json(said, 400)) as there:
        talk(there, client)


@pytest.mark.parametrize(
    "reply, reason",
    [
        (Reply.json(b"<html>", 502, Content_Type="text/html"), "answered with status 502"),
        (Reply(202), "ended without an answer"),
        (Reply.stream(b": nothing\n\n"), "ended without an answer"),
        (Reply.stream(b": nothing\n\n", cut=True), "broke off the connection"),
    ],
)
def test_no_request_stays_without_an_answer(reply: Reply, reason: str) -> None:
    async def client(it: Client) -> None:
        it.say(rpc(1, "tools/call", {"name": "e"}))
        heard = await it.hear()
        assert heard["result"]["isError"] is True
        assert heard["result"]["content"] == [{"type": "text", "text": f"{there.origin}: {reason}"}]
        it.say(rpc(2, "prompts/list"))
        assert (await it.hear())["error"] == {
            "code": -32603,
            "message": f"{there.origin}: {reason}",
        }

    with upstream(lambda asked: reply) as there:
        talk(there, client)


def test_an_answer_that_was_cut_off_is_taken_up_again_where_it_can_be() -> None:
    def script(asked: Asked) -> Reply:
        if asked.method == "GET":
            assert asked.headers["last-event-id"] == "e1"
            return Reply.stream(
                b'id: e2\ndata: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n\n'
            )
        if b"tools/call" in asked.body:
            return Reply.stream(b"id: e1\nretry: 1\ndata:\n\n")
        return shop(asked)

    async def client(it: Client) -> None:
        it.say(rpc(1, "tools/call", {"name": "e"}))
        assert await it.hear() == {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}

    with upstream(script) as there:
        talk(there, client)


def test_an_upstream_that_asks_for_a_sign_in_is_said_to_once_for_each_request() -> None:
    async def client(it: Client) -> None:
        it.say(rpc(1, "initialize", {}))
        heard = (await it.hear())["error"]["message"]
        assert heard == it.said[0]
        assert "econome proxy uninstall" in heard

    with upstream(lambda asked: Reply.json({}, 401, WWW_Authenticate="Bearer")) as there:
        talk(there, client)
