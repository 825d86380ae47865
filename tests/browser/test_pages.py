"""Every page in a real browser: whole, in both languages, at every width, by keyboard, for everyone, with nobody's name obeyed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from econome.server.screens.state import address_of
from tests.browser.hostile import NAMES, PROOF
from tests.requirements import requirement

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Looker

PATHS = (
    "/usage?days=all",
    "/session/hostile-0",
    "/session/hostile-8",
    "/session/nobody",
    "/savings?days=all",
    "/savings/events",
    "/servers",
    address_of("servers", NAMES[1]),
    "/diagnosis?days=all",
    "/manual",
    "/manual/usage",
    "/manual/nothing",
    "/usage?days=wrong",
)
_OPEN_ALL = "() => document.querySelectorAll('details').forEach((one) => { one.open = true; })"
_POINTER_ONLY = """() => [...document.querySelectorAll('.figure')].flatMap((figure) => {
  const reached = new Set([...figure.querySelectorAll('td a, th a')].map((link) => link.getAttribute('href')));
  const drawn = [...figure.querySelectorAll('.drawn a')].map((link) => link.getAttribute('href'));
  return drawn.filter((address) => !reached.has(address));
})"""
"""Where a mark of a drawing leads and the table of the same facts does not, which alone is reached by keyboard."""
_SERIOUS = {"serious", "critical"}


def _wide(page: Page) -> int:
    """Return how far the page can be scrolled sideways."""
    width: int = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return width


def _violations(page: Page, *rules: str) -> list[tuple[str, str]]:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    options = {"runOnly": list(rules)} if rules else None
    found: dict[str, Any] = axe.Axe().run(page, options=options).response
    return [
        (broken["id"], node["html"][:200])
        for broken in found["violations"]
        if broken["impact"] in _SERIOUS
        for node in broken["nodes"][:3]
    ]


@pytest.mark.parametrize("locale, language", [("en-GB", "en"), ("fr-FR", "fr")])
def test_every_page_opens_in_both_languages_without_an_error_and_asks_nobody_else(
    look: Looker, locale: str, language: str
) -> None:
    looked = look(locale=locale)
    for path in PATHS:
        page = looked.open(path)
        assert page.locator("html").get_attribute("lang") == language, path
        assert page.locator("h1").count() == 1, path
        assert page.title().endswith(" · econome"), path
        # A page that is not there is told as 404 or 400, which the console calls an error.
        errors = [
            error for error in looked.errors if "the server responded with a status" not in error
        ]
        assert (errors, looked.strange) == ([], []), path


@requirement("S1")
def test_no_name_of_anybody_becomes_a_part_of_a_page(look: Looker) -> None:
    looked = look()
    sessions = [f"/session/hostile-{at}" for at in range(len(NAMES))]
    for path in (
        *PATHS,
        *sessions,
        "/usage?days=all&q=hostile",
        "/savings/events?client=%3Cscript%3E",
    ):
        page = looked.open(path)
        assert page.locator(f"[{PROOF}]").count() == 0, path
        assert page.locator("script:not([src])").count() == 0, path
        assert page.locator("[style], [onload], [onerror], [onmouseover]").count() == 0, path
        assert page.locator('a[href^="javascript"]').count() == 0, path
        assert "\u202e" not in page.content(), path


@pytest.mark.parametrize("scheme, rules", [("light", ()), ("dark", ("color-contrast",))])
def test_nothing_keeps_anybody_from_using_a_page(
    look: Looker, scheme: str, rules: tuple[str, ...]
) -> None:
    looked = look(scheme=scheme)
    for path in PATHS:
        page = looked.open(path)
        page.evaluate(_OPEN_ALL)
        assert _violations(page, *rules) == [], path
        assert page.evaluate(_POINTER_ONLY) == [], path


@pytest.mark.parametrize(
    "width, scale", [(390, 1), (640, 2), (1920, 1)], ids=["phone", "zoom of 200 %", "wide"]
)
def test_no_page_is_wider_than_its_window(look: Looker, width: int, scale: int) -> None:
    looked = look(width, device_scale_factor=scale)
    for path in PATHS:
        page = looked.open(path)
        page.evaluate(_OPEN_ALL)
        assert _wide(page) <= 0, path


def test_pages_are_reached_and_used_without_scripts(look: Looker, chromium: Any, site: Any) -> None:
    window = chromium.new_context(java_script_enabled=False)
    try:
        inside = look().page.context.cookies()
        window.add_cookies(inside)
        page = window.new_page()
        page.goto(f"{site.url}/usage?days=all")
        page.get_by_role("link", name="7 days").click()
        assert "days=7" in page.url
        page.goto(f"{site.url}/usage?days=all&q=hostile-3")
        assert page.locator("#sessions").get_by_text("hostile-3").count() > 0
        page.get_by_role("link", name="The manual of this page").click()
        assert page.url == f"{site.url}/manual/usage"
        assert page.locator("h1").count() == 1
    finally:
        window.close()


def test_the_language_that_was_chosen_is_kept(look: Looker) -> None:
    page = look(locale="en-GB").open("/savings")
    page.get_by_role("link", name="Français").click()
    assert page.locator("html").get_attribute("lang") == "fr"
    page.goto(page.url.partition("/savings")[0] + "/usage")
    assert page.locator("html").get_attribute("lang") == "fr"
    page.get_by_role("link", name="English").click()
    assert page.locator("html").get_attribute("lang") == "en"
