"""What stands around every screen: values in its texts are harmless, an error is told in the reader's language, parts are parts."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import pytest

from econome import settings
from econome.server import frame
from econome.server.desk import Desk
from econome.server.showing import MAKERS, Asking, Showing
from econome.server.telling import LANGUAGES, telling
from tests.browser.hostile import NAMES
from tests.builders import Tree, assistant
from tests.requirements import requirement

_MUST: Final = {
    "allowEval": False,
    "includeIndicatorStyles": False,
    "selfRequestsOnly": True,
    "allowScriptTags": False,
}


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    """Return a desk whose user has one session."""
    Tree(home / "claude").main("s1", assistant())
    made = Desk(settings.load())
    yield made
    made.close()


def _body(desk: Desk, name: str, *pairs: tuple[str, str], language: str = "en", part: str = "") -> str:  # fmt: skip
    return Showing(desk).show(Asking(name, "", pairs, language, part)).body.decode()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_value_in_a_text_of_a_template_is_text(language: str, name: str) -> None:
    environment = frame._environment(language)
    for source in ("{{ _('%(x)s', x=x) }}", "{{ ngettext('%(x)s', '%(x)s', 2, x=x) }}", "{{ x }}"):
        drawn = environment.from_string(source).render(x=name)
        assert not re.search(r"[<>\"'\u202e]", drawn), source


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_error_is_told_in_the_language_of_the_page_and_its_own_words_are_marked(
    desk: Desk, language: str
) -> None:
    text = telling(language).text
    page = _body(desk, "usage", ("days", "wrong"), language=language)
    assert text("The address of this page asks for something that cannot be shown.") in page
    assert re.search(r'<bdi lang="en">[^<]*wrong', page)
    assert f'<a href="/usage">{text("Show the page anew")}</a>' in page
    desk.settings.timezone = "Mars/Base"
    page = _body(desk, "usage", ("days", "7"), language=language)
    assert text("The settings name a time zone that nobody knows.") in page
    assert '<a href="/usage?days=7">' in page


def test_a_figure_is_a_part_of_its_page_and_what_is_none_brings_all_of_it(desk: Desk) -> None:
    for part in ("daily", "fanout", "projects"):
        drawn = _body(desk, "usage", ("days", "all"), part=part).strip()
        assert drawn.startswith(f'<section class="figure" id="{part}"')
        assert drawn.endswith("</section>")
    assert "</html>" in _body(desk, "usage", ("days", "all"), part="nothing")


def test_htmx_runs_no_text_as_a_program_writes_no_style_and_asks_nobody_else(desk: Desk) -> None:
    source = (files("econome.server") / "static" / "htmx.min.js").read_text("utf-8")
    for name in MAKERS:
        (config,) = re.findall(r"<meta name=\"htmx-config\" content='([^']*)'>", _body(desk, name))
        said = json.loads(config)
        assert {key: said[key] for key in _MUST} == _MUST, name
        assert all(f"{key}:" in source for key in said), "htmx knows no such setting"


@requirement("V8")
def test_another_order_of_the_sessions_is_of_the_same_period_filters_and_search(desk: Desk) -> None:
    asked = (("days", "all"), ("source", "claude"), ("hide", "x"), ("q", "s"))
    page = _body(desk, "usage", *asked)
    links = re.findall(r'<a href="([^"]*)" id="sessions-by-', page)
    assert len(links) == 8
    for link in links:
        pairs = parse_qsl(urlsplit(unescape(link)).query)
        assert sorted(pairs[:-2]) == sorted(asked)
        assert [name for name, _ in pairs[-2:]] == ["sort", "order"]


@requirement("V10")
def test_pages_of_what_grows_hear_of_it_also_before_there_is_anything(
    desk: Desk, home: Path
) -> None:
    def live(name: str) -> bool:
        page = _body(desk, name)
        assert ('src="/static/live.js"' in page) == ('data-live="/api/v1/live"' in page)
        return 'data-live="/api/v1/live"' in page

    assert all(map(live, ("usage", "savings")))
    shutil.rmtree(home / "claude" / "projects")
    assert live("usage")
