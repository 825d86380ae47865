"""The queue is fair: clients by turns, their sessions by turns, first come first served within one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from econome.delegation.fair import FairQueue
from tests.requirements import requirement

pytestmark = requirement("D3")

Line = tuple[str, int]
Ones = list[tuple[Line, int]]
lines = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2)), max_size=30).map(
    lambda names: [(name, number) for number, name in enumerate(names)]
)


def _filled(ones: Ones) -> FairQueue[tuple[Line, int]]:
    queue: FairQueue[tuple[Line, int]] = FairQueue()
    for one in ones:
        queue.put(one[0], one)
    return queue


def _served(queue: FairQueue[tuple[Line, int]]) -> Ones:
    served = []
    while (one := queue.take()) is not None:
        served.append(one)
    return served


@given(lines)
def test_everything_is_served_once_and_in_order_within_its_line(ones: Ones) -> None:
    served = _served(_filled(ones))
    assert sorted(served) == sorted(ones)
    for name, _ in ones:
        assert [one for one in served if one[0] == name] == [one for one in ones if one[0] == name]


def _assert_by_turns(served: Sequence[str | int]) -> None:
    """Each was served no oftener than any other that still waited."""
    left, had = Counter[str | int](served), Counter[str | int]()
    for name in served:
        waiting = [other for other in left if left[other] > 0]
        assert had[name] == min(had[other] for other in waiting)
        had[name] += 1
        left[name] -= 1


@given(lines)
def test_clients_are_served_by_turns_and_so_are_the_sessions_of_each(ones: Ones) -> None:
    served = [line for line, _ in _served(_filled(ones))]
    _assert_by_turns([client for client, _ in served])
    for name in {client for client, _ in served}:
        _assert_by_turns([session for client, session in served if client == name])


@given(lines)
def test_the_order_that_is_told_is_the_one_that_is_served(ones: Ones) -> None:
    queue = _filled(ones)
    told = list(queue)
    assert len(queue) == len(told)
    assert told == _served(queue)


@given(lines, st.data())
def test_who_leaves_is_not_served_and_nobody_else_is_lost(ones: Ones, data: st.DataObject) -> None:
    queue = _filled(ones)
    leaving = data.draw(st.sets(st.sampled_from(ones))) if ones else set()
    for one in leaving:
        queue.remove(one[0], one)
    assert sorted(_served(queue)) == sorted(set(ones) - leaving)


def test_one_who_comes_late_waits_for_one_of_each_other_client_only() -> None:
    many = [(("a", number), number) for number in range(50)]
    queue = _filled(many)
    assert queue.take() == many[0]
    queue.put(("b", 0), (("b", 0), 0))
    assert [queue.take(), queue.take()] == [many[1], (("b", 0), 0)]
