"""The two Claude Code parsers agree, and a file read in parts is the file read whole."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from econome.usage.occurrences import ROWS, Groups, merge_groups
from econome.usage.readers.claude import ClaudeParser
from econome.usage.readers.claude_typed import TypedParser
from tests.brief import examples
from tests.requirements import requirement

_UUID = "0b0e7b3a-1111-4222-8333-123456789abc"

counters = st.one_of(
    st.integers(0, 9),
    st.sampled_from([None, "7", 2.0, 2**53]),
    st.sampled_from([-1, 0.5, True, "x"]),
)
texts = st.sampled_from(["a", "b", "", None, 3])


def optional(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=values)


usages = optional(
    input_tokens=st.integers(0, 9),
    output_tokens=counters,
    cache_read_input_tokens=st.integers(0, 9),
    cache_creation_input_tokens=st.one_of(st.integers(0, 9), st.none()),
    cache_creation=st.one_of(
        optional(ephemeral_5m_input_tokens=st.integers(0, 9), ephemeral_1h_input_tokens=counters),
        st.sampled_from([None, [], "x"]),
    ),
    server_tool_use=optional(web_search_requests=st.integers(0, 3), web_fetch_requests=counters),
    speed=texts,
    service_tier=texts,
    inference_geo=texts,
    iterations=st.sampled_from(
        [
            [],
            None,
            [{"type": "message"}],
            [{"type": "advisor_message", "model": "m2", "output_tokens": 4}],
            [{"type": "message", "input_tokens": 1}, {"type": "fallback_message"}],
        ]
    ),
)
messages = optional(
    id=st.sampled_from(["msg_1", "msg_2", _UUID, "", None, 5]),
    model=st.sampled_from(["m1", "m2", "<synthetic>", "", None]),
    stop_reason=st.sampled_from([None, "end_turn", 1]),
    usage=st.one_of(usages, usages, usages, st.sampled_from([None, [], 3])),
)
records = st.fixed_dictionaries(
    {"type": st.sampled_from(["assistant"] * 9 + ["user"])},
    optional={
        "message": st.one_of(messages, messages, messages, st.sampled_from([None, [], {"0": "x"}])),
        "requestId": st.sampled_from(["r1", "r2", "", None]),
        "uuid": st.sampled_from(["u1", "u2", None]),
        "isSidechain": st.sampled_from([True, False, None]),
        "sessionId": st.sampled_from(["s1", "s2", "", None]),
        "session_id": st.sampled_from(["s3"]),
        "cwd": texts,
        "gitBranch": texts,
        "timestamp": st.sampled_from(
            [
                "2026-01-05T10:00:00.000Z",
                "2026-01-05T10:00:07.5+01:00",
                "2026-W01-1T10:00:00.000Z",
                "2026-13-05T10:00:00.000Z",
                "2026-01-05T10:00:60.000Z",
                "2026-01-05 10:00:00,000Z",
                "",
                None,
            ]
        ),
        "attributionAgent": texts,
        "isApiErrorMessage": st.sampled_from([True, False, None]),
    },
)
files = st.lists(records, max_size=12).map(
    lambda found: b"".join(json.dumps(record).encode() + b"\n" for record in found)
)


def facts(parser: ClaudeParser) -> tuple[int, int, int, int, int, Groups, set[Any]]:
    """Return all that a scan takes from a parser."""
    fold = parser.fold
    return (
        parser.lines, parser.malformed, parser.rejected, fold.rows, fold.first, fold.groups(),
        set(fold.owners),
    )  # fmt: skip


@requirement("R3", "R4", "F1")
@given(files)
@settings(max_examples=examples(200))
def test_the_typed_parser_reads_what_the_lenient_one_reads(data: bytes) -> None:
    typed, lenient = (make("s1", "stem", "salt") for make in (TypedParser, ClaudeParser))
    typed.feed(data, 100)
    lenient.feed(data, 100)
    assert facts(typed) == facts(lenient)


@requirement("F3", "F12")
@given(files, st.integers(0, 12))
def test_a_file_read_in_two_parts_is_the_file_read_whole(data: bytes, after: int) -> None:
    lines = data.splitlines(keepends=True)
    cut = len(b"".join(lines[:after]))
    whole, first, second = (ClaudeParser("s1", "stem", "salt") for _ in range(3))
    whole.feed(data, 0)
    first.feed(data[:cut], 0)
    second.feed(data[cut:], cut)
    joined = first.fold.groups()
    merge_groups(joined, second.fold.groups())
    assert joined == whole.fold.groups()


@requirement("F3")
@given(files)
def test_reading_a_file_twice_over_changes_nothing_but_the_count_of_rows(data: bytes) -> None:
    once, twice = ClaudeParser("s1", "stem", "salt"), ClaudeParser("s1", "stem", "salt")
    once.feed(data, 0)
    twice.feed(data, 0)
    twice.feed(data, 0)
    assert without_rows(twice) == without_rows(once)


def without_rows(parser: ClaudeParser) -> Groups:
    """Return a parser's groups but for how many rows each occurrence folds."""
    return {
        gid: [found[:ROWS] + found[ROWS + 1 :] for found in group]
        for gid, group in parser.fold.groups().items()
    }
