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
from tests.http.proxied import SECONDS, Asked, Reply, Upstream, lean, listening, upstream
from tests.lean.connections import rpc
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


def test_the_token_of_the_proxy_is_not_shown_to_an_upstream_without_one_of_its_own(
    tmp_path: Path,
) -> None:
    with (
        upstream(lambda asked: Reply.json(result(asked, {}))) as there,
        listening(relay(there, lean()), tmp_path) as proxy,
    ):
        proxy.post(rpc(1, "ping"))
        proxy.ask("GET")
        proxy.ask("DELETE")
    assert [asked.method for asked in there.asked] == ["POST", "GET", "DELETE"]
    assert [asked.headers.get("authorization") for asked in there.asked] == [None] * 3
    assert all(proxy.token not in str(asked.headers) for asked in there.asked)


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
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with (
        upstream(lambda asked: Reply.json(result(asked, {}))) as there,
        listening(relay(there, lean()), tmp_path) as proxy,
    ):
        assert proxy.post(rpc(1, "ping")).message["result"] == {}


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
