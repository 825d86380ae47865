"""The life of a request is the table: what leads where, and that every end is an end."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.delegation.states import ENDED, START, STATES, Event, advance, diagram
from econome.delegation.wire import STATUSES
from tests.requirements import requirement

pytestmark = requirement("D3")

events = st.sampled_from(get_args(Event))


@given(st.lists(events))
def test_whatever_happens_a_request_stays_in_the_table_and_ends_once(
    happening: list[Event],
) -> None:
    state, ends = START, 0
    for event in happening:
        if event in STATES[state]:
            state = advance(state, event)
            ends += state in ENDED
        else:
            with pytest.raises(ValueError, match=event):
                advance(state, event)
    assert state in STATES
    assert ends == (state in ENDED)


def test_every_state_is_reached_and_every_open_one_can_end() -> None:
    reached = {START} | {after for state in STATES.values() for after in state.values()}
    assert reached == STATES.keys()
    assert [state for state in STATES if state not in ENDED and not STATES[state]] == []
    assert set(STATUSES) == ENDED


def test_every_event_has_a_row() -> None:
    assert {event for state in STATES.values() for event in state} == set(get_args(Event))


def test_a_request_is_refused_only_before_it_is_queued() -> None:
    assert [state for state in STATES if "refuse" in STATES[state]] == [START]


def test_the_diagram_draws_each_row_once() -> None:
    drawn = re.findall(r"^    (\S+) --> (\S+): (\S+)$", diagram(), re.MULTILINE)
    assert sorted(drawn) == sorted(
        (state, after, event) for state in STATES for event, after in STATES[state].items()
    )
    assert re.findall(r"^    (\S+) --> \[\*\]$", diagram(), re.MULTILINE) == list(STATUSES)
