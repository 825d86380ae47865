"""HTTP to HTTP, with a menu of its own in between: a call that is another call upstream says so in its headers too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.http.proxied import Asked, Heard, Reply, lean, listening, upstream
from tests.http.test_proxy_relay import MODERN, modern, relay, result
from tests.lean.connections import rpc, tool
from tests.requirements import requirement

pytestmark = requirement("L2", "L20")

TOOLS = [
    tool(f"{verb}_{noun}", owner="string", repository="string")
    for verb in ("list", "read", "close", "open")
    for noun in ("issues", "branches", "commits")
]


def shop(asked: Asked) -> Reply:
    """Answer as a server of two tools."""
    if asked.method != "POST":
        return Reply(405, {"Content-Length": "0"})
    method = asked.message.get("method")
    if method == "tools/list":
        return Reply.json(result(asked, {"tools": TOOLS}))
    if method == "tools/call":
        said = [{"type": "text", "text": json.dumps(asked.message["params"])}]
        return Reply.json(result(asked, {"content": said}))
    if method == "initialize":
        return Reply.json(result(asked, {"protocolVersion": "2025-11-25"}), Mcp_Session_Id="s1")
    return Reply.json(result(asked, {}))


def headers_of(message: bytes, name: str | None = None) -> dict[str, str]:
    found = {"MCP-Protocol-Version": MODERN, "Mcp-Method": json.loads(message)["method"]}
    return found | ({} if name is None else {"Mcp-Name": name})


def grouped(proxy: Any) -> Heard:
    listed = modern(1, "tools/list", "claude-code")
    heard: Heard = proxy.post(listed, **headers_of(listed))
    return heard


def called(group: str) -> bytes:
    """Return a call of one action of a group."""
    arguments = {"action": "list_issues", "owner": "me", "repository": "r"}
    return modern(2, "tools/call", "claude-code", name=group, arguments=arguments)


def test_a_call_of_a_group_agrees_with_its_headers_upstream(tmp_path: Path) -> None:
    with (
        upstream(shop) as there,
        listening(relay(there, lean(menu="grouped")), tmp_path) as proxy,
    ):
        (shown,) = grouped(proxy).message["result"]["tools"]
        body = called(shown["name"])
        assert proxy.post(body, **headers_of(body, shown["name"])).status == 200
    call = there.asked[-1]
    assert call.message["params"]["name"] == call.headers["mcp-name"] == "list_issues"
    assert call.message["params"]["arguments"] == {"owner": "me", "repository": "r"}
    assert call.headers["mcp-method"] == "tools/call"
    assert call.headers["content-length"] == str(len(call.body))


def test_a_call_whose_headers_say_something_else_is_the_servers_to_refuse(tmp_path: Path) -> None:
    with (
        upstream(shop) as there,
        listening(relay(there, lean(menu="grouped")), tmp_path) as proxy,
    ):
        (shown,) = grouped(proxy).message["result"]["tools"]
        body = called(shown["name"])
        proxy.post(body, **headers_of(body, "another"))
    assert (there.asked[-1].body, there.asked[-1].headers["mcp-name"]) == (body, "another")


def test_a_call_before_any_list_asks_for_the_menu_with_headers_of_its_own(tmp_path: Path) -> None:
    with (
        upstream(shop) as there,
        listening(relay(there, lean(menu="grouped")), tmp_path) as proxy,
    ):
        body = modern(
            2,
            "tools/call",
            "claude-code",
            name="shop",
            arguments={"action": "list_issues", "owner": "me", "repository": "r"},
        )
        assert proxy.post(body, **headers_of(body, "shop")).status == 200
    asked, call = there.asked
    assert (asked.headers["mcp-method"], asked.headers.get("mcp-name")) == ("tools/list", None)
    assert asked.headers["mcp-protocol-version"] == MODERN
    assert (call.headers["mcp-method"], call.headers["mcp-name"]) == ("tools/call", "list_issues")


@pytest.mark.parametrize("client, structured", [("claude-code", False), ("another", True)])
def test_all_requests_of_a_session_are_the_clients_that_began_it(
    tmp_path: Path, client: str, structured: bool
) -> None:
    def script(asked: Asked) -> Reply:
        if asked.message["method"] != "tools/call":
            return shop(asked)
        rows = [{"id": n, "name": f"n{n}"} for n in range(9)]
        content = [{"type": "text", "text": json.dumps(rows)}]
        return Reply.json(
            result(asked, {"content": content, "structuredContent": {"result": rows}})
        )

    with upstream(script) as there, listening(relay(there, lean()), tmp_path) as proxy:
        proxy.post(rpc(0, "initialize", {"clientInfo": {"name": client}}))
        heard = proxy.post(rpc(1, "tools/call", {"name": "list_issues"}), Mcp_Session_Id="s1")
    assert ("structuredContent" in heard.message["result"]) is structured


def test_an_answer_that_comes_on_the_stream_for_news_is_the_calls(tmp_path: Path) -> None:
    rows = json.dumps([{"id": n, "name": f"n{n}"} for n in range(40)], indent=2)

    def script(asked: Asked) -> Reply:
        if asked.method == "GET":
            late = {
                "jsonrpc": "2.0",
                "id": 5,
                "result": {"content": [{"type": "text", "text": rows}]},
            }
            return Reply.stream(b"id: 9\ndata: " + json.dumps(late).encode() + b"\n\n")
        if asked.message["method"] == "tools/call":
            return Reply.stream(b"id: 8\ndata:\n\n")
        return shop(asked)

    with (
        upstream(script) as there,
        listening(relay(there, lean(client="claude-code")), tmp_path) as proxy,
    ):
        proxy.post(rpc(0, "initialize", {"clientInfo": {"name": "claude-code"}}))
        proxy.post(rpc(5, "tools/call", {"name": "list_issues"}), Mcp_Session_Id="s1")
        heard = proxy.ask("GET", Mcp_Session_Id="s1", Last_Event_ID="8").body
    first, data, *_ = heard.split(b"\n")
    assert first == b"id: 9"
    text = json.loads(data.removeprefix(b"data: "))["result"]["content"][0]["text"]
    assert len(text) < len(rows) / 2


def test_the_rest_of_a_cut_answer_is_read_on_by_another_request(tmp_path: Path) -> None:
    rows = json.dumps([{"id": n, "name": f"row {n}"} for n in range(40)])

    def script(asked: Asked) -> Reply:
        if asked.message["method"] == "tools/list":
            return shop(asked)
        return Reply.json(result(asked, {"content": [{"type": "text", "text": rows}]}))

    with (
        upstream(script) as there,
        listening(relay(there, lean(menu="grouped", limit=5)), tmp_path) as proxy,
    ):
        names = [shown["name"] for shown in grouped(proxy).message["result"]["tools"]]
        given = {"action": "list_issues", "owner": "me", "repository": "r"}
        body = modern(2, "tools/call", "claude-code", name=names[0], arguments=given)
        cut = proxy.post(body, **headers_of(body, names[0])).body.decode()
        handle = f"{0:032x}"
        assert handle in cut
        assert "row 39" not in cut
        further = {"action": "more", "handle": handle, "offset": 35}
        body = modern(3, "tools/call", "claude-code", name=names[0], arguments=further)
        rest = proxy.post(body, **headers_of(body, names[0])).body.decode()
    assert "row 39" in rest
    assert "row 4\\" not in rest
    assert [asked.message["method"] for asked in there.asked] == ["tools/list", "tools/call"]
