"""What anybody on this machine can ask for before they are let in: little of it, quickly, and nothing of it harmful."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest
from starlette.requests import Request

from econome import settings
from econome.server.desk import PENDING, Desk
from econome.server.logins import Logins
from econome.server.pages import LANGUAGE_COOKIE, Pages
from econome.server.token import TokenFile
from tests.http.process import Served
from tests.http.raw import Reply, exchange, spelt
from tests.requirements import requirement

pytestmark = requirement("S1")

PAGES = ("/", "/usage", "/nowhere", "/session/a/figures/b.svg")


def _get(server: Served, path: str, **headers: str) -> Reply:
    given = {"Host": f"127.0.0.1:{server.port}", "Accept": "text/html"}
    return exchange(server.port, spelt("GET", path, given | headers))


@pytest.mark.parametrize("path", PAGES)
def test_the_page_for_who_may_not_come_in_allows_no_more_than_the_others(
    shared_server: Served, path: str
) -> None:
    locked, login = _get(shared_server, path), _get(shared_server, "/login")
    assert (locked.status, login.status) == (401, 200)
    for name in ("content-security-policy", "referrer-policy", "cache-control"):
        assert locked.header(name) == login.header(name) is not None
    assert path == "/" or path.encode() not in locked.body


def test_a_cookie_full_of_backslashes_takes_no_longer_than_another(shared_server: Served) -> None:
    def seconds(letter: str) -> float:
        cookie = f'a=b; {LANGUAGE_COOKIE}="{letter * 60_000}"'
        begun = time.perf_counter()
        assert _get(shared_server, "/login", Cookie=cookie).status == 200
        return time.perf_counter() - begun

    seconds("a")  # the first one imports what makes pages
    plain = min(seconds("a") for _ in range(5))
    assert min(seconds("\\") for _ in range(2)) < plain * 50


@pytest.mark.parametrize(
    "cookie, language",
    [
        ("", b"en"),
        (f"{LANGUAGE_COOKIE}=fr", b"fr"),
        (f"a=b;{LANGUAGE_COOKIE}=fr ; c", b"fr"),
        (f"{LANGUAGE_COOKIE}=; {LANGUAGE_COOKIE}=fr", b"en"),
        (f"{LANGUAGE_COOKIE}=xx", b"en"),
        (f"x{LANGUAGE_COOKIE}=fr", b"en"),
    ],
)
def test_the_language_that_was_chosen_is_kept(
    shared_server: Served, cookie: str, language: bytes
) -> None:
    body = _get(shared_server, "/login", **({"Cookie": cookie} if cookie else {})).body
    assert b'<html lang="' + language + b'">' in body


def test_the_login_page_waits_for_no_other_page(home: Path) -> None:
    desk, gate = Desk(settings.load()), threading.Event()
    pages = Pages(desk, TokenFile(str(home / "token")), Logins(lambda: 0.0), "c", secure=False)
    request = Request({"type": "http", "method": "GET", "path": "/login", "query_string": b"", "headers": []})  # fmt: skip

    async def entered() -> bytes:
        busy = asyncio.ensure_future(desk.answer(gate.wait))
        answer = await pages.login(request)
        assert not busy.done()
        gate.set()
        await busy
        return bytes(answer.body)

    assert desk.later("busy", 0, gate.wait) is PENDING
    assert b"login.js" in asyncio.run(entered())
    desk.close()
