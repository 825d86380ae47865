"""A proxy that listens asks for what `econome serve` asks for: the host, the origin, the token, on every path."""

from __future__ import annotations

from pathlib import Path

import pytest

from econome.errors import PortTaken, UsageError
from econome.lean.proxy.http_target import Target
from econome.server.listening import bound
from econome.server.listening import listen as begin_to_listen
from econome.server.proxying.listen import address, listen
from econome.server.proxying.relay import Relay
from tests.http.proxied import Asked, Reply, lean, listening, upstream
from tests.lean.connections import rpc
from tests.requirements import requirement

pytestmark = requirement("S1")


def away(asked: Asked) -> Reply:
    return Reply.json({"jsonrpc": "2.0", "id": 1, "result": {}})


@pytest.mark.parametrize(
    "headers, status",
    [
        ({"Host": "example.org"}, 421),
        ({"Origin": "https://example.org"}, 403),
        ({"Origin": "null"}, 403),
        ({"Authorization": "Bearer x"}, 401),
        ({"Authorization": ""}, 401),
        ({}, 200),
    ],
)
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_nobody_passes_who_may_not(
    tmp_path: Path, headers: dict[str, str], status: int, method: str
) -> None:
    with (
        upstream(away) as there,
        listening(lambda log: Relay(Target(there.url), lean(), log), tmp_path) as proxy,
    ):
        heard = proxy.ask(method, rpc(1, "ping") if method == "POST" else None, **headers)
    assert (heard.status, len(there.asked)) == (status, int(status == 200))
    if status != 200:
        assert (heard.message.keys(), heard.message["ok"]) == ({"ok", "error"}, False)


@pytest.mark.parametrize(
    "path", ["/", "/mcp/", "/mcp/x", "/.well-known/oauth-protected-resource", "/login", "/static/x"]
)
def test_there_is_one_path(tmp_path: Path, path: str) -> None:
    with (
        upstream(away) as there,
        listening(lambda log: Relay(Target(there.url), lean(), log), tmp_path) as proxy,
    ):
        nowhere = {"ok": False, "error": "there is nothing here for that"}
        missing, method = proxy.ask("GET", path=path), proxy.ask("PUT", b"{}")
        assert (missing.status, missing.message) == (404, nowhere)
        assert (method.status, method.message) == (405, nowhere)
        assert proxy.ask("GET", path="/api/v1/health").body == b'{"ok":true}'
    assert there.asked == []


def test_a_path_that_is_not_there_says_so_to_nobody_without_the_token(tmp_path: Path) -> None:
    with (
        upstream(away) as there,
        listening(lambda log: Relay(Target(there.url), lean(), log), tmp_path) as proxy,
    ):
        assert proxy.ask("GET", path="/x", Authorization="").status == 401


@pytest.mark.parametrize(
    "headers, status",
    [
        ({"Content-Type": "text/plain"}, 400),
        ({"Content-Encoding": "br"}, 400),
        ({"Content-Length": "99999999"}, 413),
    ],
)
def test_a_body_that_is_not_taken_is_refused_in_the_words_of_the_proxy(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    with (
        upstream(away) as there,
        listening(lambda log: Relay(Target(there.url), lean(), log), tmp_path) as proxy,
    ):
        heard = proxy.ask("POST", b"{}", **headers)
    assert (heard.status, heard.message.keys(), there.asked) == (status, {"ok", "error"}, [])


def test_a_server_that_is_away_is_told_in_the_words_of_the_proxy(tmp_path: Path) -> None:
    with upstream(away) as there:
        url = there.url
    with listening(lambda log: Relay(Target(url), lean(), log), tmp_path) as proxy:
        heard = proxy.ask("GET", Accept="text/event-stream")
    assert (heard.status, heard.message.keys()) == (502, {"ok", "error"})


def test_a_port_that_is_taken_names_the_option_that_chooses_another(tmp_path: Path) -> None:
    with bound("127.0.0.1", 0) as taken:
        begin_to_listen(taken, "127.0.0.1")
        port = taken.getsockname()[1]
        relay = Relay(Target("http://127.0.0.1:1/mcp"), lean(), print)
        with pytest.raises(PortTaken) as caught:
            listen(relay, str(tmp_path / "token"), "127.0.0.1", port)
    assert str(caught.value).startswith(f"127.0.0.1:{port}: ")
    assert str(caught.value).endswith("; choose another with --listen")


@pytest.mark.parametrize(
    "given, found",
    [
        ("7801", ("127.0.0.1", 7801)),
        ("localhost:0", ("localhost", 0)),
        ("[::1]:80", ("::1", 80)),
        (":9", ("127.0.0.1", 9)),
    ],
)
def test_an_address_is_a_port_with_or_without_a_host(given: str, found: tuple[str, int]) -> None:
    assert address(given) == found


@pytest.mark.parametrize(
    "given", ["", "x", "1:2:3:x", "65536", "-1", "0.0.0.0:80", "example.org:80", "[::]:1"]
)
def test_an_address_that_others_reach_or_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="--listen"):
        address(given)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://x/",
        "http://",
        "http://a:b@c/",
        "http://a@c/",
        "http://[::1/",
        "http://x:99999/",
    ],
)
def test_a_url_that_is_no_servers_or_holds_a_secret_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="--url") as caught:
        Target(url)
    assert "a:b" not in str(caught.value)
