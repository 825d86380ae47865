"""What nobody can read passes a proxy over HTTP too, in all of its ways, and every request is answered."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.http_target import Target
from econome.lean.proxy.http_upstream import HttpUpstream
from econome.lean.proxy.wire import Head, head_of, key_of
from econome.server.proxying import shared_process
from econome.server.proxying.processes import Processes
from econome.server.proxying.relay import BODY_BYTES, Relay
from tests.http.proxied import SECONDS, Asked, Reply, Upstream, lean, listening, upstream
from tests.http.test_proxy_processes import asked, begun, called, events, processes, said
from tests.lean.connections import PLAIN, rpc
from tests.lean.oddities import ODD, lines, mutated
from tests.requirements import requirement

pytestmark = [
    requirement("L20"),
    pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX"),
]

ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a"}]}}'
REQUEST = rpc(1, "prompts/get", {"name": "x", "arguments": {"a": "b"}})
ODD_ANSWERS = [b'{"jsonrpc":"2.0","id":1,"result":{"content":[],"a":%b}}' % odd for odd in ODD]
SILENT = [sys.executable, "-c", "import sys; sys.stdin.read()"]
KINDS: list[Callable[[bytes], Reply]] = [
    Reply.json,
    lambda body: Reply.stream(b"data: " + body + b"\n\n"),
]


async def spoken(there: Upstream, passing: bool, *messages: bytes) -> list[bytes]:
    """Say messages to an upstream, one after the other; return the lines that came until all were answered."""
    heard: list[bytes] = []
    server = HttpUpstream(
        Target(there.url), Exchange(lean(passing=passing)), heard.append, say=lambda line: None
    )
    await server.start()
    for message in messages:
        server.client_said(message)
    await server.close(SECONDS)
    return heard


@pytest.mark.parametrize("passing", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["tools/call", "prompts/get"])
def test_an_answer_from_an_address_that_no_strict_reader_takes_comes_through(
    passing: bool, kind: Callable[[bytes], Reply], method: str
) -> None:
    for body in ODD_ANSWERS:
        with upstream(lambda asked, body=body: kind(body)) as there:  # type: ignore[misc]
            heard = asyncio.run(spoken(there, passing, rpc(1, method, {"name": "x"})))
        assert heard == [body]


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(lines() | mutated(ANSWER))
def test_whatever_an_address_says_the_request_is_answered(
    kind: Callable[[bytes], Reply], body: bytes
) -> None:
    body = body.replace(b"\r", b"")
    with upstream(lambda asked: kind(body)) as there:
        heard = asyncio.run(spoken(there, False, REQUEST))
    read = head_of(body) or Head()
    answers = (bytes(read.result) or bytes(read.error)) and not read.method
    if answers and key_of(read.id) == ("number", 1):
        assert heard == [body.strip()]
    else:
        last = json.loads(heard[-1])
        assert (last["id"], last["error"]["code"]) == (1, -32603)


@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(lines() | mutated(REQUEST))
def test_what_is_said_to_an_address_reaches_it_as_it_was(body: bytes) -> None:
    with upstream(lambda asked: Reply(202)) as there:
        asyncio.run(spoken(there, False, body))
    assert [asked.body for asked in there.asked] == ([body] if body.strip() else [])


# A proxy that listens


@pytest.mark.parametrize("odd", ODD)
def test_a_listener_hands_on_both_ways_what_no_strict_reader_takes(
    tmp_path: Path, odd: bytes
) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":%b}}}' % odd  # fmt: skip
    back = b'{"jsonrpc":"2.0","id":1,"result":{"content":[],"a":%b}}' % odd
    with (
        upstream(lambda asked: Reply.json(back)) as there,
        listening(lambda log: Relay(Target(there.url), lean(), log), tmp_path) as proxy,
    ):
        heard = proxy.post(body)
    assert (heard.status, heard.body) == (200, back)
    assert [asked.body for asked in there.asked] == [body]


def test_a_process_behind_a_listener_gets_what_no_strict_reader_takes_and_answers(
    tmp_path: Path,
) -> None:
    with listening(processes(PLAIN), tmp_path) as proxy:
        session = begun(proxy)
        body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":%b}}}'
        for odd, text in ((b"NaN", "NaN"), (b"1e400", "Infinity"), (b'"\\ud800"', '"\\ud800"')):
            heard = proxy.post(body % odd, Mcp_Session_Id=session)
            line = heard.body.partition(b"data: ")[2].splitlines()[0].decode()
            assert line.endswith(f'"text":{text}}}]}}}}')
        garbage = proxy.post(b"\xff{", Mcp_Session_Id=session)
        assert (garbage.status, garbage.message["error"]["code"]) == (400, -32700)
        assert said(called(proxy, session, "echo", text="a")[0]) == "a"


def test_a_body_of_several_lines_is_one_message_for_a_process(tmp_path: Path) -> None:
    with listening(processes(PLAIN), tmp_path) as proxy:
        session = begun(proxy)
        body = json.dumps(json.loads(rpc(5, "tools/call", {"name": "echo", "arguments": {"text": "a"}})), indent=2)  # fmt: skip
        (heard,) = events(proxy.post(body.encode(), Mcp_Session_Id=session).body)
    assert (heard["id"], said(heard)) == (5, "a")


def test_a_program_that_says_nothing_keeps_a_client_of_the_newer_era_not_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shared_process._WAITING_SECONDS <= 3
    monkeypatch.setattr(shared_process, "_WAITING_SECONDS", 0.05)
    about = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    with listening(lambda log: Processes(SILENT, lean(), log), tmp_path) as proxy:
        heard = asked(proxy, rpc(1, "server/discover", {"_meta": about}))
    assert (heard.status, heard.message["error"]["code"]) == (400, -32600)


@pytest.mark.parametrize("beyond", [1, 30_000_000])
def test_a_body_above_the_limit_is_told_so_to_who_sends_it_all_first(
    tmp_path: Path, beyond: int
) -> None:
    with listening(processes(PLAIN), tmp_path) as proxy:
        heard = proxy.post(b" " * (BODY_BYTES + beyond))
    text = f"the body is larger than {BODY_BYTES} bytes; send less at once"
    assert (heard.status, heard.message) == (413, {"ok": False, "error": text})


def script(asked: Asked) -> Reply:
    return Reply.json(b'{"jsonrpc":"2.0","id":%d,"result":NaN}' % asked.message["id"])


def test_a_fault_of_the_proxy_s_own_answers_the_request_and_the_next_one_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stumble(self: HttpUpstream, message: bytes, asked: object) -> bool:
        raise AssertionError

    monkeypatch.setattr(HttpUpstream, "_arrived", stumble)
    with upstream(script) as there:
        heard = asyncio.run(spoken(there, False, rpc(1, "ping"), rpc(2, "ping")))
    assert sorted(json.loads(line)["id"] for line in heard) == [1, 2]
    assert all("could not be handled" in json.loads(line)["error"]["message"] for line in heard)
