"""A bag of sizes tells its percentiles exactly while it is small, and to three digits in little memory after."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from econome.contract.sizes import Sizes
from tests.requirements import requirement


@requirement("L15")
@given(st.lists(st.integers(0, 10**6), max_size=60), st.integers(1, 100), st.randoms())
def test_a_percentile_is_the_smallest_size_that_so_many_do_not_exceed(
    sizes: list[int], percent: int, dice: Any
) -> None:
    one, two = Sizes(), Sizes()
    for size in sizes:
        one.add(size)
    dice.shuffle(sizes)
    for size in sizes:
        two.add(size)
    found = one.percentile(percent)
    assert found == two.percentile(percent)
    assert (one.many, one.total, one.largest) == (len(sizes), sum(sizes), max(sizes, default=0))
    if found is None:
        assert sizes == []
        return
    assert sum(size <= found for size in sizes) * 100 >= percent * len(sizes)
    assert sum(size < found for size in sizes) * 100 < percent * len(sizes)


@requirement("L15")
def test_very_many_different_sizes_are_kept_to_three_digits() -> None:
    bag = Sizes()
    for size in range(100_000):
        bag.add(size)
    assert (bag.many, bag.total, bag.largest) == (100_000, 4_999_950_000, 99_999)
    for percent in (50, 95, 100):
        exact = percent * 1_000 - 1
        assert exact <= (bag.percentile(percent) or 0) <= exact * 1.01
    assert len(repr(bag)) < 200_000
