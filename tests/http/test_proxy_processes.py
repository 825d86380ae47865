"""HTTP to a process: a session of the older era has one of its own, requests that stand alone share one."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from econome.server.proxying.app import Endpoint
from econome.server.proxying.processes import Processes
from tests.http.proxied import Heard, Listening, lean, listening
from tests.lean.connections import PLAIN, rpc
from tests.requirements import requirement

pytestmark = [
    requirement("L20"),
    pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX"),
]

ALONE = [sys.executable, str(Path(PLAIN[1]).with_name("alone.py"))]
MODERN = "2026-07-28"
ABOUT = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def processes(
    command: list[str], most: int = 4, **rules: Any
) -> Callable[[Callable[[str], None]], Endpoint]:
    """Return what makes the endpoint in front of a command."""
    return lambda log: Processes(command, lean(**rules), log, most)


def events(body: bytes) -> list[Any]:
    """Return the messages of a stream."""
    return [
        json.loads(line.removeprefix(b"data: "))
        for line in body.splitlines()
        if line.startswith(b"data: ")
    ]


def test_a_program_that_ends_at_once_is_told_to_the_operator(tmp_path: Path) -> None:
    with listening(processes(["false"]), tmp_path) as proxy:
        heard = proxy.post(rpc(1, "server/discover", {"_meta": ABOUT}), MCP_Protocol_Version=MODERN)
    assert heard.status == 400
    told = "false ended with exit status 1 before it answered anything; run it by itself to see why"
    assert proxy.said == [told]


def begun(proxy: Listening) -> str:
    """Begin a session; return its id."""
    heard = proxy.post(rpc(0, "initialize", {"clientInfo": {"name": "x"}}))
    assert [message["id"] for message in events(heard.body)] == [0]
    session = heard.headers["mcp-session-id"]
    assert proxy.post(rpc(None, "notifications/initialized"), Mcp_Session_Id=session).status == 202
    return session


def called(proxy: Listening, session: str, name: str, **arguments: object) -> list[Any]:
    body = rpc(1, "tools/call", {"name": name, "arguments": arguments})
    return events(proxy.post(body, Mcp_Session_Id=session).body)


def said(message: Any) -> str:
    text: str = message["result"]["content"][0]["text"]
    return text


def test_each_session_has_a_process_of_its_own(tmp_path: Path) -> None:
    with listening(processes(PLAIN), tmp_path) as proxy:
        one, two = begun(proxy), begun(proxy)
        pids = [said(called(proxy, session, "pid")[0]) for session in (one, two, one)]
    assert one != two
    assert pids[0] == pids[2] != pids[1]
    assert len(one) >= 22


def test_a_session_that_is_ended_is_known_no_more(tmp_path: Path) -> None:
    with listening(processes(PLAIN), tmp_path) as proxy:
        session = begun(proxy)
        assert proxy.ask("DELETE", Mcp_Session_Id=session).status == 200
        heard = [
            proxy.post(rpc(1, "ping"), Mcp_Session_Id=session),
            proxy.ask("GET", Mcp_Session_Id=session),
            proxy.ask("DELETE", Mcp_Session_Id=session),
        ]
    assert [one.status for one in heard] == [404, 404, 404]
    assert heard[0].message == {
        "jsonrpc": "2.0", "id": 1,
        "error": {"code": -32600, "message": "Session not found; begin a new one with initialize"},
    }  # fmt: skip


def test_without_a_session_only_initialize_is_answered(tmp_path: Path) -> None:
    with listening(processes(PLAIN), tmp_path) as proxy:
        heard = [proxy.post(rpc(1, "tools/list")), proxy.ask("GET"), proxy.ask("DELETE")]
    assert [one.status for one in heard] == [400, 400, 400]


def test_what_the_process_asks_goes_to_the_call_and_its_answer_back(tmp_path: Path) -> None:
    with listening(processes(PLAIN), tmp_path) as proxy:
        session = begun(proxy)
        body = rpc(1, "tools/call", {"name": "ask"})
        connection, answer = proxy.open("POST", body, Mcp_Session_Id=session)
        line = b""
        while not line.startswith(b"data: "):
            line = answer.readline()
        assert json.loads(line[6:]) == {"jsonrpc": "2.0", "id": 0, "method": "roots/list"}
        answered = b'{"jsonrpc":"2.0","id":0,"result":{"roots":[]}}'
        assert proxy.post(answered, Mcp_Session_Id=session).status == 202
        connection.close()


def test_news_that_nobody_reads_yet_waits_for_the_stream(tmp_path: Path) -> None:
    with listening(processes(PLAIN), tmp_path) as proxy:
        session = begun(proxy)
        connection, answer = proxy.open("GET", Mcp_Session_Id=session)
        assert (answer.status, answer.getheader("content-type")) == (200, "text/event-stream")
        assert proxy.ask("GET", Mcp_Session_Id=session).status == 409
        connection.close()


def test_there_are_only_so_many_processes_and_an_idle_one_makes_room(tmp_path: Path) -> None:
    with listening(processes(PLAIN, most=1), tmp_path) as proxy:
        first = begun(proxy)
        connection, _ = proxy.open("GET", Mcp_Session_Id=first)
        full = proxy.post(rpc(0, "initialize", {}))
        connection.close()
        assert full.status == 429
        second = begun_when_there_is_room(proxy)
        assert proxy.post(rpc(1, "ping"), Mcp_Session_Id=first).status == 404
        assert said(called(proxy, second, "echo", text="a")[0]) == "a"


def begun_when_there_is_room(proxy: Listening) -> str:
    """Begin a session once the stream that was closed is known to be."""
    for _ in range(200):
        heard = proxy.post(rpc(0, "initialize", {}))
        if heard.status == 200:
            return heard.headers["mcp-session-id"]
        threading.Event().wait(0.01)
    raise AssertionError("no session made room")


def test_a_crash_is_one_clear_error_and_the_process_is_started_again(tmp_path: Path) -> None:
    with listening(processes(PLAIN), tmp_path) as proxy:
        session = begun(proxy)
        (died,) = called(proxy, session, "die")
        assert died["result"]["isError"] is True
        assert "it is being started again" in said(died)
        assert said(called(proxy, session, "echo", text="a")[0]) == "a"


def test_a_command_that_is_none_is_one_clear_error(tmp_path: Path) -> None:
    with listening(processes(["no-such-program-at-all"]), tmp_path) as proxy:
        heard = proxy.post(rpc(0, "initialize", {}))
    reason = (
        "no-such-program-at-all: no such program; it is started as it is given, without a shell"
    )
    assert heard.message["error"]["message"] == reason


def test_a_batch_is_answered_as_one(tmp_path: Path) -> None:
    with listening(processes(PLAIN), tmp_path) as proxy:
        session = begun(proxy)
        heard = proxy.post(b"[" + rpc(None, "notifications/x") + b"]", Mcp_Session_Id=session)
    assert heard.status == 202


# Requests that stand alone


def alone(identity: object, method: str, **params: Any) -> bytes:
    meta = {**ABOUT, **params.pop("meta", {})}
    return rpc(identity, method, {**params, "_meta": meta})


def asked(proxy: Listening, body: bytes, **headers: str) -> Heard:
    message = json.loads(body)
    given = {"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]}
    if message["method"] == "tools/call":
        given["Mcp-Name"] = message["params"]["name"]
    return proxy.post(body, **{**given, **headers})


def test_requests_of_many_clients_share_one_process_and_keep_their_ids(tmp_path: Path) -> None:
    with listening(processes(ALONE), tmp_path) as proxy, ThreadPoolExecutor(8) as pool:
        bodies = [
            alone(1 if n % 2 else "one", "tools/call", name="told", arguments={}, n=n)
            for n in range(16)
        ]
        found = [heard.message for heard in pool.map(partial(asked, proxy), bodies)]
    assert [one["id"] for one in found] == [1 if n % 2 else "one" for n in range(16)]
    through = [json.loads(said(one)) for one in found]
    assert [one["params"]["n"] for one in through] == list(range(16))
    assert len({one["id"] for one in through}) == 16


def test_progress_goes_to_the_call_it_is_of_with_its_own_token(tmp_path: Path) -> None:
    with listening(processes(ALONE), tmp_path) as proxy:
        body = alone(1, "tools/call", name="progress", meta={"progressToken": "mine"})
        found = events(asked(proxy, body).body)
    assert [one.get("method") for one in found] == ["notifications/progress", None]
    assert found[0]["params"] == {"progressToken": "mine", "progress": 1}
    assert json.loads(said(found[1]))["params"]["_meta"]["progressToken"] != "mine"


def test_a_subscription_keeps_its_id(tmp_path: Path) -> None:
    with listening(processes(ALONE), tmp_path) as proxy:
        body = alone("sub", "subscriptions/listen")
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "subscriptions/listen"}
        connection, answer = proxy.open("POST", body, **headers)
        line = b""
        while not line.startswith(b"data: "):
            line = answer.readline()
        connection.close()
    assert json.loads(line[6:])["params"]["_meta"] == {
        "io.modelcontextprotocol/subscriptionId": "sub"
    }


def test_a_client_that_hangs_up_takes_its_request_back(tmp_path: Path) -> None:
    with listening(processes(ALONE), tmp_path) as proxy:
        body = alone("sub", "subscriptions/listen")
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "subscriptions/listen"}
        first, answer = proxy.open("POST", body, **headers)
        answer.read(1)
        second, waiting = proxy.open("POST", body, **headers)
        waiting.read(1)
        first.close()
        answer.close()
        found = events(waiting.read())  # the server ends all of them once it hears of one
        second.close()
    assert found[-1] == {"jsonrpc": "2.0", "id": "sub", "result": {"resultType": "complete"}}


def test_a_question_to_the_client_is_refused_for_it(tmp_path: Path) -> None:
    with listening(processes(ALONE), tmp_path) as proxy:
        heard = asked(proxy, alone(1, "tools/call", name="ask")).message
    assert json.loads(said(heard))["error"]["code"] == -32601


def test_a_crash_answers_all_that_was_open(tmp_path: Path) -> None:
    with listening(processes(ALONE), tmp_path) as proxy:
        heard = asked(proxy, alone(1, "tools/call", name="die")).message
    assert (heard["id"], heard["result"]["isError"]) == (1, True)


def test_a_server_of_the_older_era_is_told_apart_so_that_clients_fall_back(tmp_path: Path) -> None:
    with listening(processes(PLAIN), tmp_path) as proxy:
        heard = asked(proxy, alone(5, "server/discover"))
        session = begun(proxy)
        assert said(called(proxy, session, "echo", text="a")[0]) == "a"
    assert (heard.status, heard.message["id"], heard.message["error"]["code"]) == (400, 5, -32600)
    assert "begin with initialize" in heard.message["error"]["message"]


@pytest.mark.parametrize(
    "headers, status, code",
    [
        ({"Mcp-Method": "tools/list"}, 400, -32020),
        ({"Mcp-Name": "another"}, 400, -32020),
        ({"MCP-Protocol-Version": "2099-01-01"}, 400, -32020),
        ({"Mcp-Name": "=?base64?dG9sZA==?="}, 200, None),
    ],
)
def test_headers_have_to_repeat_what_the_request_says(
    tmp_path: Path, headers: dict[str, str], status: int, code: int | None
) -> None:
    with listening(processes(ALONE), tmp_path) as proxy:
        heard = asked(proxy, alone(1, "tools/call", name="told"), **headers)
    assert (heard.status, heard.message.get("error", {}).get("code")) == (status, code)


@pytest.mark.parametrize(
    "given, status", [({}, 400), ({"Mcp-Param-Region": "Europe"}, 200), ({"Mcp-Param-Region": "Asia"}, 400)]
)  # fmt: skip
def test_headers_that_mirror_arguments_are_looked_at_once_the_menu_is_known(
    tmp_path: Path, given: dict[str, str], status: int
) -> None:
    with listening(processes(ALONE), tmp_path) as proxy:
        asked(proxy, alone(1, "tools/list"))
        body = alone(2, "tools/call", name="where", arguments={"region": "Europe"})
        assert asked(proxy, body, **given).status == status


def test_a_method_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with listening(processes(ALONE), tmp_path) as proxy:
        heard = [asked(proxy, alone(1, method)) for method in ("initialize", "nope")]
    assert [(one.status, one.message["error"]["code"]) for one in heard] == [(404, -32601)] * 2


def test_a_grouped_menu_is_offered_and_understood_in_both_eras(tmp_path: Path) -> None:
    with listening(processes(PLAIN, client="claude-code", menu="signatures"), tmp_path) as proxy:
        session = begun(proxy)
        listed = events(proxy.post(rpc(1, "tools/list"), Mcp_Session_Id=session).body)
        (shown,) = listed[0]["result"]["tools"]
        assert said(called(proxy, session, shown["name"], action="echo", text="a")[0]) == "a"
