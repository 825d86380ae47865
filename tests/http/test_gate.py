"""Who may ask at all: the order of the checks, every route, every way to spell a host, an origin or a token."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from econome import settings
from econome.savings.store import Ledger
from econome.server.app import App, Parts
from econome.server.hosts import Hosts
from econome.server.token import TokenFile
from tests.house.source import SOURCE
from tests.http.process import Served
from tests.http.raw import Reply, exchange, spelt
from tests.requirements import requirement
from tests.savings.builders import body, delegation

GOOD = body(delegation(1))
WRONG = "A" * 43


@dataclass(frozen=True)
class Ask:
    """A request in parts, each of which a test may spoil."""

    port: int
    token: str
    method: str = "POST"
    path: str = "/economies"
    host: str | None = None
    more: tuple[tuple[str, str], ...] = ()
    media_type: str = "application/json"
    body: bytes = GOOD
    length: int | None = None
    without: frozenset[str] = field(default_factory=frozenset)

    def reply(self) -> Reply:
        """Send it."""
        headers = [
            ("Host", self.host or f"127.0.0.1:{self.port}"),
            ("Authorization", f"Bearer {self.token}"),
            ("Content-Type", self.media_type),
            ("Content-Length", str(len(self.body) if self.length is None else self.length)),
        ]
        kept = [pair for pair in headers if pair[0] not in self.without]
        kept += self.more
        return exchange(self.port, spelt(self.method, self.path, kept) + self.body, self.method)


@pytest.fixture
def ask(shared_server: Served) -> Ask:
    """Return a request that would be answered 200."""
    return Ask(shared_server.port, shared_server.token)


FAULTS: dict[str, tuple[int, dict[str, Any]]] = {
    "host": (421, {"host": "attacker.example"}),
    "origin": (403, {"more": (("Origin", "http://attacker.example"),)}),
    "token": (401, {"token": WRONG}),
    "path": (404, {"path": "/nowhere"}),
    "method": (405, {"method": "PUT"}),
    "size": (413, {"length": 1_048_577}),
    "media type": (400, {"media_type": "text/plain"}),
    "JSON": (400, {"body": GOOD[:-1]}),
    "batch": (422, {"body": GOOD.replace(b'"schema":1', b'"schema":2')}),
}


@requirement("S3")
def test_a_request_without_a_fault_is_answered(ask: Ask) -> None:
    assert ask.reply().status == 200


@requirement("S3")
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_has_its_status(ask: Ask, fault: str) -> None:
    status, spoilt = FAULTS[fault]
    assert replace(ask, **spoilt).reply().status == status


@requirement("S3")
@pytest.mark.parametrize("first, second", list(combinations(FAULTS, 2)))
def test_of_two_faults_the_one_that_is_checked_first_is_told(
    ask: Ask, first: str, second: str
) -> None:
    spoilt = {**FAULTS[second][1], **FAULTS[first][1]}
    if {first, second} == {"JSON", "batch"}:
        spoilt = {"body": FAULTS["batch"][1]["body"][:-1]}
    both, alone = replace(ask, **spoilt).reply(), replace(ask, **FAULTS[first][1]).reply()
    assert (both.status, both.body) == (alone.status, alone.body)


@requirement("S3")
def test_every_refusal_has_one_shape(ask: Ask) -> None:
    for name, (_, spoilt) in FAULTS.items():
        reply = replace(ask, **spoilt).reply()
        fields = {"ok", "erreur"} | ({"index", "champ"} if name == "batch" else set())
        assert reply.json.keys() == fields, name
        assert reply.json["ok"] is False
        assert reply.header("content-type") == "application/json"


@requirement("S3")
@pytest.mark.parametrize(
    "path, method, allowed",
    [
        ("/economies", "GET", "POST"),
        ("/api/v1/usage", "POST", "GET, HEAD"),
        ("/api/v1/login-codes", "GET", "POST"),
        ("/login", "DELETE", "GET, HEAD, POST"),
        ("/static/econome.css", "POST", "GET, HEAD"),
    ],
)
def test_a_wrong_method_is_told_which_ones_there_are(
    ask: Ask, path: str, method: str, allowed: str
) -> None:
    reply = replace(ask, path=path, method=method).reply()
    assert (reply.status, reply.header("allow")) == (405, allowed)


@requirement("S1", "S3")
@pytest.mark.parametrize("path", ["/economies", "/mcp", "/api/v1/usage", "/nowhere", "/"])
def test_a_refused_token_is_told_the_scheme_on_every_path(ask: Ask, path: str) -> None:
    reply = replace(ask, path=path, token=WRONG).reply()
    assert (reply.status, reply.header("www-authenticate")) == (401, "Bearer")


@requirement("S1")
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("path", ["/economies", "/mcp", "/api/v1/health", "/login", "/nowhere"])
def test_no_answer_lets_another_origin_read_it(ask: Ask, path: str, method: str) -> None:
    preflight = (("Access-Control-Request-Method", "POST"), ("Accept", "application/json"))
    for more in ((), preflight, (*preflight, ("Origin", f"http://127.0.0.1:{ask.port}"))):
        reply = replace(ask, path=path, method=method, more=more).reply()
        assert [name for name, _ in reply.headers if name.startswith("access-control")] == []


@requirement("S1")
@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]", "localhost:1", "127.0.0.1:65535"]
)
def test_every_name_of_this_machine_is_taken_with_any_port(ask: Ask, host: str) -> None:
    assert replace(ask, host=host).reply().status == 200


@requirement("S1")
@pytest.mark.parametrize(
    "host",
    [
        "attacker.example", "attacker.example:8090", "127.0.0.1.attacker.example", "localhost.",
        "localhost:", "localhost:port", "localhost:65536", "127.0.0.1:80:80", "me@localhost",
        "localhost/", "127.1", "2130706433", "::1", "[::2]", "", "127.0.0.1, 127.0.0.1",
    ],
)  # fmt: skip
def test_any_other_name_is_misdirected(ask: Ask, host: str) -> None:
    headers = (("Host", host),)
    reply = replace(ask, without=frozenset({"Host"}), more=headers).reply()
    assert reply.status == 421


@requirement("S1")
def test_blanks_around_a_value_are_no_part_of_it(ask: Ask) -> None:
    blank = {
        "Host": f"  127.0.0.1:{ask.port} \t",
        "Origin": f" http://127.0.0.1:{ask.port}  ",
        "Authorization": f" Bearer {ask.token} \t ",
    }
    own = frozenset({"Host", "Authorization"})
    assert replace(ask, without=own, more=tuple(blank.items())).reply().status == 200


@requirement("S1")
def test_no_host_or_two_of_them_are_misdirected(ask: Ask) -> None:
    own = ("Host", f"127.0.0.1:{ask.port}")
    assert replace(ask, without=frozenset({"Host"})).reply().status == 421
    assert replace(ask, more=(own,)).reply().status == 421


@requirement("S1")
@pytest.mark.parametrize(
    "origin, status",
    [
        ("http://127.0.0.1:{port}", 200),
        ("https://127.0.0.1:{port}", 403),
        ("http://127.0.0.1", 403),
        ("http://127.0.0.1:1", 403),
        ("http://localhost:{port}", 403),
        ("http://127.0.0.1:{port}/", 403),
        ("http://attacker.example", 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_an_origin_is_the_one_of_the_host_or_foreign(ask: Ask, origin: str, status: int) -> None:
    more = (("Origin", origin.format(port=ask.port)),)
    assert replace(ask, more=more).reply().status == status


@requirement("S1")
def test_an_origin_of_the_usual_port_goes_without_it(ask: Ask) -> None:
    own = (("Origin", "http://localhost"),)
    assert replace(ask, host="localhost:80", more=own).reply().status == 200
    assert replace(ask, host="localhost", more=own).reply().status == 200


@requirement("S1")
def test_two_origins_are_foreign(ask: Ask) -> None:
    own = ("Origin", f"http://127.0.0.1:{ask.port}")
    assert replace(ask, more=(own, own)).reply().status == 403


@requirement("S1", "C-T3", "C-N3")
@pytest.mark.parametrize(
    "given, status",
    [
        ("Bearer {token}", 200), ("bearer {token}", 200), ("BEARER  {token}", 200),
        ("Bearer {token}x", 401), ("Bearer x{token}", 401), ("Bearer", 401), ("Bearer ", 401),
        ("{token}", 401), ("Basic {token}", 401), ("Bearer {token},{token}", 401),
        ("Bearer \xe9\xff", 401), ("", 401), ("Bearer " + WRONG, 401), ("Bearer " + "x" * 20_000, 401),
    ],
)  # fmt: skip
def test_the_token_is_the_token_and_nothing_else(ask: Ask, given: str, status: int) -> None:
    header = ("Authorization", given.format(token=ask.token))
    reply = replace(ask, without=frozenset({"Authorization"}), more=(header,)).reply()
    assert reply.status == status


@requirement("S1")
def test_two_tokens_are_none(ask: Ask) -> None:
    header = ("Authorization", f"Bearer {ask.token}")
    assert replace(ask, more=(header,)).reply().status == 401
    assert replace(ask, without=frozenset({"Authorization"})).reply().status == 401


def _routes(directory: Path) -> list[tuple[str, str]]:
    """Return the method and path of every route of the application."""
    found = settings.load(data_dir=str(directory))
    ledger = Ledger.open(found.ledger_dir(), "test")
    try:
        token = TokenFile(found.token_path())
        hosts = Hosts.of("127.0.0.1", tls=False)
        app = App(Parts(found, ledger, token, hosts, 0, print, float, str, "key"))
    finally:
        ledger.close()
    return [(method, route.path) for route in app.routes for method in sorted(route.methods or ())]


STATIC = [
    f"/static/{path.name}"
    for path in sorted((SOURCE / "server" / "static").iterdir())
    if path.suffix in (".css", ".js", ".svg")
]
OPEN = {
    (method, path) for path in ("/login", "/api/v1/health", *STATIC) for method in ("GET", "HEAD")
}
OPEN.add(("POST", "/login"))


@requirement("S1", "S3", "C-N2")
def test_every_route_but_the_open_ones_wants_the_token(ask: Ask, tmp_path: Path) -> None:
    routes = _routes(tmp_path)
    assert {"/economies", "/mcp", "/metrics", "/openapi.json", "/"} < {path for _, path in routes}
    open_to_all = set()
    for method, path in routes:
        # With a parameter that none has: the stream of news would not end.
        asked = replace(ask, method=method, path=f"{path}?none=1")
        unknown = [
            replace(asked, without=frozenset({"Authorization"})).reply().status,
            replace(asked, token=WRONG).reply().status,
        ]
        assert asked.reply().status != 401, (method, path)
        if unknown != [401, 401]:
            assert 401 not in unknown, (method, path)
            open_to_all.add((method, path))
    assert open_to_all == OPEN


@requirement("S3")
@pytest.mark.parametrize(
    "method, path",
    [
        ("POST", "/api/v1/health"), ("GET", "/api/v1/health/"), ("GET", "/login/"), ("GET", "/loginx"),
        ("GET", "/static"), ("GET", "//login"), ("GET", "/LOGIN"), ("GET", "/api/v1/healthz"),
        ("GET", "/economies?/login"), ("GET", "/x/../login"),
    ],
)  # fmt: skip
def test_what_only_looks_like_an_open_path_wants_the_token(
    ask: Ask, method: str, path: str
) -> None:
    asked = replace(ask, method=method, path=path, without=frozenset({"Authorization"}))
    assert asked.reply().status == 401


@requirement("S3")
def test_an_open_path_leads_to_no_other_one(ask: Ask) -> None:
    for path in ("/static/../economies", "/static/%2e%2e/token", "/static//etc/passwd", "/static/"):
        asked = replace(ask, method="GET", path=path, without=frozenset({"Authorization"}))
        assert asked.reply().status == 404, path


@requirement("S3")
def test_health_says_one_thing_to_everybody(ask: Ask) -> None:
    asked = replace(ask, method="GET", path="/api/v1/health")
    for known in (asked, replace(asked, token=WRONG)):
        reply = known.reply()
        assert (reply.status, reply.body) == (200, b'{"ok":true}')


@requirement("S1")
def test_a_web_socket_is_an_ordinary_request_without_a_token(ask: Ask) -> None:
    upgrade = (("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"))
    asked = replace(ask, method="GET", path="/mcp", more=upgrade, token=WRONG, body=b"")
    assert asked.reply().status == 401


@requirement("S3")
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
@pytest.mark.parametrize(
    "path", ["/static/nothing", "/static/", "/static/econome.css/", "/nothing"]
)
def test_of_a_path_that_is_not_there_no_method_is_wrong(ask: Ask, method: str, path: str) -> None:
    assert replace(ask, method=method, path=path).reply().status == 404


@requirement("S1", "S3")
@pytest.mark.parametrize(
    "target, host, status",
    [
        ("http://attacker.example/economies", None, 421),
        ("http://attacker.example:{port}/economies", None, 421),
        ("http://127.0.0.1:{port}@attacker.example/economies", None, 421),
        ("http://127.0.0.1:{port}/economies", None, 200),
        ("http://LOCALHOST/economies", None, 200),
        ("http://127.0.0.1:{port}/economies", "attacker.example", 200),
        ("http://attacker.example?x=/127.0.0.1", None, 400),
        ("http://attacker.example#/127.0.0.1", None, 400),
        ("http:///economies", None, 400),
    ],
)
def test_a_target_with_an_authority_is_judged_by_that(
    ask: Ask, target: str, host: str | None, status: int
) -> None:
    path = target.format(port=ask.port)
    data = spelt(
        "POST",
        path,
        {"Host": host or f"127.0.0.1:{ask.port}", "Authorization": f"Bearer {ask.token}"},
        GOOD,
    )
    assert exchange(ask.port, data, "POST").status == status


@requirement("S1")
def test_an_authority_in_the_target_does_not_stand_for_a_missing_host(ask: Ask) -> None:
    path = f"http://127.0.0.1:{ask.port}/economies"
    assert replace(ask, path=path, without=frozenset({"Host"})).reply().status == 421
