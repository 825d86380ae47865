"""Events on the wire: whatever pieces they come in, what goes out is what came in, and only its message is ever another."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from econome.lean.proxy.http_events import Events, data_of, field_of, new_event, with_data
from tests.requirements import requirement

pytestmark = requirement("L20")

ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
FIELDS = st.sampled_from([b"id", b"retry", b"event", b"data", b"x", b""])
VALUES = st.binary(max_size=12).map(lambda value: value.replace(b"\r", b"").replace(b"\n", b""))
LINES = st.tuples(FIELDS, st.sampled_from([b":", b": "]), VALUES).map(b"".join)
MESSAGES = st.dictionaries(st.text(max_size=3), st.text(max_size=5), min_size=1, max_size=3).map(
    lambda value: json.dumps(value).encode()
)


def cut(stream: bytes, places: list[int]) -> list[bytes]:
    """Return a stream in pieces."""
    at = sorted({place % (len(stream) + 1) for place in places} | {0, len(stream)})
    return [stream[a:b] for a, b in pairwise(at)]


@given(st.lists(LINES), ENDS, st.lists(st.integers(0, 500)), st.integers(8, 60))
def test_what_goes_out_is_what_came_in(
    lines: list[bytes], end: bytes, places: list[int], most: int
) -> None:
    stream = end.join(lines)
    for events in (Events(), Events(most)):
        out = b"".join(part for piece in cut(stream, places) for part, _ in events.feed(piece))
        assert out + events.end() == stream


@given(st.lists(MESSAGES, min_size=1, max_size=5), ENDS, st.lists(st.integers(0, 500)))
def test_every_message_is_found_whatever_pieces_it_comes_in(
    messages: list[bytes], end: bytes, places: list[int]
) -> None:
    stream = b"".join(
        b"event: message" + end + b"id: %d" % at + end + b"data: " + message + end + end
        for at, message in enumerate(messages)
    )
    events = Events()
    parts = [part for piece in cut(stream, places) for part in events.feed(piece)]
    whole = [part for part, is_whole in parts if is_whole]
    assert [data_of(part) for part in whole if data_of(part) is not None] == messages
    identities = [field_of(part, b"id") for part in whole]
    assert [one for one in identities if one is not None] == [
        b"%d" % at for at in range(len(messages))
    ]


@given(MESSAGES, MESSAGES, ENDS)
def test_another_message_takes_the_place_of_the_first_and_all_else_stays(
    before: bytes, after: bytes, end: bytes
) -> None:
    event = end.join([b": seen", b"id: 7", b"data: " + before, b"retry: 5", b"", b""])
    assert with_data(event, [after]) == event.replace(b"data: " + before, b"data: " + after)
    assert with_data(event, [before]) == event
    assert with_data(event, []) == event.replace(b"data: " + before + end, b"")
    assert with_data(event, [before, after]) == event + new_event(after)


def test_data_on_several_lines_is_one_message() -> None:
    event = b'data: {"a":\r\ndata:1,\r\ndata:  "b":2}\r\n\r\n'
    assert data_of(event) == b'{"a":\n1,\n "b":2}'
    assert with_data(event, [b"{}"]) == b"data: {}\r\n\r\n"


def test_what_is_no_message_has_no_data() -> None:
    assert data_of(b": ping\n\n") is None
    assert data_of(b"id: 1\ndata:\n\n") is None
    assert data_of(b"event: endpoint\ndata: /x\n\n") is None
    assert data_of(b"\xef\xbb\xbfdata: {}\n\n") == b"{}"


def test_a_comment_does_not_wait_for_the_event_after_it() -> None:
    events = Events()
    assert events.feed(b": alive\n") == [(b": alive\n", True)]
    assert events.feed(b"data: {}\n") == []
    assert events.feed(b"\n") == [(b"data: {}\n\n", True)]


def test_an_event_that_is_too_large_passes_as_it_comes_and_is_not_read() -> None:
    events = Events(16)
    first = events.feed(b"data: " + b"x" * 100)
    second = events.feed(b"\n\ndata: y\n\n")
    assert [whole for _, whole in first + second] == [False, False, True]
    assert second[-1] == (b"data: y\n\n", True)
