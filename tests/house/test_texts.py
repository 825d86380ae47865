"""The catalogue of the interface's texts: everything that a page can show is there, whole, and compiled."""

from __future__ import annotations

import io
import re
import string
from gettext import GNUTranslations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.manual.pages import NAMES, source
from tools import make_texts
from tools.make_texts import CATALOGUE, Ids, compiled, extracted, flaws, merged, read, written

_ODD = re.compile(r"['\"]| [;:!?»%]|[^\W\d_][;!?»]|\w:(?![\d/])|«(?!\u00a0)")
"""What French does not write: straight quotes, and marks that stand close or behind a space where a line may break."""


def _bare(text: str) -> str:
    """Return a text without what is typed as it is, places for values and links."""
    return re.sub(r"`[^`]*`|\{\w*\}|%\(\w+\)s|\]\([^)]*\)", "x", text)


_words = st.text(
    st.sampled_from(string.ascii_letters + 'é «»’"\\\n\t {}%'), min_size=1, max_size=20
)
_ids = st.tuples(_words) | st.tuples(_words, _words)


def _said(ids: Ids) -> st.SearchStrategy[Ids]:
    return st.tuples(*([_words] * len(ids)))


_texts = st.lists(_ids, unique_by=lambda ids: ids[0], max_size=6).flatmap(
    lambda all_ids: st.fixed_dictionaries({ids: _said(ids) for ids in all_ids})
)


def test_every_text_of_the_pages_is_in_the_catalogue_and_nothing_else() -> None:
    assert len(extracted()) > 300
    assert flaws(read(CATALOGUE), extracted()) == []


def test_the_catalogue_is_compiled_and_written_as_the_tool_does_it() -> None:
    assert make_texts.is_current()
    assert CATALOGUE.with_suffix(".mo").read_bytes() == compiled(read(CATALOGUE))


def test_no_text_is_asked_for_by_anything_but_a_literal() -> None:
    assert make_texts.dynamic() == []


def test_the_catalogue_names_no_person_no_machine_and_no_day() -> None:
    text = CATALOGUE.read_text(encoding="utf-8")
    head = text[: text.index("\n\n")]
    assert re.search(r"@|\d{4}-\d|Date|Translator|Team|Generated", head) is None


@pytest.mark.parametrize(
    "text", ["l'un", "a ;", "a;", "oui?", "«a\u00a0»", "b :", "b:", "100 %", '"a"']
)
def test_what_french_does_not_write_is_found(text: str) -> None:
    assert _ODD.search(text)


def test_the_texts_of_french_are_set_as_french_is() -> None:
    told = [_bare(one) for said in read(CATALOGUE).values() for one in said]
    assert [one for one in told if _ODD.search(one)] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_manual_in_french_is_set_as_french_is(name: str) -> None:
    text = re.sub(r"^```.*?^```", "", source(name, "fr"), flags=re.DOTALL | re.MULTILINE)
    lines = [_bare(line) for line in text.splitlines() if not line.startswith("| ---")]
    assert [line for line in lines if _ODD.search(line)] == []


@given(_texts)
def test_a_catalogue_is_read_as_it_was_written(texts: dict[Ids, Ids]) -> None:
    path = io.BytesIO(written(texts).encode())
    assert make_texts.parsed(path) == texts


@given(_texts)
def test_what_is_compiled_is_what_gettext_says(texts: dict[Ids, Ids]) -> None:
    told = GNUTranslations(io.BytesIO(compiled(texts)))
    for ids, said in texts.items():
        if len(ids) == 1:
            assert told.gettext(ids[0]) == said[0]
        else:
            one, many = ids
            found = [told.ngettext(one, many, count) for count in (0, 1, 2, 1_000_000)]
            assert found == [said[0], said[0], said[1], said[1]]


WANTED: set[Ids] = {("a {x}",), ("{count} b", "{count} bs")}
WHOLE: dict[Ids, Ids] = {
    ("a {x}",): ("A {x}",),
    ("{count} b", "{count} bs"): ("{count} B", "{count} Bs"),
}


@pytest.mark.parametrize(
    "texts, found",
    [
        (WHOLE, []),
        ({}, ["not in the catalogue: a {x}", "not in the catalogue: {count} b"]),
        (WHOLE | {("a {x}",): ()}, ["not translated: a {x}"]),
        (WHOLE | {("c",): ("C",)}, ["no longer said: c"]),
        (WHOLE | {("a {x}",): ("A {y}",)}, ["has other places for values: a {x}"]),
        (
            WHOLE | {("{count} b", "{count} bs"): ("un B", "{count} Bs")},
            ["has other places for values: {count} b"],
        ),
        (WHOLE | {("a {x}",): ("A {x}", "B {x}")}, ["has 2 forms: a {x}"]),
    ],
)
def test_each_flaw_of_a_catalogue_is_named(texts: dict[Ids, Ids], found: list[str]) -> None:
    assert sorted(flaws(texts, WANTED)) == sorted(found)


def test_other_catalogues_fill_in_what_is_missing_and_change_nothing() -> None:
    known: dict[Ids, Ids] = {("a",): ("A",), ("b",): (), ("old",): ("Old",)}
    other: dict[Ids, Ids] = {("a",): ("other",), ("b",): ("B",), ("new",): ("New",)}
    assert merged(known, [other], {("a",), ("b",), ("c",)}) == {
        ("a",): ("A",),
        ("b",): ("B",),
        ("c",): (),
    }
