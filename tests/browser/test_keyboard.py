"""The pages by keyboard alone: the way to the content, the manual's sheet, the period, the tables, the legend, the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.requirements import requirement

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Looker

_FOCUSED = "() => document.activeElement && document.activeElement.outerHTML.slice(0, 300)"
_MOST_STEPS = 400


def _step_to(page: Page, script: str) -> None:
    """Press Tab until the focused element passes a test in JavaScript of `it`."""
    for _ in range(_MOST_STEPS):
        page.keyboard.press("Tab")
        if page.evaluate(
            f"() => {{ const it = document.activeElement; return Boolean({script}); }}"
        ):
            return
    raise AssertionError(f"not reached by Tab: {script}; last: {page.evaluate(_FOCUSED)}")


def test_the_first_step_leads_past_the_head_to_the_content(look: Looker) -> None:
    page = look().open("/usage?days=all")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").is_visible()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


@requirement("V11")
def test_a_question_mark_opens_the_manual_of_the_screen_and_escape_gives_the_focus_back(
    look: Looker,
) -> None:
    looked = look()
    for name in ("usage", "savings", "servers", "diagnosis"):
        page = looked.open(f"/{name}")
        _step_to(page, "it.closest('nav') && it.getAttribute('aria-current')")
        page.keyboard.press("?")
        page.wait_for_selector("#sheet[open] #sheet-text :is(h1, h2)")
        assert page.evaluate("document.activeElement.closest('#sheet') !== null")
        assert page.locator("#sheet:modal").count() == 1, "what is behind the sheet is reached"
        page.keyboard.press("Escape")
        page.wait_for_selector("#sheet:not([open])", state="attached")
        assert page.evaluate("Boolean(document.activeElement.closest('nav'))"), name


def test_a_question_mark_in_a_field_is_a_letter(look: Looker) -> None:
    page = look().open("/usage?days=all")
    field = page.locator("#sessions input[type=search], input[name=q]").first
    field.focus()
    page.keyboard.type("?")
    assert field.input_value().endswith("?")
    assert page.locator("#sheet[open]").count() == 0


@requirement("V4", "V8")
def test_the_period_the_legend_and_the_tables_are_worked_by_keyboard(look: Looker) -> None:
    page = look().open("/usage?days=all")
    _step_to(page, "it.closest('.period') && it.href.includes('days=90')")
    page.keyboard.press("Enter")
    page.wait_for_url("**days=90**")
    _step_to(page, "it.closest('#daily .legend')")
    name = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_url("**hide=**")
    assert page.locator("#daily .legend .off").count() == 1
    assert name.split()[-1] in page.locator("#daily .legend .off").inner_text()
    _step_to(page, "it.tagName === 'SUMMARY' && it.closest('#daily')")
    page.keyboard.press("Enter")
    assert page.locator("#daily details[open] table").is_visible()


@requirement("V8")
def test_what_the_legend_hides_stays_hidden_while_sessions_are_searched(look: Looker) -> None:
    page = look().open("/usage?days=all")
    page.locator("#daily .legend a").first.click()
    page.wait_for_url("**hide=**")
    page.locator("#sessions-by-cost_usd").click()
    page.wait_for_url("**sort=cost**")
    page.locator("input[name=q]").fill("hostile-3")
    page.wait_for_url("**q=hostile-3**")
    page.wait_for_function("() => document.querySelectorAll('#sessions tbody tr').length === 1")
    asked = page.evaluate("[...new URLSearchParams(location.search).entries()].map(it => it[0])")
    assert sorted(asked) == ["days", "hide", "order", "q", "sort"]
    page.reload()
    assert page.locator("#daily .legend .off").count() == 1
    page.locator("#daily .legend a").first.click()
    page.wait_for_function("() => !location.search.includes('hide=')")
    page.locator(".period a").first.click()
    page.wait_for_function("() => !document.querySelector('#daily .legend .off')")
    assert "q=hostile-3" in page.url


def test_every_step_shows_where_it_is(look: Looker) -> None:
    page = look().open("/savings?days=all")
    page.keyboard.press("Tab")
    for _ in range(25):
        page.keyboard.press("Tab")
        shown = page.evaluate(
            "() => { const style = getComputedStyle(document.activeElement);"
            " return document.activeElement === document.body || style.outlineStyle !== 'none'; }"
        )
        assert shown, page.evaluate(_FOCUSED)


def test_sessions_are_found_by_typing(look: Looker) -> None:
    page = look().open("/usage?days=all")
    _step_to(page, "it.matches('input[name=q]')")
    page.keyboard.type("hostile-3")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => { const rows = document.querySelectorAll('#sessions tbody tr');"
        " return rows.length === 1 && rows[0].textContent.includes('hostile-3'); }"
    )
    assert "q=hostile-3" in page.url
