"""What the largest answer of a tool is estimated at: never less than it must be, and never more than a cap."""

from __future__ import annotations

import pytest

from econome.contract.static import fields_profile, server_advice, static_class
from tests.contract.shaped import TEXT, Schema, answering, record, rows
from tests.requirements import requirement

_NAMES = ("id", "name", "email", "address")


@requirement("L14")
@pytest.mark.parametrize(
    ("schema", "limit", "tokens"),
    [
        ({"type": "object", "additionalProperties": rows(TEXT)}, None, (20, 600)),
        (rows(TEXT), None, (20, 600)),
        (rows(TEXT), 50, (20, 350)),
        (rows(record(11), maxItems=0), None, (97, 97)),
        (rows(record(11), maxItems=1), None, (97, 127)),
        (record(11, none=rows(record(3), maxItems=0)), None, (118, 118)),
    ],
)
def test_an_answer_is_never_estimated_at_less_than_a_record_or_a_value_a_row(
    schema: Schema, limit: int | None, tokens: tuple[int, int]
) -> None:
    one = static_class(answering(schema), limit=limit)
    assert (one.min_tokens, one.max_tokens) == tokens


@requirement("L14", "LC17")
def test_no_estimate_is_above_a_cap_and_what_is_assumed_of_rows_is_no_bound() -> None:
    tiny = static_class(answering(rows(record(11))), max_bytes=35)
    assert (tiny.min_tokens, tiny.max_tokens) == (10, 10)
    large = static_class(answering(rows(record(11))), max_bytes=70_000)
    assert (large.min_tokens, large.max_tokens) == (97, 20_000)
    least, most = (fields_profile(_NAMES, None, cap) for cap in (35, 70_000))
    assert (least.min_tokens, least.max_tokens) == (10, 10)
    assert (most.min_tokens, most.max_tokens) == (50, 20_000)
    assert fields_profile([]).max_tokens == 600


@requirement("L14")
def test_a_bound_that_holds_nothing_back_is_a_bound_by_rule_and_is_told_and_advised_on() -> None:
    page = record(0, few=rows(TEXT, maxItems=3), all=rows(record(11), maxItems=10**9))
    one = static_class(answering(page))
    said = "set a lower limit: 1,000,000,000 of /all would be about 84,000,000,050 tokens"
    assert (one.name, one.bounded, one.advice) == ("low", True, (said,))
    assert one.reason == (
        "a list of records at /all with 12 fields, at most 1,000,000,000 of them, and 1 more with a bound"
    )
    worse = static_class(answering(rows(record(2))))
    assert server_advice({"all": one, "few": worse})[-1] == f"[all] {said}"
    assert static_class(answering(page), limit=50).advice == ()
