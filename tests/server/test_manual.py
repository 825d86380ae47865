"""The manual: the same pages beside a screen, on their own and as files from disk, in both languages; its links all lead somewhere."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from posixpath import join, normpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome import settings
from econome.manual.pages import FIRST, LANGUAGES, NAMES, source
from econome.manual.rendering import anchor, rendered
from econome.server.desk import Desk
from econome.server.showing import MAKERS, Asking, Showing, Shown
from tests.requirements import requirement
from tools import make_manual

PAGES = [(name, language) for name in NAMES for language in LANGUAGES]
_VOID = {"meta", "link", "br", "hr", "img", "input"}


class _Page(HTMLParser):
    """A page's elements, the text of its article, and the ids and links in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.article = ""
        self.ids: list[str] = []
        self.links: list[str] = []
        self._within = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        self._within = self._within or tag == "article"
        if self._within:
            self.ids += [given["id"] or ""] if "id" in given else []
            self.links += [given["href"] or ""] if tag == "a" else []

    def handle_endtag(self, tag: str) -> None:
        self._within = self._within and tag != "article"

    def handle_data(self, data: str) -> None:
        if self._within:
            self.article += data

    def addresses(self) -> list[str]:
        """Return whatever the page leads to or loads."""
        return [
            address
            for _, given in self.tags
            for name in ("href", "src", "action", "srcset", "data")
            if (address := given.get(name))
        ]


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    made = Desk(settings.load())
    yield made
    made.close()


def _show(desk: Desk, rest: str, language: str, part: str = "") -> Shown:
    return Showing(desk).show(Asking("manual", rest, (), language, part))


def _page(desk: Desk, rest: str, language: str, part: str = "") -> _Page:
    shown = _show(desk, rest, language, part)
    assert shown.status == 200
    return _Page(shown.body.decode())


@requirement("V11")
@pytest.mark.parametrize("name, language", PAGES)
def test_the_sheet_the_page_and_the_file_have_one_text(
    desk: Desk, name: str, language: str
) -> None:
    sheet = _page(desk, name, language, "sheet-text")
    file = _Page(make_manual.page(name, language))
    assert len(sheet.article) > 600
    assert sheet.article == _page(desk, name, language).article == file.article
    assert [tag for tag, _ in sheet.tags if tag in ("html", "nav")] == []


@requirement("V11")
@pytest.mark.parametrize("name", sorted(MAKERS))
def test_every_screen_leads_to_its_page(desk: Desk, name: str) -> None:
    shown = Showing(desk).show(Asking(name, "", (), "en"))
    page = _Page(shown.body.decode())
    (link,) = [given for tag, given in page.tags if given.get("id") == "help"]
    wanted = FIRST if name == "manual" else name
    assert link["href"] == f"/manual/{wanted}"
    assert _show(desk, wanted, "en", "sheet-text").status == 200


def test_the_manual_begins_with_the_page_that_leads_to_all_others(desk: Desk) -> None:
    for language in LANGUAGES:
        first = _page(desk, "", language)
        assert first.article == _page(desk, FIRST, language).article
        assert {f"/manual/{name}" for name in NAMES} - {*first.links, f"/manual/{FIRST}"} == set()


@pytest.mark.parametrize("rest", ["nothing", "usage/more", "../usage", "Usage", "usage.md", "%s"])
def test_a_page_that_there_is_not_is_refused_in_words(desk: Desk, rest: str) -> None:
    for part in ("", "sheet-text"):
        shown = _show(desk, rest, "en", part)
        assert shown.status == 404
        assert b"The manual has no page of this name" in shown.body


@pytest.mark.parametrize("name, language", PAGES)
def test_every_link_of_a_page_leads_to_a_section_that_there_is(name: str, language: str) -> None:
    ids = {f"{one}.html": _Page(make_manual.page(one, language)).ids for one in NAMES}
    page = _Page(make_manual.page(name, language))
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        if link.startswith("https://"):
            continue
        to, _, section = link.partition("#")
        assert section in {"", *ids[to or f"{name}.html"]}, link


@pytest.mark.parametrize("place", sorted(make_manual.written()))
def test_the_files_open_from_disk_and_lead_to_each_other(place: str) -> None:
    files = make_manual.written()
    if place == make_manual.STYLE:
        assert "url(" not in files[place]
        assert "@import" not in files[place]
        return
    page = _Page(files[place])
    assert [tag for tag, _ in page.tags if tag in ("script", "iframe", "object", "base")] == []
    for address in page.addresses():
        if not address.startswith("https://"):
            to = address.partition("#")[0]
            assert not to.startswith("/")
            assert not to or normpath(join(place, "..", to)) in files, address
    language, _, name = place.rpartition("/")
    others = [f"../{other}/{name}" for other in LANGUAGES if other != language]
    assert not language or set(others) <= set(page.addresses())


def test_the_pages_of_both_languages_have_the_same_sections_tables_and_links() -> None:
    for name in NAMES:
        counts = []
        for language in LANGUAGES:
            page = _Page(make_manual.page(name, language))
            shape = [
                tag for tag, _ in page.tags if tag in ("h1", "h2", "h3", "table", "tr", "li", "pre")
            ]
            counts.append((shape, [link.partition("#")[0] for link in page.links]))
        assert counts[0] == counts[1], name


def test_no_page_is_longer_than_what_one_reads_at_a_stretch() -> None:
    assert [page for page in PAGES if source(*page).count("\n") > 150] == []


HARM = (
    "# A\n\n<script>alert(1)</script>",
    '# A\n\n<b onclick="x()">b</b>',
    "# A\n\n![x](usage.md)",
)


@pytest.mark.parametrize("text", HARM)
def test_markup_in_a_page_stays_text(text: str) -> None:
    page = _Page(f"<article>{rendered(text, str).html}</article>")
    assert {tag for tag, _ in page.tags} <= {"article", "h1", "p", "a"}


@pytest.mark.parametrize(
    "href", ["javascript:x", "http://a.example", "/usage", "usage.html", "//a", "data:x"]
)
def test_a_link_elsewhere_is_refused(href: str) -> None:
    try:
        article = rendered(f"# A\n\n[x]({href})", str)
    except ValueError:
        return
    assert "<a" not in article.html


@pytest.mark.parametrize("text", ["", "no title", "# A\n\n## B\n\n## B"])
def test_a_page_without_a_title_or_with_two_alike_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="begins with its title"):
        rendered(text, str)


def test_a_section_is_reached_by_the_name_that_its_link_has_in_the_source() -> None:
    made = rendered(
        "# A\n\n[x](usage.md#coût-par-jour), [y](#b-c)\n\n## B `c`", lambda name: f"{name}!"
    )
    page = _Page(f"<article>{made.html}</article>")
    assert page.links == ["usage!#on-co%C3%BBt-par-jour", "#on-b-c"]
    assert made.sections == (("on-b-c", "B c"),)


@given(st.text(max_size=60))
def test_an_anchor_is_one_word(title: str) -> None:
    assert " " not in anchor(title)
