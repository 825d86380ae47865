"""F14: damage seen in real files loses no good row."""

from __future__ import annotations

import json

import pytest

from tests.builders import SLUG, Row, Tree, assistant, counts, line, lines, progress, user, without
from tests.door import Answer, expected, figures, run, split, total, usage
from tests.requirements import requirement

FULL: Row = {"sessionId": "s1", "isSidechain": False}
A, B, C = (assistant(name, **FULL) for name in "abc")
OWN = ("type", "uuid", "sessionId", "timestamp")


def read(tree: Tree, data: bytes) -> Answer:
    """What a tree with one transcript of *data* gives."""
    tree.put(f"{SLUG}/s1.jsonl").write_bytes(data)
    return usage(tree.root)


def check(tree: Tree, data: bytes, responses: int, malformed: int, pending: int = 0) -> None:
    """Hold the tree of *data* to what it should give."""
    answer = read(tree, data)
    assert figures(answer["total"]) == expected(responses, sessions=min(responses, 1))
    found = (answer["coverage"]["malformed"], answer["coverage"]["pending"])
    assert found == (malformed, pending)


@requirement("F14")
@pytest.mark.parametrize("between", [b"", b" ", b"\t", b"\r", b"\0\0"])
def test_two_objects_on_one_line_are_both_read(tree: Tree, between: bytes) -> None:
    check(tree, line(A) + between + line(B) + b"\n" + line(C) + b"\n", 3, 0)


@requirement("F14")
@pytest.mark.parametrize("first", [user(), {"type": "summary"}, {}, progress(A)])
def test_a_response_behind_another_object_is_read(tree: Tree, first: Row) -> None:
    check(tree, line(first) + line(A) + line({"type": "mode"}) + line(B) + b"\n", 2, 0)


@requirement("F14")
def test_ten_objects_on_one_line_are_all_read(tree: Tree) -> None:
    rows = [assistant(f"a{n}", **FULL) for n in range(10)]
    check(tree, b"".join(line(row) for row in rows) + b"\n", 10, 0)


@requirement("F14")
def test_two_objects_on_the_last_line_without_its_end_are_both_read(tree: Tree) -> None:
    check(tree, line(A) + b"\n" + line(B) + line(C), 3, 0)


CUTS = (1, 2, 30, 100, 200, 300, 400, -20, -2, -1)


@requirement("F14")
@pytest.mark.parametrize("cut", CUTS)
def test_half_an_object_then_a_whole_one(tree: Tree, cut: int) -> None:
    check(tree, line(A)[:cut] + line(B) + b"\n" + line(C) + b"\n", 2, 1)


@requirement("F14")
@pytest.mark.parametrize("cut", CUTS)
def test_half_a_prompt_then_a_whole_response(tree: Tree, cut: int) -> None:
    check(tree, line(user('She said "{" and } and \\' * 40))[:cut] + line(B) + b"\n", 1, 1)


@requirement("F14")
@pytest.mark.parametrize("cut", CUTS)
def test_a_torn_write_with_a_tail_and_an_empty_line(tree: Tree, cut: int) -> None:
    whole = line(A)
    check(tree, whole[:cut] + line(B) + whole[cut:] + b"\n\n" + line(C) + b"\n", 2, 2)


@requirement("F14")
def test_damage_between_whole_objects_costs_only_itself(tree: Tree) -> None:
    check(tree, line(A) + line(B)[:150] + line(C) + b"}}]\n", 2, 1)


@requirement("F14")
def test_rubbish_after_an_object_does_not_take_it_along(tree: Tree) -> None:
    check(tree, line(A) + b"}\n" + line(B) + b",\n" + line(C) + b" trailing {\n", 3, 3)


@requirement("F14")
def test_rubbish_before_an_object_does_not_take_it_along(tree: Tree) -> None:
    check(tree, b"}}" + line(A) + b"\nx" + line(B) + b"\n\xef\xbb\xbf{" + line(C) + b"\n", 3, 3)


@requirement("F14")
@pytest.mark.parametrize("missing", OWN)
def test_after_damage_an_object_counts_only_with_its_own_fields(tree: Tree, missing: str) -> None:
    check(tree, b"{" + line(without(A, missing)) + line(B) + b"\n", 1, 1)


@requirement("F14")
def test_without_damage_the_fields_are_not_asked_for(tree: Tree) -> None:
    bare = without(A, "uuid", "sessionId", "timestamp")
    check(tree, line(bare) + line(B) + b"\n", 2, 0)


@requirement("F14")
def test_an_object_before_the_damage_needs_no_fields_of_its_own(tree: Tree) -> None:
    check(tree, line(without(A, "uuid")) + b"{\n", 1, 1)


@requirement("F14")
def test_a_nested_message_after_damage_is_no_row(tree: Tree) -> None:
    nested = b'{"type": "progress", "data": {"message": ' + line(without(A, "sessionId"))
    check(tree, nested + b"\n" + line(B) + b"\n", 1, 1)


