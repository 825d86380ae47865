"""The slower pass: what is known of a tool call, a compaction, a pause (F16)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from econome.usage import detail as d
from econome.usage.occurrences import REQUEST, FileFold
from econome.usage.readers.claude_detail import refresh
from econome.usage.rows import claude_row
from tests.builders import CWD, Row, assistant
from tests.requirements import requirement
from tests.usage.details import ID, SESSION, Place, at, call, compacted, ns, result, said

pytestmark = requirement("F16")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# One call


def test_a_call_is_joined_to_its_result_its_response_and_its_owner(place: Place) -> None:
    place.write(call(), result(failed=False))
    (one,) = place.calls()
    assert one == d.ToolCall(
        id=ID,
        name="Read",
        server="",
        tool="",
        response=d.response_key("msg_01a", call()["requestId"], None),
        session=SESSION,
        agent="",
        sidechain=False,
        project=CWD,
        called_ns=ns(0),
        returned_ns=ns(1),
        failed=False,
        file=one.file,
        parts=(d.ResultPart("text", 1, 4, 4),),
    )
    assert len(one.file) == 32


def test_a_call_without_a_result_is_open(place: Place) -> None:
    place.write(call())
    (one,) = place.calls()
    assert (one.returned_ns, one.failed, one.parts, one.characters) == (None, None, (), 0)


@pytest.mark.parametrize("flag, failed", [(True, True), (False, False), (None, False)])
def test_a_result_says_whether_the_call_failed(
    place: Place, flag: bool | None, failed: bool
) -> None:
    place.write(call(), result(failed=flag))
    assert [one.failed for one in place.calls()] == [failed]


@pytest.mark.parametrize(
    "content, parts",
    [
        ("", [("text", 1, 0, 0)]),
        ("héé€", [("text", 1, 4, 8)]),
        ("😀", [("text", 1, 1, 4)]),
        (None, []),
        ([], []),
        ([{"type": "text", "text": "ab"}, {"type": "text", "text": "c"}], [("text", 2, 3, 3)]),
        (
            [
                {"type": "image", "source": {"type": "base64", "data": "QUJD"}},
                {"type": "text", "text": "ab"},
            ],
            [("image", 1, 4, 4), ("text", 1, 2, 2)],
        ),
        ([{"type": "tool_reference", "tool_name": "x"}], [("other", 1, 41, 41)]),
        ([7, "ab"], [("other", 1, 1, 1), ("text", 1, 2, 2)]),
    ],
)
def test_a_result_is_measured_by_kind_of_block(
    place: Place, content: Any, parts: list[Any]
) -> None:
    place.write(call(), result(content=content))
    (one,) = place.calls()
    assert one.parts == tuple(d.ResultPart(*part) for part in parts)


@pytest.mark.parametrize(
    "name, server, tool",
    [
        ("Read", "", ""),
        ("mcp__harbor__list_berths", "harbor", "list_berths"),
        ("mcp__plugin_a-b_c__do__it", "plugin_a-b_c", "do__it"),
        ("mcp__alone", "", ""),
        ("mcp__claude_ai_Name__x", "claude_ai_Name", "x"),
    ],
)
def test_an_mcp_tool_is_split_at_the_first_double_line(
    place: Place, name: str, server: str, tool: str
) -> None:
    place.write(call(name=name))
    assert [(one.name, one.server, one.tool) for one in place.calls()] == [(name, server, tool)]


@pytest.mark.parametrize("name", ['Task" >\n<parameter name="x', "a b", "", None, 7, "x" * 129])
def test_a_name_that_is_none_is_called_invalid(place: Place, name: Any) -> None:
    place.write(call(name=name))
    assert [one.name for one in place.calls()] == ["invalid"]


def test_two_spellings_of_one_path_have_one_hash(place: Place) -> None:
    spellings = ["/home/dev/shop/a.py", "/home/dev/shop/./b/../a.py", "a.py", "./a.py"]
    place.write(
        *(
            call(f"{ID}{number}", given={"file_path": path})
            for number, path in enumerate(spellings)
        ),
        call(f"{ID}n", "NotebookEdit", given={"notebook_path": "/home/dev/shop/c.ipynb"}),
        call(f"{ID}m", "mcp__fs__read", given={"path": "/home/dev/shop/a.py"}),
        call(f"{ID}g", "Grep", given={"path": "/home/dev/shop/a.py"}),
    )
    found = {one.id: one.file for one in place.calls()}
    assert len({found[f"{ID}{number}"] for number in (0, 1, 2, 3, "m")}) == 1
    assert found[f"{ID}n"] not in ("", found[f"{ID}0"])
    assert found[f"{ID}g"] == ""


def test_another_salt_gives_another_hash_and_makes_the_database_anew(place: Place) -> None:
    place.write(call())
    (one,) = place.calls()
    with refresh([place.root], place.database, b"t" * 32) as detail:
        (other,) = detail.calls()
    assert other.file != one.file


def test_the_response_key_is_the_one_of_the_usage_index() -> None:
    rows = [
        assistant("x", requestId="req_9"),
        assistant("y"),
        assistant("z", message={"id": SESSION}, requestId="req_8"),
        assistant("w", message={"id": None}, uuid="u-1"),
    ]
    fold = FileFold("", "stem", "salt")
    for number, row in enumerate(rows):
        made = claude_row(row, row["message"]["usage"])
        assert made is not None
        fold.add(made, number)
    expected = {
        (group, occurrence[REQUEST])
        for group, found in fold.groups().items()
        for occurrence in found
    }
    keys = {
        d.response_key(row["message"].get("id"), row.get("requestId"), row.get("uuid"))
        for row in rows
    }
    assert keys == expected


# Agents and copies


def test_a_sub_agents_call_names_the_agent_and_its_parents_session(place: Place) -> None:
    place.write(
        call(isSidechain=True, agentId="a0123"), path=f"{SESSION}/subagents/agent-a0123.jsonl"
    )
    assert [(one.session, one.agent, one.sidechain) for one in place.calls()] == [
        (SESSION, "a0123", True)
    ]


@requirement("F5")
def test_a_copied_call_counts_once_for_the_session_it_was_born_in(place: Place) -> None:
    other = "00000000-1111-4111-8111-111111111111"  # its path sorts first
    place.write(call(), result())
    place.write(call(), result(), said(9) | {"sessionId": other}, path=f"{other}.jsonl")
    helper = [row | {"isSidechain": True} for row in (call(), result())]
    place.write(*helper, path=f"{SESSION}/subagents/agent-acompact-1.jsonl")
    (one,) = place.calls()
    assert (one.session, one.sidechain, one.parts[0].characters) == (SESSION, False, 4)


def test_an_id_that_repeats_in_a_file_is_one_call(place: Place) -> None:
    place.write(call(), result(), call(), result(content="again"))
    (one,) = place.calls()
    assert one.characters == 4


def test_an_id_that_only_counts_calls_is_told_apart_by_its_session(place: Place) -> None:
    place.write(call("functions.Read:0"), result("functions.Read:0"))
    other = SESSION.replace("1", "2")
    rows = [row | {"sessionId": other} for row in (call("functions.Read:0"), result("x"))]
    place.write(*rows, path=f"{other}.jsonl")
    assert [(one.session, one.characters) for one in place.calls()] == [(SESSION, 4), (other, 0)]


def test_a_result_in_another_file_is_found(place: Place) -> None:
    place.write(call())
    place.write(result(), path=f"{SESSION}/subagents/agent-a1.jsonl")
    assert [one.characters for one in place.calls()] == [4]


# Compactions and pauses


def test_a_compaction_keeps_its_cause_and_its_sizes(place: Place) -> None:
    place.write(compacted(trigger="auto", preTokens=150_000, postTokens=9_000))
    place.write(compacted(trigger="auto", preTokens=150_000, postTokens=9_000), path="fork.jsonl")
    place.write(compacted("u-2", 4, trigger="manual", preTokens=-1), path="b.jsonl")
    with place.refresh() as detail:
        assert detail.compactions() == [
            d.Compaction(SESSION, "", CWD, ns(3), "auto", 150_000, 9_000),
            d.Compaction(SESSION, "", CWD, ns(4), "manual", None, None),
        ]


def test_a_pause_is_more_than_five_minutes_of_the_main_conversation(place: Place) -> None:
    place.write(
        said(0),
        said(5),
        said(10.1),
        said(12, isSidechain=True),
        said(14),
        said(13),
        said(19.5),
        said(90),
        {"type": "progress", "timestamp": at(100), "sessionId": SESSION},
        said(96),
    )
    place.write(said(0), said(30), path=f"{SESSION}/subagents/agent-a1.jsonl")
    with place.refresh() as detail:
        found = [(p.from_ns, p.until_ns, p.over_an_hour) for p in detail.pauses()]
    assert found == [
        (ns(5), ns(10.1), False),
        (ns(14), ns(19.5), False),
        (ns(19.5), ns(90), True),
        (ns(90), ns(96), False),
    ]


def test_a_pause_that_a_fork_copied_counts_once(place: Place) -> None:
    place.write(said(0), said(20))
    place.write(said(0), said(20), said(50), path="fork.jsonl")
    with place.refresh() as detail:
        assert [p.until_ns for p in detail.pauses()] == [ns(20), ns(50)]


# Sums


def test_the_weight_of_a_tool_is_that_of_its_results(place: Place) -> None:
    rows: list[Row] = []
    for number in range(20):
        rows += [
            call(f"{ID}{number}", "mcp__s__t"),
            result(f"{ID}{number}", "x" * (number + 1), failed=number == 3),
        ]
    place.write(*rows, call(f"{ID}open", "mcp__s__t"), call(f"{ID}r"))
    with place.refresh() as detail:
        heavy, light = detail.tools()
    assert heavy == d.ToolWeight(
        name="mcp__s__t",
        server="s",
        tool="t",
        calls=21,
        unanswered=1,
        failures=1,
        p50=10,
        p95=19,
        largest=20,
        parts=(d.ResultPart("text", 20, 210, 210),),
    )
    assert (light.name, light.calls, light.p95, light.parts) == ("Read", 1, 0, ())


def test_touches_count_how_often_a_session_read_and_changed_a_file(place: Place) -> None:
    place.write(
        call(f"{ID}1"), result(f"{ID}1"), call(f"{ID}2"), result(f"{ID}2"),
        call(f"{ID}3", "Edit"), call(f"{ID}4", "mcp__fs__stat", given={"path": "/x"}),
    )  # fmt: skip
    with place.refresh() as detail:
        read, other = detail.touches()
    assert (read.reads, read.changes, read.others, read.characters) == (2, 1, 0, 8)
    assert (other.reads, other.changes, other.others, other.characters) == (0, 0, 1, 0)
