"""A proxy that listens asks for what `econome serve` asks for: the host, the origin, the token, on every path."""

from __future__ import annotations

from pathlib import Path

import pytest

from econome.errors import UsageError
from econome.lean.proxy.http_target import Target
from econome.server.proxying.listen import address
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


@pytest.mark.parametrize(
    "path", ["/", "/mcp/", "/mcp/x", "/.well-known/oauth-protected-resource", "/login", "/static/x"]
)
def test_there_is_one_path(tmp_path: Path, path: str) -> None:
    with (
        upstream(away) as there,
        listening(lambda log: Relay(Target(there.url), lean(), log), tmp_path) as proxy,
    ):
        assert proxy.ask("GET", path=path).status == 404
        assert proxy.ask("PUT", b"{}").status == 405
        assert proxy.ask("GET", path="/api/v1/health").body == b'{"ok":true}'
    assert there.asked == []


def test_a_path_that_is_not_there_says_so_to_nobody_without_the_token(tmp_path: Path) -> None:
    with (
        upstream(away) as there,
        listening(lambda log: Relay(Target(there.url), lean(), log), tmp_path) as proxy,
    ):
        assert proxy.ask("GET", path="/x", Authorization="").status == 401


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
