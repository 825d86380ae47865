"""A line of the ledger is the client's own text of an event, plus the time it came."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.savings.batch import (
    content_digest,
    decode_event,
    event_keys,
    read_batch,
    read_event,
    split_stored,
    stored_digests,
    stored_line,
)
from tests.requirements import requirement
from tests.savings.builders import (
    RECEIVED_AT,
    correction,
    delegation,
    ledger_line,
    steering,
    text,
)

pytestmark = requirement("S4", "C-N12", "C-N15")

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
unknown = st.dictionaries(
    st.text().map("x{}".format) | st.sampled_from(["recu_le", ',"recu_le":"', '"recu_le":"x"}']),
    values | st.sampled_from(['","recu_le":"', '"}', RECEIVED_AT]),
    max_size=4,
)
events = st.sampled_from([delegation(), steering(), correction()])


def test_the_line_is_the_text_that_was_sent_without_its_blanks() -> None:
    sent = (
        b'{ "evenements" : [ {"x":1.50,\t"schema" : 1 , "type":"correction",\r\n "id":"\\u0069d",'
        b'"date":"2026-10-30T09:14:00Z", "client":"caf\xc3\xa9", "session_id":"a\\/b", "demande_id":"d",'
        b'"outil":"Read", "tool_use_id":"\\ud83d\\ude00 t", "tokens_lus":-0, "tokens_ecrits":0,'
        b'"cout":0, "y" : [ 1E5 , { } , -0.0, 12345678901234567890123, "a b" ], "y" : null } ] }'
    )
    (received,) = read_batch(sent)
    assert received.line == (
        b'{"x":1.50,"schema":1,"type":"correction","id":"\\u0069d",'
        b'"date":"2026-10-30T09:14:00Z","client":"caf\xc3\xa9","session_id":"a\\/b","demande_id":"d",'
        b'"outil":"Read","tool_use_id":"\\ud83d\\ude00 t","tokens_lus":-0,"tokens_ecrits":0,'
        b'"cout":0,"y":[1E5,{},-0.0,12345678901234567890123,"a b"],"y":null}'
    )
    assert received.id == "id"


def test_the_time_of_arrival_comes_last() -> None:
    event = read_event(text(steering()), None)
    assert stored_line(event.line, RECEIVED_AT) == ledger_line(steering())


def test_a_client_s_own_time_of_arrival_is_kept_and_the_ledger_s_wins() -> None:
    sent = correction(recu_le="1999-01-01T00:00:00Z")
    event = read_event(text(sent), None)
    stored = stored_line(event.line, RECEIVED_AT)
    assert stored.count(b'"recu_le"') == 2
    assert json.loads(stored) == {**sent, "recu_le": RECEIVED_AT}
    assert split_stored(stored) == text(sent)


@given(event=events, extra=unknown, indent=st.none() | st.integers(0, 3), ascii_only=st.booleans())
def test_a_line_is_split_into_what_it_was_made_of(
    event: dict[str, object], extra: dict[str, object], indent: int | None, ascii_only: bool
) -> None:
    sent = {**event, **extra}
    posted = json.dumps(sent, indent=indent, ensure_ascii=ascii_only).encode("utf-8")
    received = read_event(posted, None)
    stored = stored_line(received.line, RECEIVED_AT)
    assert json.loads(received.line) == sent
    assert stored.count(b"\n") == 1
    assert split_stored(stored) == split_stored(stored[:-1]) == received.line
    assert json.loads(stored) == {**sent, "recu_le": RECEIVED_AT}
    assert decode_event(stored) == decode_event(received.line)


@given(event=events, extra=unknown)
def test_a_stored_line_read_again_has_the_content_it_had(
    event: dict[str, object], extra: dict[str, object]
) -> None:
    received = read_event(text({**event, **extra}), None)
    again = read_event(split_stored(stored_line(received.line, RECEIVED_AT)), None)
    assert again == received
    assert content_digest(again.line) == received.content


@given(several=st.lists(st.tuples(events, unknown), max_size=5))
def test_the_digests_of_many_lines_are_those_of_each(
    several: list[tuple[dict[str, object], dict[str, object]]],
) -> None:
    received = [read_event(text({**event, **extra}), None) for event, extra in several]
    stored = [stored_line(event.line, RECEIVED_AT)[:-1] for event in received]
    assert stored_digests(stored) == [event.content for event in received]
    assert event_keys(event.id for event in received) == [event.key for event in received]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"{}\n",
        text(correction()),
        text(correction()) + b"\n",
        ledger_line(correction())[:-2],
        ledger_line(correction()) + b"\n",
        text({**correction(), "recu_le": RECEIVED_AT, "x": "y"}),
        text({"recu_le": RECEIVED_AT}),
        text({"id": "abcdefgh"}),
    ],
)
def test_what_is_no_line_of_the_ledger_is_not_split(line: bytes) -> None:
    with pytest.raises(ValueError, match="not a line of the ledger"):
        split_stored(line)
    with pytest.raises(ValueError, match="not a line of the ledger"):
        stored_digests([ledger_line(correction())[:-1], line.removesuffix(b"\n")])