@requirement("F14")
def test_a_whole_progress_line_after_damage_hides_what_it_holds(tree: Tree) -> None:
    check(tree, b"{" + line({**progress(A), "sessionId": "s1"}) + line(B) + b"\n", 1, 1)


@requirement("F14")
def test_a_torn_line_without_its_end_is_pending_as_a_whole(tree: Tree) -> None:
    torn = line(A)[:200] + line(B)
    check(tree, line(C) + b"\n" + torn, 1, 0, pending=1)
    check(tree, line(C) + b"\n" + torn + b"\n", 2, 1)


@requirement("F14")
@pytest.mark.parametrize("escape", ["\\ud83d", "\\ude00", "\\ud83d\\ud83d", "\\uDFFFx\\uD800"])
def test_a_lone_surrogate_loses_no_row(tree: Tree, escape: str) -> None:
    data = lines([A, B]).replace(b"Done.", escape.encode())
    check(tree, data, 2, 0)


@requirement("F14")
@pytest.mark.parametrize("field", ["cwd", "gitBranch", "sessionId", "attributionAgent"])
def test_a_lone_surrogate_in_what_is_shown_stays_printable(tree: Tree, field: str) -> None:
    row = line({**A, field: "x@y", "isSidechain": True}).replace(b"@", b"\\ud83d")
    tree.put(f"{SLUG}/agent-a1.jsonl", row)
    for by in ("project", "branch", "session", "agent"):
        answer = usage(tree.root, "--by", by)
        assert figures(answer["total"]) == expected(1)
        json.dumps(answer, ensure_ascii=False).encode()
    for args in ((), ("--csv",)):
        ran = run("usage", "--root", str(tree.root), "--days", "all", "--by", "project", *args)
        assert (ran.code, ran.err) == (0, "")


@requirement("F14")
def test_a_lone_surrogate_in_a_model_is_a_model(tree: Tree) -> None:
    tree.put(f"{SLUG}/s1.jsonl", line(assistant("a", model="x@", **FULL)).replace(b"@", b"\\udc00"))
    assert list(split(tree.root, "model").values()) == [1]


@requirement("F14")
def test_times_that_go_backwards_lose_no_row(tree: Tree) -> None:
    times = [f"2026-01-{day:02}T10:00:00Z" for day in (9, 3, 7, 1, 5)]
    tree.main("s1", *(assistant(f"a{n}", time=time) for n, time in enumerate(times)))
    assert split(tree.root, "day") == {time[:10]: 1 for time in times}


@requirement("F14")
def test_a_message_of_numeric_keys_loses_no_neighbour(tree: Tree) -> None:
    odd = {**A, "message": {str(n): letter for n, letter in enumerate("event: ping\n" * 500)}}
    check(tree, lines([B, odd, C]), 2, 0)


@requirement("F14")
@pytest.mark.parametrize(
    "odd",
    [
        assistant("x", content=None, message={"content": "text"}, **FULL),
        assistant("x", message={"content": [{"type": "text"}] * 35}, **FULL),
        assistant("x", message={"content": [1, None, "x", {"type": 7}]}, **FULL),
        assistant("x", message={"stop_reason": 7}, **FULL),
        assistant("x", version=7, parentUuid=[], gitBranch=None, **FULL),
        assistant("x", toolUseResult=[{"agentId": 1}], **FULL),
        {**assistant("x", **FULL), "cwd": 7, "gitBranch": {"a": 1}, "agentId": [1]},
        {**assistant("x"), "sessionId": {"a": 1}, "isSidechain": "no"},
        {**assistant("x", **FULL), "requestId": 7},
        {**assistant("x", **FULL), "uuid": 7},
        {**assistant("x", **FULL), "attributionAgent": ["x"]},
        {**assistant("x", **FULL), "isApiErrorMessage": "maybe"},
        assistant("x", usage=counts(speed=7, inference_geo=[], service_tier={}), **FULL),
    ],
)
def test_fields_of_unexpected_types_lose_no_row(tree: Tree, odd: Row) -> None:
    check(tree, lines([A, odd, B]), 3, 0)


@requirement("F14")
@pytest.mark.parametrize("name", ["id", "requestId", "model", "speed"])
def test_nulls_inside_tool_inputs_hide_nothing(tree: Tree, name: str) -> None:
    given = {name: None, "usage": {"input_tokens": None, "output_tokens": 5}, "type": "user"}
    block = {"type": "tool_use", "id": "toolu_01", "name": "Read", "input": given}
    check(tree, lines([assistant("a", content=[block], **FULL), B]), 2, 0)


@requirement("F14")
def test_an_object_cut_by_a_line_end_loses_no_other(tree: Tree) -> None:
    data = line(A)
    check(tree, lines([B]) + data[:200] + b"\n" + data[200:] + b"\n" + lines([C]), 2, 2)
    assert total(tree.root)["responses"] == 2
