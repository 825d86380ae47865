"""A cost that several requests share is parted into whole tokens that add up to it."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.savings.shares import share
from tests.requirements import requirement

pytestmark = requirement("S7")

wholes = st.integers(0, 10**6) | st.integers(0, 2**53)
weights = st.lists(st.integers(0, 9) | st.integers(0, 2**60), min_size=1, max_size=9)


@given(wholes, weights)
def test_parts_are_whole_not_negative_and_add_up(whole: int, weights: list[int]) -> None:
    parts = share(whole, weights)
    assert sum(parts) == whole
    assert len(parts) == len(weights)
    assert all(type(part) is int and part >= 0 for part in parts)


@given(wholes, weights)
def test_no_part_is_a_token_or_more_from_its_exact_share(whole: int, weights: list[int]) -> None:
    total = sum(weights) or len(weights)
    even = weights if sum(weights) else [1] * len(weights)
    exact = [Fraction(whole * weight, total) for weight in even]
    assert all(
        abs(part - quota) < 1 for part, quota in zip(share(whole, weights), exact, strict=True)
    )


@given(wholes, weights, st.integers(1, 1000))
def test_only_the_proportion_of_the_weights_matters(
    whole: int, weights: list[int], times: int
) -> None:
    assert share(whole, [weight * times for weight in weights]) == share(whole, weights)


@given(wholes, weights)
def test_a_greater_weight_never_gets_a_smaller_part(whole: int, weights: list[int]) -> None:
    ranked = sorted(zip(weights, share(whole, weights), strict=True))
    for (light, small), (heavy, large) in pairwise(ranked):
        assert light == heavy or small <= large


@given(wholes, weights)
def test_a_weight_of_nothing_gets_nothing_where_another_has_some(
    whole: int, weights: list[int]
) -> None:
    if any(weights):
        pairs = zip(weights, share(whole, weights), strict=True)
        assert [part for weight, part in pairs if not weight and part] == []


@pytest.mark.parametrize(
    ("whole", "weights", "parts"),
    [
        (10, [1], [10]),
        (10, [0], [10]),
        (10, [1, 1, 1], [4, 3, 3]),
        (11, [1, 1, 1], [4, 4, 3]),
        (10, [0, 0, 0], [4, 3, 3]),
        (10, [0, 5, 5], [0, 5, 5]),
        (10, [2, 1], [7, 3]),  # 6.67 and 3.33: the larger remainder is the first's
        (10, [1, 2], [3, 7]),
        (5, [1, 1], [3, 2]),  # two equal remainders: the first in order
        (1, [1, 9], [0, 1]),
        (0, [3, 4], [0, 0]),
        (7, [3, 3, 1], [3, 3, 1]),
    ],
)
def test_what_is_left_goes_to_the_largest_remainder_and_the_first_of_equals(
    whole: int, weights: list[int], parts: list[int]
) -> None:
    assert share(whole, weights) == parts


def test_nothing_to_share_among_is_an_error() -> None:
    with pytest.raises(ValueError, match="share among"):
        share(3, [])
