"""A body is taken whole or refused whole, with the place of the one fault that is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from econome.errors import BatchError, BodyMalformed
from econome.savings.batch import (
    BATCH_EVENTS,
    NESTING,
    content_digest,
    decode_event,
    event_key,
    read_batch,
    read_event,
)
from tests.requirements import requirement
from tests.savings.builders import EXAMPLE, body, correction, delegation, steering, text


def _refusal(posted: bytes) -> tuple[int | None, str | None]:
    with pytest.raises(BatchError) as caught:
        read_batch(posted)
    return caught.value.index, caught.value.field


@requirement("C-T4", "C-N6", "C-R8")
def test_the_events_of_a_body_come_in_its_order() -> None:
    events = [steering(2), delegation(1), correction(1), delegation(2)]
    received = read_batch(body(*events))
    assert [event.line for event in received] == [text(event) for event in events]
    assert [event.id for event in received] == [event["id"] for event in events]


@requirement("S6")
def test_an_event_comes_with_the_digests_of_its_id_and_of_its_line() -> None:
    (event,) = read_batch(body(delegation()))
    assert event.key == event_key("claude-code:dem-0000000001")
    assert event.content == content_digest(event.line)
    assert len(event.key) == 16


@requirement("S6")
def test_the_digest_of_an_id_is_the_same_in_every_process() -> None:
    assert event_key("claude-code:dem-9c8a4d0189").hex() == "d2f96393ff51d654476ca92880d029c7"


@requirement("S6")
def test_blanks_between_tokens_make_no_other_content() -> None:
    compact = text(json.loads(EXAMPLE))
    assert compact != EXAMPLE
    assert read_batch(compact) == read_batch(EXAMPLE)


@requirement("C-T4", "C-N6", "C-N22", "C-R2")
@pytest.mark.parametrize(
    "posted",
    [
        b"null",
        b"true",
        b"3",
        b'"evenements"',
        b"[]",
        b'["evenements"]',
        b"{}",
        b'{"events": []}',
        b'{"Evenements": [{}]}',
        b'{"evenements": null}',
        b'{"evenements": {}}',
        b'{"evenements": "x"}',
        b'{"evenements": 1}',
        b'{"evenements": []}',
        b'{"x": {"evenements": [{}]}}',
        body(*[delegation(number) for number in range(BATCH_EVENTS + 1)]),
        text([delegation()]),
    ],
    ids=lambda posted: posted[:24].decode(),
)
def test_a_body_that_is_no_batch_is_refused_as_a_whole(posted: bytes) -> None:
    assert _refusal(posted) == (None, "evenements")


@requirement("C-N6", "C-R5")
def test_five_hundred_of_the_longest_events_are_taken() -> None:
    assert BATCH_EVENTS == 500
    events = [delegation(number) for number in range(BATCH_EVENTS)]
    assert len(read_batch(body(*events))) == 500


@requirement("C-N12")
def test_a_body_may_hold_fields_beside_its_events() -> None:
    posted = b'{"version": [1, {"x": null}], "evenements": [%b], "z": 1e400}' % text(correction())
    assert read_batch(posted) == read_batch(body(correction()))


@requirement("S3", "C-R2")
@pytest.mark.parametrize(
    "posted",
    [
        b"",
        b" ",
        b"{",
        b'{"evenements": [',
        b'{"evenements": [}',
        b'{"evenements": [,]}',
        b'{"evenements": [1,]}',
        b'{"evenements": [1]]}',
        b'{"evenements": [1]} x',
        b'{"evenements": [1]}\0',
        b'{"evenements": [1]}{}',
        b"{'evenements': [1]}",
        b"{evenements: [1]}",
        b'{"evenements": [NaN]}',
        b'{"evenements": [Infinity]}',
        b'{"evenements": [-Infinity]}',
        b'{"evenements": [01]}',
        b'{"evenements": [1.]}',
        b'{"evenements": [.5]}',
        b'{"evenements": [+1]}',
        b'{"evenements": [1e]}',
        b'{"evenements": [-]}',
        b'{"evenements": [0x1]}',
        b'{"evenements": [True]}',
        b'{"evenements": [nul]}',
        b'{"evenements": ["a\nb"]}',
        b'{"evenements": ["a\tb"]}',
        b'{"evenements": ["\0"]}',
        b'{"evenements": ["\\x41"]}',
        b'{"evenements": ["\\u12g4"]}',
        b'{"evenements": ["\\u12"]}',
        b'{"evenements": ["\xff"]}',
        b'{"evenements": [1], "x": "\xc3("}',
        b'{"evenements": [1], "\xe9": 1}',
        b'{"evenements": ["\xed\xa0\x80"]}',  # a surrogate in UTF-8
        b'{"evenements": ["\xc0\xaf"]}',  # an overlong slash
        b'{"evenements": [1]} // end',
        b'{"evenements": [1]}\x0c',
        b'{"evenements": [1]}\xc2\xa0',
        '{"evenements": [1]}'.encode("utf-16"),
        b"a=1&b=2",
    ],
)
def test_what_is_no_json_in_utf_8_is_refused_as_such(posted: bytes) -> None:
    with pytest.raises(BodyMalformed):
        read_batch(posted)


@requirement("S3")
@pytest.mark.parametrize(
    "posted",
    [
        b'\xef\xbb\xbf{"evenements": [1]}',
        b'{"evenements": ["\\ud800"]}',
        b'{"evenements": ["\\udc00\\ud800"]}',
        b'{"\\udfff": 1}',
    ],
)
def test_a_byte_order_mark_and_half_a_character_are_refused_where_other_readers_take_them(
    posted: bytes,
) -> None:
    with pytest.raises(BodyMalformed):
        read_batch(posted)


@requirement("S3")
@pytest.mark.parametrize("bracket, closing", [(b"[", b"]"), (b'{"a":', b"}")])
@pytest.mark.parametrize("place", [b'{"evenements": %b}', b'{"evenements": [1], "x": %b}', b"%b"])
def test_a_body_nested_beyond_reason_is_refused(
    place: bytes, bracket: bytes, closing: bytes
) -> None:
    with pytest.raises(BodyMalformed):
        read_batch(place % (bracket * 100_000 + b"1" + closing * 100_000))


def _deep(levels: int) -> bytes:
    """Return a batch of two events, of which the second goes *levels* deep and is full of brackets in texts."""
    value: Any = "]}[{" * 100
    for level in range(levels - 1):
        value = [value, '[\\"{'] if level % 2 else {"[[[": value, "x": "{"}
    return body(delegation(), correction(x=value))


@requirement("S3", "S4")
def test_an_event_may_nest_unknown_fields_up_to_the_limit() -> None:
    assert len(read_batch(_deep(NESTING))) == 2
    with pytest.raises(BodyMalformed):
        read_batch(_deep(NESTING + 1))


@requirement("S3", "C-R8", "C-N13")
def test_a_body_is_well_formed_to_its_end_before_an_event_is_looked_at() -> None:
    posted = b'{"evenements": [{"type": "strange"}, %b], "x": NaN}' % text(delegation())
    with pytest.raises(BodyMalformed):
        read_batch(posted)
    assert _refusal(posted.replace(b"NaN", b"1")) == (0, "type")


@requirement("S3", "C-R8")
def test_a_form_that_no_event_may_have_is_found_before_an_event_is_judged() -> None:
    deep = b"[" * (NESTING + 1) + b"]" * (NESTING + 1)
    with pytest.raises(BodyMalformed):
        read_batch(b'{"evenements": [1, {"a": %b}]}' % deep)


@requirement("C-N13", "C-R8", "S3")
@pytest.mark.parametrize("index", [0, 1, 17, 499])
def test_one_faulty_event_refuses_the_batch_and_is_named_by_its_place(index: int) -> None:
    events = [delegation(number) for number in range(500)]
    events[index] = delegation(index, estimation__evites=True)
    assert _refusal(body(*events)) == (index, "estimation.evites")


@requirement("C-N13")
def test_of_two_faulty_events_the_first_is_named() -> None:
    posted = body(delegation(1), delegation(2, schema=2), delegation(3, client=""))
    assert _refusal(posted) == (1, "schema")


@requirement("C-N13", "C-N9")
@pytest.mark.parametrize("item", [None, True, 3, "x", [], [delegation()], 1.5])
def test_an_item_that_is_no_object_is_named_by_its_place_alone(item: Any) -> None:
    assert _refusal(text({"evenements": [delegation(), item]})) == (1, None)


@requirement("C-N8", "C-N22", "S4")
@pytest.mark.parametrize(
    "value",
    ["", "Delegation", "delegation ", "steering", "x - at `$.evil`", "a\nb", 1, None, True, [], {}],
)
def test_an_unknown_type_is_refused(value: Any) -> None:
    assert _refusal(body(delegation(), delegation(type=value))) == (1, "type")


@requirement("C-N8", "C-N9", "C-N22")
@pytest.mark.parametrize("build", [delegation, steering, correction])
def test_a_missing_type_is_refused_before_any_other_fault(build: Any) -> None:
    event = build(schema=2)
    del event["type"]
    assert _refusal(body(event)) == (0, "type")
    assert _refusal(b'{"evenements": [{}]}') == (0, "type")


@requirement("C-N8")
def test_the_last_of_two_types_does_not_differ_from_the_first() -> None:
    twice = text(delegation())[:-1] + b',"type":"pilotage"}'
    assert _refusal(b'{"evenements": [%b]}' % twice) == (0, "type")
    same = text(delegation())[:-1] + b',"type":"delegation"}'
    assert [event.line for event in read_batch(b'{"evenements": [%b]}' % same)] == [same]


@requirement("S4")
def test_the_text_of_a_refusal_repeats_nothing_that_was_sent() -> None:
    with pytest.raises(BatchError) as caught:
        read_batch(body(delegation(type="secret\nsecret")))
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@requirement("S4", "C-N13")
def test_a_refusal_says_where_and_what() -> None:
    with pytest.raises(BatchError) as caught:
        read_batch(body(correction(), correction(2, cout=-1)))
    assert str(caught.value).startswith("event 1: cout: expected")


@requirement("S3", "C-R2")
@pytest.mark.parametrize("posted", [b"{", b'{"evenements": [NaN]}', b"\xff", b"[" * 100_000])
def test_the_refusal_of_what_is_no_json_begins_with_what_is_at_fault(posted: bytes) -> None:
    with pytest.raises(BodyMalformed, match=r"\Athe body is (no JSON: |not UTF-8|nested too deep)"):
        read_batch(posted)


@requirement("S3", "C-R2")
def test_a_line_that_stands_alone_is_read_by_the_same_rules() -> None:
    (in_a_batch,) = read_batch(body(steering()))
    assert read_event(b" " + text(steering()) + b"\r\n", 3) == in_a_batch
    with pytest.raises(BatchError) as caught:
        read_event(text(steering(cout=1.5)), 3)
    assert (caught.value.index, caught.value.field) == (3, "cout")
    for broken in (b"", b"{", b"{}{}", text(steering(x="\xff")).replace(b"\xc3\xbf", b"\xff")):
        with pytest.raises(BodyMalformed):
            read_event(broken, 3)


@requirement("S3")
@pytest.mark.parametrize("levels", [NESTING, 100_000])
def test_a_line_that_stands_alone_is_nested_no_deeper(levels: int) -> None:
    deep = text(steering())[:-1] + b',"x":' + b"[" * levels + b"]" * levels + b"}"
    with pytest.raises(BodyMalformed):
        read_event(deep, None)


@requirement("S4")
@pytest.mark.parametrize(
    "line", [b"", b"{", b"{}", b"null", b"[" * 100_000, b'{"type":"correction"}', b"\xff"]
)
def test_a_line_without_an_event_is_refused_by_the_typed_reader(line: bytes) -> None:
    with pytest.raises(BatchError):
        decode_event(line)


@requirement("S4")
def test_a_date_is_checked_by_the_typed_reader_too() -> None:
    with pytest.raises(BatchError) as caught:
        decode_event(text(steering(date="2026-02-30T00:00:00Z")))
    assert (caught.value.index, caught.value.field) == (None, "date")
