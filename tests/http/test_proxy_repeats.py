"""An answer refers to an earlier one only where the same conversation was sent that one, whoever else asks the same server."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.http.proxied import Asked, Reply, lean, listening, upstream
from tests.http.test_proxy_menu import headers_of
from tests.http.test_proxy_processes import begun, called, processes, said
from tests.http.test_proxy_relay import modern, relay, result
from tests.lean.connections import PLAIN, rpc, tool
from tests.requirements import requirement

pytestmark = requirement("L7", "L20")

ROWS = [{"id": at, "name": f"person {at}", "city": "Lyon", "age": at} for at in range(60)]


class Shop:
    """A server of one tool; it gives sessions out where it is to."""

    def __init__(self, *, sessions: bool) -> None:
        self._sessions, self._given = sessions, 0

    def __call__(self, asked: Asked) -> Reply:
        method = asked.message.get("method")
        if method == "tools/list":
            return Reply.json(result(asked, {"tools": [tool("list")]}))
        if method == "tools/call":
            content = [{"type": "text", "text": json.dumps(ROWS)}]
            return Reply.json(result(asked, {"content": content}))
        self._given += 1
        headers = {"Mcp_Session_Id": f"s{self._given}"} if self._sessions else {}
        return Reply.json(result(asked, {"protocolVersion": "2025-11-25"}), 200, **headers)


def is_reference(message: Any) -> bool:
    return said(message).startswith("[same] ")


def test_a_session_is_referred_to_what_it_was_sent_itself(tmp_path: Path) -> None:
    with (
        upstream(Shop(sessions=True)) as there,
        listening(relay(there, lean(repeats=True)), tmp_path) as proxy,
    ):
        sessions: list[dict[str, str]] = []
        for _ in range(2):
            heard = proxy.post(rpc(0, "initialize", {"clientInfo": {"name": "claude-code"}}))
            sessions.append({"Mcp_Session_Id": heard.headers["mcp-session-id"]})
            proxy.post(rpc(1, "tools/list"), **sessions[-1])

        def again(session: dict[str, str]) -> bool:
            body = rpc(2, "tools/call", {"name": "list", "arguments": {}})
            return is_reference(proxy.post(body, **session).message)

        one, two = sessions
        asked = [one, one, two, one, two, {"Mcp_Session_Id": "unknown"}]
        assert [again(session) for session in asked] == [False, True, False, True, True, False]


@pytest.mark.parametrize("era", ["modern", "sessionless"])
def test_what_has_no_session_is_sent_again(tmp_path: Path, era: str) -> None:
    with (
        upstream(Shop(sessions=False)) as there,
        listening(relay(there, lean(repeats=True)), tmp_path) as proxy,
    ):
        for _ in range(3):
            if era == "modern":
                listed = modern(1, "tools/list", "claude-code")
                proxy.post(listed, **headers_of(listed))
                body = modern(2, "tools/call", "claude-code", name="list", arguments={})
                heard = proxy.post(body, **headers_of(body, "list"))
            else:
                proxy.post(rpc(0, "initialize", {"clientInfo": {"name": "claude-code"}}))
                proxy.post(rpc(1, "tools/list"))
                heard = proxy.post(rpc(2, "tools/call", {"name": "list", "arguments": {}}))
            assert not is_reference(heard.message)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX")
def test_a_process_of_another_session_was_told_nothing(tmp_path: Path) -> None:
    with listening(processes(PLAIN, repeats=True), tmp_path) as proxy:
        one, two = begun(proxy), begun(proxy)
        found = []
        for session in (one, one, two, two, one):
            (message,) = called(proxy, session, "rows", count=60)
            found.append(is_reference(message))
    assert found == [False, True, False, True, True]
