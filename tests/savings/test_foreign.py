"""Files of events from elsewhere: what is read, what is refused, and where it says the fault is."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import ImportRefused
from econome.savings import foreign
from econome.savings.batch import read_batch, stored_line
from econome.savings.foreign import read_foreign
from econome.server.body import LIMIT_BYTES
from tests.requirements import requirement
from tests.savings.builders import (
    EXAMPLE,
    RECEIVED_AT,
    body,
    correction,
    delegation,
    ledger_line,
    steering,
    text,
)

pytestmark = requirement("S4")

NAME = "events.jsonl"


def _lines(data: bytes) -> list[bytes]:
    return [event.line for event in read_foreign(io.BytesIO(data), NAME)]


def _refused(data: bytes) -> ImportRefused:
    """Return how *data* is refused; events before the fault may have been told."""
    with pytest.raises(ImportRefused) as caught:
        _lines(data)
    assert caught.value.path == NAME
    return caught.value


events = st.lists(
    st.builds(lambda make, number: make(number), st.sampled_from([delegation, steering, correction]), st.integers(1, 99)),
    min_size=1,
    max_size=9,
)  # fmt: skip


@given(events, st.sampled_from([b"\n", b"\r\n", b"\n\n \n"]), st.booleans())
def test_events_one_a_line_are_those_of_a_batch(
    found: list[dict[str, Any]], end: bytes, last: bool
) -> None:
    data = end.join(map(text, found)) + end * last
    assert _lines(data) == [event.line for event in read_batch(body(*found))]


@given(events, st.sampled_from([None, 1, 4]))
def test_a_batch_is_read_over_one_line_or_several(
    found: list[dict[str, Any]], indent: int | None
) -> None:
    sent = body(*found)
    shown = json.dumps(json.loads(sent), indent=indent).encode()
    assert _lines(shown) == [event.line for event in read_batch(sent)]


def test_the_contracts_example_is_read_as_printed() -> None:
    assert len(_lines(EXAMPLE)) == 2


def test_batches_may_stand_one_a_line_among_events() -> None:
    data = b"\n".join((body(delegation(1), steering(1)), text(correction(1))))
    assert _lines(data) == _lines(body(delegation(1), steering(1), correction(1)))


@given(events)
def test_a_copied_ledger_is_read_as_what_was_received(found: list[dict[str, Any]]) -> None:
    received = [event.line for event in read_batch(body(*found))]
    ledger = b"".join(stored_line(line, RECEIVED_AT) for line in received)
    assert _lines(ledger) == received


def test_an_events_own_field_of_that_name_stays() -> None:
    own = text(delegation(1, recu_le="2026-10-30", apres=1))
    assert _lines(own) == [own]


def test_a_byte_order_mark_at_the_beginning_is_no_part_of_the_event() -> None:
    assert _lines(b"\xef\xbb\xbf" + text(delegation(1))) == [text(delegation(1))]


def test_an_empty_file_has_no_event() -> None:
    assert (_lines(b""), _lines(b"\n \n")) == ([], [])


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"\n".join((text(delegation(1)), b"", text(steering(1, cout=-1)))), 3, "cout"),
        (b"\n".join((text(delegation(1)), b'{"schema":1')), 2, "truncated"),
        (b"\n".join((text(delegation(1)), b"[1]")), 2, "expected"),
        (b"\n".join((text(delegation(1)), b"{}")), 2, "type: missing"),
        (b"\n".join((text(delegation(1)), body())), 2, "evenements: expected 1 to 500 events, got 0"),
        (body(delegation(1), correction(1, outil="Grep")), 1, "event 1: outil"),
        (b"\nday,tokens\n1,2\n", 2, "neither an event nor the beginning of a batch"),
        (b"\xff\xfe{}", 1, "UTF-8"),
        (b'{"evenements": [\n', 1, "truncated"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_line(data: bytes, line: int, reason: str) -> None:
    error = _refused(data)
    assert (error.line, reason in error.reason) == (line, True), error.reason


@pytest.mark.parametrize("index", [0, 1, 2])
def test_in_a_batch_over_several_lines_it_is_the_line_where_the_event_begins(index: int) -> None:
    found = [delegation(1), delegation(1), delegation(1)]
    found[index] = delegation(1, retour="nothing")
    sent = b'{\n"evenements": [\n' + b",\n\n".join(map(text, found)) + b"\n]}\n"
    error = _refused(sent)
    assert (error.line, error.reason.startswith(f"event {index}: retour")) == (3 + 2 * index, True)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("more", [0, 1])
def test_an_event_that_fits_into_no_body_is_refused(indent: int | None, more: int) -> None:
    empty = len(text(delegation(1, apres="")))
    event = delegation(1, apres="x" * (foreign.EVENT_BYTES - empty + more))
    sent = json.dumps({"evenements": [event]}, indent=indent).encode() if indent else text(event)
    if more:
        assert "longer than" in _refused(sent).reason
    else:
        assert _lines(sent) == [text(event)]
    assert len(body(event)) <= LIMIT_BYTES + more


def test_a_line_that_is_too_long_is_refused_without_reading_it_whole() -> None:
    class Endless(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            self.given += len(buffer)
            assert self.given < 4 * foreign.LINE_BYTES
            buffer[:] = b" " * len(buffer)
            return len(buffer)

    with pytest.raises(ImportRefused) as caught:
        list(read_foreign(io.BufferedReader(Endless()), NAME))
    assert caught.value.line == 1


def test_a_batch_over_several_lines_that_is_too_long_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent = json.dumps(json.loads(EXAMPLE), indent=1).encode()
    monkeypatch.setattr(foreign, "DOCUMENT_BYTES", len(sent) // 2)
    assert "longer than" in _refused(sent).reason


def test_what_was_added_behind_the_end_that_was_given_is_not_read() -> None:
    known = text(delegation(1)) + b"\n"
    file = io.BytesIO(known + b"torn")
    assert [event.line for event in read_foreign(file, NAME, len(known))] == [known[:-1]]


pieces = st.one_of(
    st.binary(max_size=6),
    st.sampled_from(
        [
            text(delegation(1)), body(steering(1)), ledger_line(correction(1)), b"[" * 70, b"{" * 2000,
            b'{"evenements":', b"[", b"]}", b",", b"\n", b'{"type":"pilotage"}', b',"recu_le":"x"}', b"\xef\xbb\xbf",
        ]
    ),
)  # fmt: skip


@given(st.lists(pieces, max_size=8).map(b"".join))
def test_whatever_a_file_holds_it_is_read_or_refused(data: bytes) -> None:
    found: list[bytes] = []
    line = 1
    try:
        found = _lines(data)
    except ImportRefused as error:
        line = error.line
    assert 1 <= line <= data.count(b"\n") + 1
    assert all(read_batch(b'{"evenements":[' + event + b"]}") for event in found)
