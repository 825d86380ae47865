"""An object of many objects alike is a collection: its entries are rows, cut as rows are and read on by their keys."""

from __future__ import annotations

from itertools import count as numbers
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from econome.lean.answers import shape
from econome.lean.exact import compact, same
from econome.lean.forms import decode
from econome.lean.heads import is_collection
from econome.lean.kept import Kept
from econome.lean.limits import capped, limited
from econome.lean.policies import policy_of
from econome.lean.selecting import narrowed
from econome.lean.treatment import AnswerRule, Shaped
from econome.tokenizers import tokenizer
from tests.lean.values import documents
from tests.requirements import requirement

pytestmark = requirement("L6", "L9")

count = tokenizer().count
STAFF = {f"user-{at}": {"name": f"name {at}", "age": at, "team": "core"} for at in range(60)}


def _first(value: dict[str, Any], number: int) -> dict[str, Any]:
    return dict(list(value.items())[:number])


def _shape(value: Any, rule: AnswerRule, keep: Kept | None = None) -> Shaped:
    result = {"content": [{"type": "text", "text": "x"}], "structuredContent": value}
    return shape(result, rule=rule, policy=policy_of("claude-code"), count=count, keep=keep)


@given(st.integers(1, 70))
def test_a_limit_shows_the_first_entries(limit: int) -> None:
    value, cuts = limited({"total": 60, "staff": STAFF}, limit)
    assert same(value, {"total": 60, "staff": _first(STAFF, limit)})
    assert [(cut.place, cut.total, cut.shown) for cut in cuts] == (
        [(("staff",), 60, limit)] if limit < 60 else []
    )


@given(st.dictionaries(st.text(max_size=5), documents, max_size=30), st.integers(2, 900))
def test_a_cap_keeps_whole_entries_from_the_first_on(others: Any, max_bytes: int) -> None:
    value, cuts = capped(STAFF, max_bytes)
    assert same(value, _first(STAFF, len(value)))
    assert len(compact(value).encode()) <= max_bytes
    assert sum(cut.hidden for cut in cuts) == 60 - len(value)
    mixed = {**others, "staff": STAFF}
    kept = capped(mixed, max_bytes)[0]
    assert [*kept] == [*mixed]
    assert same(kept["staff"], _first(STAFF, len(kept["staff"])))


def test_few_objects_or_unlike_ones_are_a_record() -> None:
    assert is_collection(STAFF)
    assert not is_collection(_first(STAFF, 11))
    assert not is_collection({f"part {at}": {f"own {at}": at} for at in range(30)})
    assert not is_collection({f"k{at}": at for at in range(30)})
    assert not is_collection({f"k{at}": {} for at in range(30)})


def test_what_is_hidden_is_said_and_read_on_with_its_keys() -> None:
    serial = numbers()
    for value, named in ((STAFF, ""), ({"total": 60, "staff": STAFF}, "staff: ")):
        kept = Kept(lambda: 0.0, lambda: f"h{next(serial)}")
        shaped = _shape(value, AnswerRule(limit=20), kept)
        assert shaped.after.startswith(f"[cut] {named}20 of 60 shown, 40 hidden.")
        page = kept.more("", {"handle": shaped.handle, "offset": 58}, count)
        rows = [{"(key)": f"user-{at}", **STAFF[f"user-{at}"]} for at in (58, 59)]
        assert same(decode(page.text.partition("\n")[2], page.form), rows)
        found = kept.more("", {"handle": shaped.handle, "filter": "(key)=user-40"}, count)
        assert same(
            decode(found.text.partition("\n")[2], found.form),
            [{"(key)": "user-40", **STAFF["user-40"]}],
        )


def test_fields_of_the_entries_can_be_selected() -> None:
    assert narrowed({"total": 60, "staff": STAFF}, ["age"]) == {
        "staff": {name: {"age": one["age"]} for name, one in STAFF.items()}
    }
