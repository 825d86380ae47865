"""No body does anything but give events or one of two errors, and both agree with a slow second reading."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from econome.errors import BatchError, BodyMalformed
from econome.savings.batch import read_batch, read_event
from tests.reference.slow_batch import Pairs, faults, parse
from tests.requirements import requirement
from tests.savings.builders import EXAMPLE, Payload, body, correction, delegation, steering, text

pytestmark = requirement("C-N5", "C-N13", "C-R8", "S3", "S4")

Verdict = str | tuple[int | None, str | None]

EVENTS = [delegation(), delegation(2, agent_id="a1", retour="apercu"), steering(), correction()]
# Pieces from which JSON is made and unmade.
PIECES = [
    *'{}[],:"\\019-+.eE /bu \n\t\r',
    '\\"', "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00", "\\ud800", "\\udc00", "\\uD83D", "\\x", "\\u12", "d800",
    "true", "false", "null", "nul", "NaN", "Infinity", "-0", "1e5", "1.5", "01", "9007199254740993", "1e400",
    '""', '"a"', "{}", "[]", '"a":', "\x00", "\x0b", "\x1f", "\x7f", "\xa0", "\ufeff", "\u2028", "\xe9", "\U0001f600",
    '"type":', '"delegation"', '"evenements":', '"recu_le":"x"', "//", "/*", "'",
]  # fmt: skip
soups = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**53) - 2, -(2**53) + 2)
    | st.integers(2**53 - 2, 2**53 + 2)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(
        ["delegation", "pilotage", "correction", "complet", "Read", "x" * 512, "x" * 513]
    )
    | st.sampled_from(["2026-10-30T09:12:04Z", "2026-02-30T09:12:04Z", "2026-10-30T09:12:04+0200"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def _verdict(posted: bytes) -> Verdict:
    """Return `taken`, `malformed` or the place of the fault; anything else that is raised fails the test."""
    try:
        read_batch(posted)
    except BodyMalformed:
        return "malformed"
    except BatchError as error:
        return error.index, error.field
    return "taken"


def _check(posted: bytes) -> Verdict:
    """Hold the verdict on a body against the slow reading's, and return it."""
    verdict = _verdict(posted)
    try:
        value = parse(posted)
    except ValueError:
        assert verdict == "malformed"
        return verdict
    found = faults(value)
    if not found:
        assert verdict == "taken"
        return verdict
    first = min(found, key=lambda fault: fault[0] or 0)[0]
    assert verdict in [fault for fault in found if fault[0] == first]
    return verdict


def _places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path of each value in an event, its own excepted."""
    entries = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [
        place
        for name, entry in entries
        for place in [(*path, name), *_places(entry, (*path, name))]
    ]


def _replaced(value: Any, path: tuple[str | int, ...], put: Any) -> Any:
    if not path:
        return put
    if isinstance(value, dict):
        return {
            name: _replaced(entry, path[1:], put) if name == path[0] else entry
            for name, entry in value.items()
        }
    return [
        _replaced(entry, path[1:], put) if at == path[0] else entry
        for at, entry in enumerate(value)
    ]


@given(st.binary(max_size=80))
def test_any_bytes_are_judged_as_the_slow_reading_judges_them(posted: bytes) -> None:
    _check(posted)


@given(
    soups,
    st.sampled_from(
        [
            "%s",
            '{"evenements": [%s]}',
            '{"evenements": [1], "x": %s}',
            '{"x": %s, "evenements": []}',
        ]
    ),
)
@example("\\ud800", '{"evenements": ["%s"]}')
@example("[" * 500 + "]" * 500, '{"x": %s, "evenements": []}')
def test_any_soup_of_json_s_pieces_is_judged_the_same(soup: str, around: str) -> None:
    _check((around % soup).encode("utf-8"))


@given(soups, st.sampled_from(EVENTS), st.booleans())
@example('"\\ud83d\\ude00", "\\u0063lient": 3', EVENTS[0], False)
@example('{"recu_le": [1e400, -0, 1.50]}', EVENTS[1], True)
@example("9" * 5000, EVENTS[2], True)
def test_a_soup_within_an_event_is_judged_the_same(soup: str, event: Payload, first: bool) -> None:
    own = text(event).decode("utf-8")
    mixed = f'{{"x":{soup},{own[1:]}' if first else f'{own[:-1]},"x":{soup}}}'
    _check(f'{{"evenements":[{mixed}]}}'.encode())


@given(event=st.sampled_from(EVENTS), put=values, data=st.data())
def test_any_value_in_any_field_is_judged_the_same(
    event: Payload, put: Any, data: st.DataObject
) -> None:
    place = data.draw(st.sampled_from(_places(event)))
    _check(body(delegation(9), _replaced(event, place, put)))


@given(values)
def test_any_value_as_a_body_a_list_or_an_event_is_judged_the_same(value: Any) -> None:
    _check(text(value))
    _check(text({"evenements": value}))
    _check(text({"evenements": [steering(), value]}))


@given(event=st.sampled_from(EVENTS), put=values, at=st.integers(0, 20), data=st.data())
def test_a_repeated_name_is_judged_each_time(
    event: Payload, put: Any, at: int, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(event)))
    pairs = [f"{json.dumps(key)}:{json.dumps(value)}" for key, value in event.items()]
    pairs.insert(at, f"{json.dumps(name)}:{json.dumps(put)}")
    _check(f'{{"evenements":[{{{",".join(pairs)}}}]}}'.encode())


edits = st.lists(
    st.tuples(st.integers(0, 2000), st.integers(0, 3), st.binary(max_size=3)),
    min_size=1,
    max_size=4,
)


@given(edits, st.sampled_from([EXAMPLE, body(*EVENTS)]))
def test_a_damaged_batch_is_judged_the_same(
    changes: list[tuple[int, int, bytes]], posted: bytes
) -> None:
    for place, cut, put in changes:
        at = place % (len(posted) + 1)
        posted = posted[:at] + put + posted[at + cut :]
    _check(posted)


@given(st.sampled_from([EXAMPLE, body(*EVENTS)]), st.data())
def test_a_batch_cut_short_is_malformed(posted: bytes, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(posted.rstrip()) - 1))
    assert _check(posted[:end]) == "malformed"


@given(st.lists(st.sampled_from(EVENTS), min_size=1, max_size=6), st.integers(0, 4))
def test_what_is_taken_is_what_the_slow_reading_reads(sent: list[Payload], indent: int) -> None:
    posted = json.dumps({"evenements": sent}, indent=indent).encode()
    assert _check(posted) == "taken"
    assert [json.loads(event.line) for event in read_batch(posted)] == sent


@given(st.binary(max_size=40) | soups.map(str.encode), st.sampled_from(EVENTS), st.integers(0, 600))
def test_a_line_that_stands_alone_gives_an_event_or_one_of_two_errors(
    put: bytes, event: Payload, at: int
) -> None:
    own = text(event)
    line = own[:at] + put + own[at:]
    try:
        lines: list[bytes] | None = [read_event(line, 0).line]
    except (BatchError, BodyMalformed):
        lines = None
    try:
        faulty = bool(faults(Pairs([("evenements", [parse(line)])])))
    except ValueError:
        faulty = True
    assert (lines is None) == faulty
