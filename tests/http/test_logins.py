"""How a browser comes in, what its cookie opens, and when it ends."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from econome.server.logins import CODE_SECONDS, CODES, SESSION_SECONDS, SESSIONS, Logins
from tests.door import run
from tests.http.process import Served, served
from tests.http.raw import Reply, exchange, spelt
from tests.requirements import requirement
from tests.savings.builders import body, delegation

SAME = ("Sec-Fetch-Site", "same-origin")


@dataclass(frozen=True)
class Browser:
    """Asks a server as a browser does; *cookie* is what it was given."""

    server: Served
    cookie: str = ""

    def ask(
        self, method: str, path: str, *more: tuple[str, str], data: bytes | None = None
    ) -> Reply:
        """Send a request with the cookie and these headers."""
        headers = [("Host", f"127.0.0.1:{self.server.port}")]
        headers += [("Cookie", self.cookie)] if self.cookie else []
        return exchange(self.server.port, spelt(method, path, [*headers, *more], data), method)

    def enter(self, code: str, *more: tuple[str, str]) -> Reply:
        """Send a code as the login page does."""
        given = (("Content-Type", "application/json"), *(more or (SAME,)))
        return self.ask("POST", "/login", *given, data=f'{{"code":"{code}"}}'.encode())


def _code(server: Served) -> str:
    ran = run("open", "--print", "--data-dir", str(server.directory))
    return ran.out.strip().partition("#")[2]


def _cookie(reply: Reply) -> str:
    given = reply.header("set-cookie")
    assert given is not None
    return given.partition(";")[0]


def _entered(server: Served) -> Browser:
    return Browser(server, _cookie(Browser(server).enter(_code(server))))


@pytest.fixture
def browser(shared_server: Served) -> Browser:
    """Return a browser that was let in."""
    return _entered(shared_server)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Served]:
    """Return a server of the test's own."""
    with served(tmp_path) as running:
        yield running


@requirement("S1")
def test_a_code_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(
    shared_server: Served,
) -> None:
    reply = Browser(shared_server).enter(_code(shared_server))
    pattern = (
        rf"econome-{shared_server.port}=[A-Za-z0-9_-]{{43}}"
        rf"; Max-Age={SESSION_SECONDS}; Path=/; HttpOnly; SameSite=Strict"
    )
    assert (reply.status, reply.body) == (200, b'{"ok":true}')
    assert re.fullmatch(pattern, reply.header("set-cookie") or "")
    assert shared_server.token not in str(reply.headers)


@requirement("S1")
def test_each_login_has_another_cookie(shared_server: Served) -> None:
    assert _entered(shared_server).cookie != _entered(shared_server).cookie


@requirement("S1")
def test_a_code_opens_once(shared_server: Served) -> None:
    code = _code(shared_server)
    replies = [Browser(shared_server).enter(code) for _ in range(2)]
    assert [reply.status for reply in replies] == [200, 403]
    assert replies[1].header("set-cookie") is None


@requirement("S1")
@pytest.mark.parametrize("code", ["", "x", "A" * 43, "x" * 900, "\\u0000", "\\ud83d\\ude00"])
def test_no_other_code_opens(shared_server: Served, code: str) -> None:
    assert Browser(shared_server).enter(code).status == 403


@requirement("S1")
@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"code":1}', b'{"code":null}', b"[" * 1000, b'{"code":"\xff"}']
)
def test_what_is_no_code_opens_nothing(shared_server: Served, data: bytes) -> None:
    assert Browser(shared_server).ask("POST", "/login", SAME, data=data).status == 403


@requirement("S1", "S2")
def test_the_login_takes_a_small_body_only(shared_server: Served) -> None:
    assert Browser(shared_server).enter("x" * 2000).status == 413


