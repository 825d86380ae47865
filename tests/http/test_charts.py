"""Drawings and documents hold what they are given, in letters too, and nothing of it is obeyed."""

from __future__ import annotations

import base64
import hashlib
import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from econome.server.charts.bars import PARTS, Bar, bars, legend, patterns
from econome.server.charts.document import Head, document, table
from econome.server.charts.marks import written
from tests.requirements import requirement

pytestmark = requirement("L15")

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "\"><script>alert(1)</script>\u202e&<b x='y'>\x1b[31m"


def _read(drawing: str) -> ElementTree.Element:
    """Return a drawing as a reader that knows nothing of it sees it."""
    return ElementTree.fromstring(drawing.replace("<svg ", f'<svg xmlns="{SVG[1:-1]}" ', 1))


def _drawn(rows: list[Bar], parts: tuple[str, ...] = ("names", "schemas")) -> ElementTree.Element:
    return _read(bars(rows, parts, name="menu", title="Tokens", desc="By tool"))


def _lengths(group: ElementTree.Element) -> list[tuple[float, float]]:
    return [
        (float(piece.attrib["x"].rstrip("%")), float(piece.attrib["width"].rstrip("%")))
        for piece in group.iter(f"{SVG}rect")
        if "fill" in piece.attrib
    ]


def test_bars_are_on_one_scale_and_their_parts_follow_each_other() -> None:
    drawn = _drawn([Bar("one", (150, 50), "200"), Bar("two", (0, 100), "100")])
    one, two = drawn.findall(f"{SVG}g")
    assert _lengths(one) == [(0, 75), (75, 25)]
    assert _lengths(two) == [(0, 50)]


def test_a_drawing_says_in_words_what_it_shows() -> None:
    drawn = _drawn([Bar("one", (1500, 50), "1,550 tokens", marked=True)])
    ids = drawn.attrib["aria-labelledby"].split()
    by_id = {node.attrib["id"]: node.text for node in drawn if "id" in node.attrib}
    assert [by_id[name] for name in ids] == ["Tokens", "By tool"]
    group = drawn.find(f"{SVG}g")
    assert group is not None
    assert group.attrib == {"class": "marked"}
    assert group.findtext(f"{SVG}title") == "one: names 1,500, schemas 50"
    assert [node.text for node in group.iter(f"{SVG}text")] == ["one", "1,550 tokens"]


def test_a_bar_of_nothing_is_drawn_as_nothing() -> None:
    (group,) = _drawn([Bar("none", (0, 0), "n/a")]).findall(f"{SVG}g")
    assert (_lengths(group), group.findtext(f"{SVG}title")) == ([], "none: n/a")


def test_a_long_name_is_cut_where_it_is_drawn_and_whole_where_it_is_told() -> None:
    (group,) = _drawn([Bar("x" * 64, (1, 0), "1")]).findall(f"{SVG}g")
    assert group.findtext(f"{SVG}text") == "x" * 39 + "…"
    assert group.findtext(f"{SVG}title") == "x" * 64 + ": names 1"


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), max_size=6))
def test_no_bar_is_longer_than_the_drawing(values: list[tuple[int, int]]) -> None:
    drawn = _drawn([Bar(str(at), pair, "") for at, pair in enumerate(values)])
    for group, pair in zip(drawn.findall(f"{SVG}g"), values, strict=True):
        lengths = _lengths(group)
        assert len(lengths) == sum(value > 0 for value in pair)
        assert all(at + width <= 100.02 for at, width in lengths)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_written_is_text_and_nothing_else(text: str) -> None:
    read = ElementTree.fromstring(f'<p title="{written(text)}">{written(text)}</p>')
    shown = "".join(
        letter if letter.isprintable() or letter in "\u00a0\u202f" else "\ufffd" for letter in text
    )
    assert (read.text or "", read.attrib["title"], len(read)) == (shown, shown, 0)


def test_nothing_hostile_becomes_a_mark() -> None:
    drawing = bars(
        [Bar(HOSTILE, (1,), HOSTILE)], (HOSTILE,), name=HOSTILE, title=HOSTILE, desc=HOSTILE
    )
    body = drawing + legend([HOSTILE]) + table(HOSTILE, [Head(HOSTILE)], [[HOSTILE]])
    whole = document(HOSTILE, body, "p{}", HOSTILE)
    assert [mark for mark in ("<script", "<b ", "\u202e", "\x1b") if mark in whole] == []


def test_a_document_allows_its_own_style_and_nothing_else() -> None:
    style = "p { color: red }"
    whole = document("A report", "<p>Hello</p>", style, "econome")
    told = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', whole)
    assert found is not None
    assert found[1] == (
        f"default-src 'none'; style-src 'sha256-{told}'; base-uri 'none'; form-action 'none'"
    )
    assert [
        one for one in ("<script", "style=", "http://", "https://", "src=") if one in whole
    ] == []


def test_every_part_has_a_pattern_of_its_own() -> None:
    found = re.findall(r'<pattern id="part-(\w+)".*?</pattern>', patterns())
    assert found == [*(str(at) for at in range(PARTS)), "rest", "plain"]
    drawn = re.findall(r"<pattern.*?</pattern>", patterns())
    assert len({re.sub(r"part-\w+", "", one) for one in drawn}) == PARTS + 1


def test_a_cell_knows_its_title_for_where_there_is_no_head() -> None:
    shown = table("Tools", [Head("tool"), Head("tokens"), Head("why", "words")], [["a", "1", "b"]])
    assert '<td data-title="tokens" class="figures"><span>1</span></td>' in shown
    assert '<td data-title="why" class="words"><span>b</span></td>' in shown
