"""What a request consumed is the sum of all that was asked for it, and an estimate in it marks the whole (D5)."""

from __future__ import annotations

import pytest

from econome.delegation.ports import Prompt, Written
from econome.delegation.work import Tally
from tests.requirements import requirement

pytestmark = requirement("D5")

PROMPT = Prompt("1234", "12345678")
"""Three tokens, by estimate."""


def _counts(tally: Tally) -> tuple[int | None, int | None, bool]:
    return tally.tokens_in, tally.tokens_out, tally.estimated


@pytest.mark.parametrize("estimated", [(True, False), (False, True), (False, False)])
def test_two_attempts_are_summed_and_an_estimate_of_either_marks_both(
    estimated: tuple[bool, bool],
) -> None:
    tally = Tally()
    for each in estimated:
        tally.begin(PROMPT)
        tally.progress(2)
        tally.add(Written("", "m", 10, 2, estimated=each))
    assert _counts(tally) == (20, 4, any(estimated))


@pytest.mark.parametrize("pieces, counts", [(0, (10, 2, False)), (5, (13, 7, True))])
def test_a_second_attempt_that_is_stopped_leaves_the_first_in_the_sum(
    pieces: int, counts: tuple[int, int, bool]
) -> None:
    tally = Tally()
    tally.begin(PROMPT)
    tally.progress(2)
    tally.add(Written("", "m", 10, 2))
    tally.begin(PROMPT)
    tally.progress(pieces)
    assert _counts(tally) == counts


def test_where_no_model_answered_nothing_is_counted() -> None:
    tally = Tally()
    assert _counts(tally) == (None, None, False)
    tally.begin(PROMPT)
    assert _counts(tally) == (None, None, False)