@requirement("S1")
def test_only_the_login_page_may_send_a_code(shared_server: Served) -> None:
    browser, own = Browser(shared_server), f"http://127.0.0.1:{shared_server.port}"
    for wrong in (
        ("X-Nothing", "1"),
        ("Sec-Fetch-Site", "none"),
        ("Sec-Fetch-Site", "same-site"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Origin", "null"),
        ("Origin", "http://127.0.0.1:1"),
    ):
        assert browser.enter(_code(shared_server), wrong).status == 403, wrong
    assert browser.enter(_code(shared_server), ("Origin", own)).status == 200
    form = ("Content-Type", "text/plain")
    assert browser.ask("POST", "/login", SAME, form, data=b"{}").status == 400


@requirement("S1")
@pytest.mark.parametrize("path", ["/", "/api/v1/usage", "/api/v1/balance", "/api/v1/health"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_cookie_reads_the_pages_and_the_api(browser: Browser, method: str, path: str) -> None:
    assert browser.ask(method, path, SAME).status == 200
    assert browser.ask(method, path, ("Sec-Fetch-Site", "none")).status == 200


@requirement("S1")
@pytest.mark.parametrize(
    "method, path",
    [
        ("POST", "/economies"), ("GET", "/economies"), ("POST", "/mcp"), ("GET", "/mcp"),
        ("DELETE", "/mcp"), ("GET", "/metrics"), ("GET", "/openapi.json"), ("POST", "/"),
        ("POST", "/api/v1/login-codes"), ("POST", "/api/v1/usage"), ("DELETE", "/api/v1/balance"),
        ("PUT", "/api/v1/health"), ("GET", "/nowhere"), ("OPTIONS", "/api/v1/usage"),
    ],
)  # fmt: skip
def test_a_cookie_opens_nothing_else(browser: Browser, method: str, path: str) -> None:
    own = ("Origin", f"http://127.0.0.1:{browser.server.port}")
    reply = browser.ask(method, path, SAME, own, data=body(delegation(1)))
    assert (reply.status, reply.header("www-authenticate")) == (401, "Bearer")


@requirement("S1")
@pytest.mark.parametrize(
    "sites",
    [(), ("cross-site",), ("same-site",), ("",), ("same-origin", "none"), ("same-origin, none",)],
)
def test_a_cookie_that_another_page_made_the_browser_send_opens_nothing(
    browser: Browser, sites: tuple[str, ...]
) -> None:
    headers = [("Sec-Fetch-Site", site) for site in sites]
    assert browser.ask("GET", "/api/v1/balance", *headers).status == 401


@requirement("S1")
def test_a_browser_that_says_no_site_may_say_its_exact_origin(browser: Browser) -> None:
    own = f"http://127.0.0.1:{browser.server.port}"
    assert browser.ask("GET", "/api/v1/balance", ("Origin", own)).status == 200
    assert browser.ask("GET", "/api/v1/balance", ("Origin", own + "0")).status == 403


@requirement("S1")
def test_a_cookie_is_found_among_others_and_must_be_whole(browser: Browser) -> None:
    name, _, value = browser.cookie.partition("=")
    for cookie, status in (
        (f"a=b; {browser.cookie}; c=d", 200),
        (f"{name}=other; {browser.cookie}", 200),
        (f"x{browser.cookie}", 401),
        (f"{name}={value[:-1]}", 401),
        (f"{name}={value}x", 401),
        (f"{name}=", 401),
        (f"{name}={browser.server.token}", 401),
        (value, 401),
        ("\xff=\xff;;=;", 401),
    ):
        asked = Browser(browser.server, cookie)
        assert asked.ask("GET", "/api/v1/balance", SAME).status == status, cookie


@requirement("S1")
def test_two_servers_have_two_cookies(browser: Browser, own_server: Served) -> None:
    other = _entered(own_server)
    assert other.cookie.partition("=")[0] != browser.cookie.partition("=")[0]
    both = Browser(own_server, f"{browser.cookie}; {other.cookie}")
    assert both.ask("GET", "/", SAME).status == 200
    assert Browser(own_server, browser.cookie).ask("GET", "/", SAME).status == 401


@requirement("S1")
def test_another_token_ends_every_session_and_every_code(own_server: Served) -> None:
    browser, code = _entered(own_server), _code(own_server)
    assert browser.ask("GET", "/", SAME).status == 200
    assert run("token", "rotate", "--data-dir", str(own_server.directory)).code == 0
    assert browser.ask("GET", "/", SAME).status == 401
    assert browser.enter(code).status == 403
    assert _entered(own_server).ask("GET", "/", SAME).status == 200


@pytest.mark.slow
@requirement("S1")
def test_a_session_ends_with_the_process(tmp_path: Path) -> None:
    with served(tmp_path) as running:
        cookie, port = _entered(running).cookie, running.port
        running.stop()
    with served(tmp_path, "--port", str(port)) as running:
        assert Browser(running, cookie).ask("GET", "/", SAME).status == 401


@requirement("S1")
def test_a_token_that_others_may_read_is_no_token(own_server: Served) -> None:
    path = own_server.directory / "token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    browser = _entered(own_server)
    for mode in (0o640, 0o604, 0o666):
        path.chmod(mode)
        assert own_server.status("GET", "/api/v1/balance") == 401
        assert browser.ask("GET", "/", SAME).status == 401
    path.chmod(0o600)
    assert own_server.status("GET", "/api/v1/balance") == 200
    kept = path.read_bytes()
    path.unlink()
    assert exchange(own_server.port, _with(own_server, kept)).status == 401
    path.touch(0o600)
    assert exchange(own_server.port, _with(own_server, kept)).status == 401
    assert exchange(own_server.port, _with(own_server, b"")).status == 401


def _with(server: Served, token: bytes) -> bytes:
    bearer = f"Bearer {token.decode().strip()}"
    headers = {"Host": f"127.0.0.1:{server.port}", "Authorization": bearer}
    return spelt("GET", "/api/v1/balance", headers)


@requirement("S1")
def test_behind_tls_the_cookie_is_for_this_host_and_https_only(tmp_path: Path) -> None:
    with served(tmp_path, "--behind-proxy", "tokens.example.org") as running:
        headers = [("Host", "tokens.example.org"), ("Authorization", f"Bearer {running.token}")]
        asked = spelt("POST", "/api/v1/login-codes", headers)
        code = exchange(running.port, asked).json["code"]
        own = [headers[0], ("Origin", "https://tokens.example.org")]
        data = f'{{"code":"{code}"}}'.encode()
        for wrong in ("http://tokens.example.org", "https://tokens.example.org:8090"):
            foreign = [headers[0], ("Origin", wrong)]
            assert exchange(running.port, spelt("POST", "/login", foreign, data)).status == 403
        reply = exchange(running.port, spelt("POST", "/login", own, data))
        cookie = reply.header("set-cookie") or ""
        assert cookie.startswith(f"__Host-econome-{running.port}=")
        assert cookie.endswith("; Path=/; HttpOnly; SameSite=Strict; Secure")


@requirement("S1")
def test_a_person_without_a_session_is_told_what_to_do(shared_server: Served) -> None:
    for path in ("/", "/nowhere"):
        reply = Browser(shared_server).ask("GET", path, ("Accept", "text/html,*/*"))
        assert (reply.status, reply.header("www-authenticate")) == (401, "Bearer")
        assert reply.header("content-type") == "text/html; charset=utf-8"
        assert b"econome open" in reply.body


PAGES = (
    *("/", "/usage", "/session/x", "/savings", "/servers", "/diagnosis", "/manual/usage"),
    *("/usage/figures/none.csv", "/login", "/static/login.js", "/static/page.js"),
    *("/static/htmx.min.js", "/static/econome.css", "/static/page.css"),
)


@requirement("S1")
@pytest.mark.parametrize("path", PAGES)
def test_a_page_runs_our_own_scripts_only_and_stands_in_no_frame(
    browser: Browser, path: str
) -> None:
    reply = browser.ask("GET", path, SAME)
    policy = {
        name: rest
        for name, _, rest in (
            part.strip().partition(" ")
            for part in (reply.header("content-security-policy") or "").split(";")
        )
    }
    assert {name: policy.get(name) for name in ("default-src", "script-src", "style-src")} == {
        "default-src": "'none'", "script-src": "'self'", "style-src": "'self'",
    }  # fmt: skip
    assert (policy["connect-src"], policy["frame-ancestors"]) == ("'self'", "'none'")
    assert reply.header("x-content-type-options") == "nosniff"
    assert reply.header("referrer-policy") == "no-referrer"
    assert reply.header("cache-control") == "no-store"


@requirement("S1")
def test_a_page_holds_no_script_of_its_own_and_loads_nothing_from_elsewhere(
    browser: Browser,
) -> None:
    for path in PAGES:
        page = browser.ask("GET", path, SAME).body.decode()
        if not page.startswith("<!doctype html>"):
            continue
        loaded = re.findall(r'(?:src|<link[^>]* href)="([^"]*)"', page)
        assert loaded
        assert [source for source in loaded if not source.startswith("/static/")] == []
        assert [source for source in loaded if browser.ask("GET", source).status != 200] == []
        led = re.findall(r'href="([^"]*)"', page)
        assert [place for place in led if not re.match(r"/(?!/)|#|https://", place)] == []
        assert re.search(r"<script>|<style|\son\w+=|\sstyle=|hx-on|javascript:", page) is None


@requirement("S1")
def test_a_code_lasts_a_minute_and_a_session_twelve_hours() -> None:
    now = 0.0
    logins = Logins(lambda: now)
    code, late = logins.new_code(), logins.new_code()
    now = CODE_SECONDS - 0.001
    session = logins.redeem(code)
    assert session is not None
    now = CODE_SECONDS
    assert logins.redeem(late) is None
    assert logins.knows(session)
    now = CODE_SECONDS - 0.001 + SESSION_SECONDS - 0.001
    assert logins.knows(session)
    now = CODE_SECONDS + SESSION_SECONDS
    assert not logins.knows(session)


@requirement("S1")
def test_nothing_lasts_a_moment_longer_than_it_may() -> None:
    now = 0
    logins = Logins(lambda: now)
    session, code = logins.redeem(logins.new_code()) or "", logins.new_code()
    now = SESSION_SECONDS
    assert not logins.knows(session)
    assert logins.redeem(code) is None


@requirement("S1")
def test_codes_and_sessions_are_few_and_the_oldest_go_first() -> None:
    logins = Logins(lambda: 0.0)
    codes = [logins.new_code() for _ in range(CODES + 1)]
    assert [logins.redeem(code) is not None for code in codes] == [False] + [True] * CODES
    sessions = [logins.redeem(logins.new_code()) or "" for _ in range(SESSIONS + 1)]
    assert [logins.knows(session) for session in sessions] == [False] + [True] * SESSIONS


@requirement("S1")
def test_the_directory_of_a_new_token_is_its_owner_s_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with served(tmp_path / "new" / "place") as running:
            modes = {
                str(path.relative_to(tmp_path)): stat.S_IMODE(path.stat().st_mode)
                for path in (running.directory, running.directory / "token", running.ledger)
            }
    finally:
        os.umask(before)
    assert modes == {
        "new/place": 0o700,
        "new/place/token": 0o600,
        "new/place/logs/mcp/economies.jsonl": 0o600,
    }
