"""A page that is left open: what changed on disk comes into it, and what its reader has open, focused, selected or typed stays."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import Look
from tests.builders import Tree, assistant, line
from tests.requirements import requirement
from tools.served import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NUMBERS = count()
_COUNT = "document.querySelectorAll('.tiles .tile dd')[1].textContent.trim()"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a server on one session, which the tests go on writing."""
    home = tmp_path_factory.mktemp("live")
    tree = Tree(home / "claude")
    tree.main("s1", *(assistant(f"a{at}") for at in range(3)))
    tree.agent("s1", "x", assistant("b", attributionAgent="Explore"))
    with serving(home) as running:
        yield running


@pytest.fixture
def page(chromium: Browser, site: Served) -> Iterator[Page]:
    """Return a window on that session."""
    window = chromium.new_context(locale="en-GB", viewport={"width": 1280, "height": 700})
    page = window.new_page()
    page.goto(site.link())
    page.wait_for_url(f"{site.url}/")
    yield Look(page, site.url).open("/session/s1")
    window.close()


def _append(site: Served) -> None:
    place = next(site.home.rglob("s1.jsonl"))
    with place.open("ab") as file:
        file.write(line({**assistant(f"n{next(_NUMBERS)}"), "sessionId": "s1"}) + b"\n")


def _shown(page: Page) -> int:
    return int(page.evaluate(_COUNT))


def _await_shown(page: Page, count: int) -> None:
    page.wait_for_function(f"wanted => {_COUNT} === wanted", arg=str(count))


@requirement("V10")
def test_new_lines_come_in_and_nothing_of_the_reader_is_lost(page: Page, site: Served) -> None:
    shown = _shown(page)
    page.locator("#models summary").focus()
    page.keyboard.press("Enter")
    page.locator("#listed > summary").click()
    page.evaluate("scrollTo(0, 900)")
    page.locator("#models summary").evaluate("it => it.focus({preventScroll: true})")
    seen = "[scrollY, document.activeElement.closest('.figure').id]"
    before = page.evaluate(seen)
    _append(site)
    _await_shown(page, shown + 1)
    assert page.evaluate(seen) == before
    assert page.locator("#models details[open], #listed[open]").count() == 2


@requirement("V10")
def test_a_selection_waits_and_the_switch_stops(page: Page, site: Served) -> None:
    shown = _shown(page)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))")
    with page.expect_event("console", lambda said: said.text == "heard"):
        page.evaluate(
            "stream.addEventListener('changed', () => setTimeout(() => console.log('heard'), 500))"
        )
        _append(site)
    assert _shown(page) == shown
    page.evaluate("getSelection().removeAllRanges()")
    _await_shown(page, shown + 1)
    live = page.get_by_role("button", name="Live")
    live.click()
    assert live.get_attribute("aria-pressed") == "false"
    assert page.evaluate("stream") is None
    _append(site)
    assert _shown(page) == shown + 1
    live.click()
    _await_shown(page, shown + 2)


@requirement("S1", "V10")
def test_a_session_that_ended_is_said_and_asks_no_more(page: Page, site: Served) -> None:
    subprocess.run(
        (sys.executable, "-m", "econome", "token", "rotate"),
        env=site.environment, capture_output=True, check=True,
    )  # fmt: skip
    page.wait_for_function("() => document.querySelector('#live').disabled")
    assert "Your session has ended" in page.locator("#live-note").inner_text()
    assert page.evaluate("stream") is None
