"""The catalogue of the interface's texts: everything that a page can show is there, whole, and compiled."""

from __future__ import annotations

import io
import string
from gettext import GNUTranslations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools import make_texts
from tools.make_texts import Ids, compiled, flaws, merged, written

_words = st.text(
    st.sampled_from(string.ascii_letters + 'é «»’"\\\n\t {}%'), min_size=1, max_size=20
)
_ids = st.tuples(_words) | st.tuples(_words, _words)


def _said(ids: Ids) -> st.SearchStrategy[Ids]:
    return st.tuples(*([_words] * len(ids)))


_texts = st.lists(_ids, unique_by=lambda ids: ids[0], max_size=6).flatmap(
    lambda all_ids: st.fixed_dictionaries({ids: _said(ids) for ids in all_ids})
)


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
