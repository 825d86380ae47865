"""HTTP to HTTP: what passes is what was sent, what goes on is what may, and a client that leaves is missed at once."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from econome.lean.proxy.http_target import Target
from econome.lean.proxy.shared import Lean
from econome.server.proxying.app import Endpoint
from econome.server.proxying.relay import Relay
from tests.http.proxied import SECONDS, Asked, Heard, Reply, Upstream, lean, listening, upstream
from tests.lean.connections import rpc, tool
from tests.requirements import requirement

pytestmark = requirement("L20")

MODERN = "2026-07-28"
ABOUT = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def relay(
    target: Upstream, shared: Lean, **headers: str
) -> Callable[[Callable[[str], None]], Endpoint]:
    """Return what makes a relay to an upstream."""
    return lambda log: Relay(Target(target.url, headers), shared, log)


def modern(identity: int, method: str, client: str | None = None, **params: Any) -> bytes:
    """Return a request that stands alone."""
    named = {} if client is None else {"io.modelcontextprotocol/clientInfo": {"name": client}}
    return rpc(identity, method, {**params, "_meta": {**ABOUT, **named}})


def result(asked: Asked, value: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": asked.message["id"], "result": value}


ODD_STREAM = (
    b"id: 1\r\ndata:\r\n\r\n: a comment\n\n"
    b'retry: 500\nevent: message\ndata: {"jsonrpc": "2.0",\ndata:  "method": "notifications/x"}\n\n'
    b'id: 2\ndata: {"jsonrpc":"2.0","id":7,"result":{"content":[]}}\n\n'
)


@pytest.mark.parametrize("passing", [True, False])
@pytest.mark.parametrize("method", ["tools/call", "prompts/get"])
def test_a_stream_passes_byte_for_byte(tmp_path: Path, method: str, passing: bool) -> None:
    pieces = [ODD_STREAM[at : at + 7] for at in range(0, len(ODD_STREAM), 7)]
    with (
        upstream(lambda asked: Reply.stream(*pieces)) as there,
        listening(relay(there, lean(passing=passing)), tmp_path) as proxy,
    ):
        heard = proxy.post(rpc(7, method, {"name": "echo"}))
    assert heard.body == ODD_STREAM
    assert (heard.status, heard.headers["content-type"]) == (200, "text/event-stream")


@pytest.mark.parametrize("status", [200, 400, 404])
def test_an_answer_passes_byte_for_byte_with_its_status(tmp_path: Path, status: int) -> None:
    said = b'{ "jsonrpc" : "2.0", "id" : 7, "error" : {"code" : -32601, "message" : "\\u00e9" } }\n'
    with (
        upstream(lambda asked: Reply.json(said, status)) as there,
        listening(relay(there, lean()), tmp_path) as proxy,
    ):
        heard = proxy.post(rpc(7, "tools/call", {"name": "echo"}))
    assert (heard.status, heard.body) == (status, said)


def test_a_request_goes_on_byte_for_byte(tmp_path: Path) -> None:
    body = b'{ "jsonrpc":"2.0",  "id": 7, "method":"tools/call", "params": {"name":"e", "arguments":{"a":1.0}} }'
    with (
        upstream(lambda asked: Reply.json(result(asked, {"content": []}))) as there,
        listening(relay(there, lean()), tmp_path) as proxy,
    ):
        proxy.post(body)
    assert [asked.body for asked in there.asked] == [body]


def test_what_a_client_shows_to_the_proxy_goes_no_further(tmp_path: Path) -> None:
    with (
        upstream(lambda asked: Reply.json(result(asked, {}))) as there,
        listening(
            relay(there, lean(), Authorization="Bearer theirs", X_Key="k"), tmp_path
        ) as proxy,
    ):
        proxy.post(
            rpc(1, "ping"), Cookie="a=b", Origin=f"http://127.0.0.1:{proxy.port}", X_Forwarded_For="x",
            Sec_Fetch_Site="same-origin", Connection="close, X-Hop", X_Hop="1", Mcp_Session_Id="s",
            MCP_Protocol_Version="2025-11-25", Last_Event_ID="3",
        )  # fmt: skip
        (asked,) = there.asked
        assert asked.headers == {
            "host": there.origin.removeprefix("http://"),
            "accept": "application/json, text/event-stream",
            "accept-encoding": "identity",
            "authorization": "Bearer theirs",
            "content-length": str(len(asked.body)),
            "content-type": "application/json",
            "last-event-id": "3",
            "mcp-protocol-version": "2025-11-25",
            "mcp-session-id": "s",
            "x_key": "k",
        }
        assert proxy.token not in json.dumps(asked.headers)


def test_what_the_upstream_says_to_a_browser_goes_no_further(tmp_path: Path) -> None:
    reply = {
        "Set_Cookie": "a=b",
        "Access_Control_Allow_Origin": "*",
        "Mcp_Session_Id": "s",
        "X_A": "1",
    }
    with (
        upstream(lambda asked: Reply.json(result(asked, {}), **reply)) as there,
        listening(relay(there, lean()), tmp_path) as proxy,
    ):
        heard = proxy.post(rpc(1, "ping"))
    assert heard.headers.keys() & {"set-cookie", "access-control-allow-origin"} == set()
    assert (heard.headers["mcp-session-id"], heard.headers["x-a"]) == ("s", "1")


def test_the_environments_proxies_are_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with (
        upstream(lambda asked: Reply.json(result(asked, {}))) as there,
        listening(relay(there, lean()), tmp_path) as proxy,
    ):
        assert proxy.post(rpc(1, "ping")).status == 200


def test_a_redirect_within_the_origin_is_followed_with_its_body(tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply:
        if asked.path == "/mcp":
            return Reply(307, {"Location": "/mcp/", "Content-Length": "0"})
        return Reply.json(result(asked, {"at": asked.path}))

    with upstream(script) as there, listening(relay(there, lean(), A="b"), tmp_path) as proxy:
        assert proxy.post(rpc(1, "ping")).message["result"] == {"at": "/mcp/"}
    assert [asked.headers["a"] for asked in there.asked] == ["b", "b"]


@pytest.mark.parametrize("status", [301, 307, 308])
def test_a_redirect_to_another_origin_is_refused_and_tells_it_nothing(
    tmp_path: Path, status: int
) -> None:
    with upstream(lambda asked: Reply.json({})) as elsewhere:
        away = {"Location": f"{elsewhere.url}?secret=1", "Content-Length": "0"}
        with (
            upstream(lambda asked: Reply(status, away)) as there,
            listening(relay(there, lean(), Authorization="Bearer theirs"), tmp_path) as proxy,
        ):
            heard = proxy.post(rpc(1, "ping"))
            assert heard.message["error"]["message"] == proxy.said[0]
            assert proxy.said == [
                f"{there.origin}: wants to be asked at {elsewhere.origin}, another origin, which is not followed; "
                "name that URL if you trust it"
            ]
        assert elsewhere.asked == []


@pytest.mark.parametrize(
    "status, headers",
    [(401, {}), (401, {"WWW_Authenticate": 'Bearer resource_metadata="https://x/y"'}), (403, {"WWW_Authenticate": "Bearer"})],
)  # fmt: skip
def test_an_upstream_that_asks_for_a_sign_in_is_left_alone_with_one_line(
    tmp_path: Path, status: int, headers: dict[str, str]
) -> None:
    with (
        upstream(lambda asked: Reply.json({"error": "x"}, status, **headers)) as there,
        listening(relay(there, lean()), tmp_path) as proxy,
    ):
        heard = proxy.post(rpc(1, "initialize", {}))
        line = (
            f"{there.origin}: asks for a sign-in, which a proxy cannot do; take the entry back with "
            "`econome proxy uninstall`, or give its header in ECONOME_UPSTREAM_HEADERS"
        )
        assert heard.message["error"]["message"] == line
        assert proxy.said == [line]
        assert "www-authenticate" not in heard.headers


def test_headers_that_are_refused_are_not_shown(tmp_path: Path) -> None:
    with (
        upstream(lambda asked: Reply.json({}, 401)) as there,
        listening(relay(there, lean(), Authorization="Bearer theirs"), tmp_path) as proxy,
    ):
        heard = proxy.post(rpc(1, "tools/call", {"name": "echo"}))
        assert proxy.said == [
            f"{there.origin}: refuses the headers it was given; see that they are still good"
        ]
    assert heard.message["result"]["isError"] is True
    assert "theirs" not in heard.body.decode()


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_a_client_that_hangs_up_is_missed_upstream_at_once(tmp_path: Path, method: str) -> None:
    begun, gone = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        assert gone.wait(SECONDS)

    endless: list[bytes | Callable[[], object]] = [
        b": here\n\n",
        wait,
        *[b": more\n\n" * 4096] * 4096,
    ]
    with (
        upstream(lambda asked: Reply.stream(*endless)) as there,
        listening(relay(there, lean()), tmp_path) as proxy,
    ):
        connection, answer = proxy.open(
            method, rpc(1, "tools/call", {"name": "e"}) if method == "POST" else None
        )
        assert answer.read(8) == b": here\n\n"
        assert begun.wait(SECONDS)
        answer.close()
        connection.close()
        gone.set()
        assert there.left.get(timeout=SECONDS) == method


def test_events_come_through_as_they_are_sent(tmp_path: Path) -> None:
    read = threading.Event()
    first = b'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n'
    last = b'data: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n\n'
    with (
        upstream(lambda asked: Reply.stream(first, lambda: read.wait(SECONDS), last)) as there,
        listening(relay(there, lean()), tmp_path) as proxy,
    ):
        connection, answer = proxy.open("POST", rpc(1, "tools/call", {"name": "e"}))
        assert answer.read(len(first)) == first
        read.set()
        assert answer.read() == last
        connection.close()


def test_an_upstream_that_is_away_is_one_error_the_model_can_read(tmp_path: Path) -> None:
    with upstream(lambda asked: Reply()) as there:
        pass
    there.server_close()
    with listening(relay(there, lean()), tmp_path) as proxy:
        heard = proxy.post(rpc(1, "tools/call", {"name": "e"}))
        (line,) = proxy.said
        assert line.startswith(f"{there.origin}: cannot be reached")
    assert heard.message == {
        "jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": line}], "isError": True},
    }  # fmt: skip


def test_a_stream_that_can_be_taken_up_again_is_cut_off_as_it_was(tmp_path: Path) -> None:
    begun = b'id: 1\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'
    with (
        upstream(lambda asked: Reply.stream(begun, cut=True)) as there,
        listening(relay(there, lean()), tmp_path) as proxy,
    ):
        connection, answer = proxy.open("POST", rpc(1, "tools/call", {"name": "e"}))
        assert answer.read(len(begun)) == begun
        with pytest.raises(http.client.IncompleteRead):
            answer.read()
        connection.close()


def test_the_bodies_of_requests_have_a_limit(tmp_path: Path) -> None:
    with (
        upstream(lambda asked: Reply()) as there,
        listening(relay(there, lean()), tmp_path) as proxy,
    ):
        heard = proxy.ask("POST", b"{}", Content_Length=str(17 * 1024 * 1024))
    assert (heard.status, there.asked) == (413, [])


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


def test_a_call_of_a_group_agrees_with_its_headers_upstream(tmp_path: Path) -> None:
    with (
        upstream(shop) as there,
        listening(relay(there, lean(menu="grouped")), tmp_path) as proxy,
    ):
        (shown,) = grouped(proxy).message["result"]["tools"]
        body = modern(
            2,
            "tools/call",
            "claude-code",
            name=shown["name"],
            arguments={"action": "list_issues", "owner": "me", "repository": "r"},
        )
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
        body = modern(
            2,
            "tools/call",
            "claude-code",
            name=shown["name"],
            arguments={"action": "list_issues", "owner": "me", "repository": "r"},
        )
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


def test_all_requests_of_a_session_are_the_clients_that_began_it(tmp_path: Path) -> None:
    with (
        upstream(shop) as there,
        listening(relay(there, lean(menu="grouped")), tmp_path) as proxy,
    ):
        proxy.post(rpc(0, "initialize", {"clientInfo": {"name": "claude-code"}}))
        known = proxy.post(rpc(1, "tools/list"), Mcp_Session_Id="s1").message["result"]["tools"]
    assert [one["name"] for one in known] == ["shop"]


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
