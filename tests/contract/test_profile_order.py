"""The figures of a profile at their edges, and its lists worst first whatever things are called."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from econome.contract import recorded as reading
from econome.contract.economies import Subject, economies
from econome.contract.profile import profile
from econome.contract.recorded import Answers, Measured, Recording
from econome.contract.response import profile_response
from econome.contract.static import fields_profile, static_class
from econome.lean.answers import shape
from econome.lean.menus import baseline
from econome.lean.rules import Budget, Ceilings
from econome.tokenizers import tokenizer
from tests.contract.looked import captured, look, recorded, says
from tests.lean.schemas import count, tool
from tests.requirements import requirement

pytestmark = requirement("L13", "L15", "LC17")

_QUARTERS = tokenizer("chars/4")


def test_namespaces_answers_and_kinds_are_told_the_dearest_first_and_not_by_name() -> None:
    tools = [
        tool("a.x", "Short"),
        tool("z.x", "Long " * 60),
        tool("m.x", "Some " * 20),
        tool("b.x", "Short"),
    ]
    heard = recorded(
        ("a.x", says("a " * 10)),
        ("z.x", says("z " * 900)),
        ("m.x", says("[1,2]", "Rules:\n- " + "always " * 40, "text " * 20)),
        ("b.x", says("a " * 10)),
    )
    found = look(captured(tools), recording=heard)
    assert [one["namespace"] for one in found["menu"]["namespaces"]] == ["z", "m", "a", "b"]
    assert list(found["answers"]) == ["z.x", "m.x", "a.x", "b.x"]
    assert list(found["answers"]["m.x"]["by_kind"]) == ["rules", "text", "data"]


def test_advice_on_answers_has_the_largest_answer_first_and_not_the_dearest_tool() -> None:
    heard = recorded(
        *[("often", says("x " * 5_000))] * 3,
        ("a", says("x " * 4_500)),
        ("once", says("x " * 9_000)),
    )
    found = look(captured([tool("often"), tool("a"), tool("once")]), recording=heard)
    assert next(iter(found["answers"])) == "often"
    said = [one.partition("]")[0][1:] for one in found["advisories"] if "an answer of" in one]
    assert said == ["once", "often", "a"]


@pytest.mark.parametrize(
    ("overhead", "warned"),
    [(200, True), (199, False)],
)
def test_overhead_is_warned_of_from_two_hundred_tokens_on(overhead: int, warned: bool) -> None:
    parts = [("data", "x" * 100), ("rules", "y" * overhead)]
    found = profile_response(parts, count=len, tool="get")
    assert (found.overhead, found.advisory.startswith("OVERHEAD WARNING")) == (overhead, warned)


@pytest.mark.parametrize(("overhead", "warned"), [(400, True), (399, False)])
def test_of_answers_in_all_the_mean_overhead_counts_from_two_hundred_on(
    overhead: int, warned: bool
) -> None:
    own = Answers(calls=3, unanswered=1)
    own.take(profile_response([("data", "x" * 450)], count=len, tool="get"))
    own.take(profile_response([("rules", "y" * overhead)], count=len, tool="get"))
    heard = Recording("chars/4", {"": reading.Served({"get": own})})
    found = profile(
        captured([tool("get")]),
        count=_QUARTERS.count,
        tokenizer="chars/4",
        estimate=True,
        recording=heard,
    )
    said = [one for one in found["advisories"] if "OVERHEAD WARNING: more than" in one]
    assert bool(said) is warned


@pytest.mark.parametrize(
    ("before", "answers", "mean"),
    [(5, 2, 3), (7, 2, 4), (4, 3, 1), (5, 3, 2), (1, 2, 1), (0, 2, 0)],
)
def test_a_mean_is_rounded_and_a_half_goes_up(before: int, answers: int, mean: int) -> None:
    own = Measured(limit=9, answers=answers, before=before, limited=before, encoded=before)
    subject = Subject("fs", [tool("t")], answers={"t": Answers(calls=answers, measured=own)})
    rows = [row for row in economies(subject, count=count) if row["basis"] == "measured"]
    assert [(row["economy"], row["tokens_before"], row["tokens_after"]) for row in rows] == [
        ("limit", mean, mean),
        ("encode", mean, mean),
    ]


def _encode(**measured: Any) -> list[dict[str, Any]]:
    own = None if not measured else Measured(limit=9, **measured)
    subject = Subject("fs", [tool("t")], answers={"t": Answers(calls=4, measured=own)})
    return [row for row in economies(subject, count=count) if row["economy"] == "encode"]


def test_what_encoding_saves_is_told_of_answers_that_were_measured_and_of_no_others() -> None:
    (row,) = _encode(answers=4, before=400, limited=100, encoded=200, cut=0, rows_cut=0)
    assert (row["what"], row["tokens_before"], row["tokens_after"], row["per"], row["basis"]) == (
        "t",
        100,
        50,
        "answer",
        "measured",
    )
    assert row["note"] == "the smallest form that decodes to the same, over 4 recorded"
    (row,) = _encode(answers=4, before=400, limited=100, encoded=200, cut=1, rows_cut=9)
    assert row["note"].endswith("so the two cannot be added")
    for none in (_encode(), _encode(answers=0)):
        ((what, basis),) = [(row["what"], row["basis"]) for row in none]
        assert (what, basis) == ("answers", None)


def test_a_short_text_of_a_tool_that_is_closed_saves_nothing() -> None:
    open_, shut = tool("open", "Opens. " * 30), tool("shut", "Shuts. " * 30)
    machine = {"initial": "new", "states": {"new": {}}}
    said: dict[str, dict[str, Any]] = {"shut": {"states": ["done"], "short": "Shuts"}}

    def rows() -> list[tuple[str, int, int]]:
        subject = Subject("fs", [open_, shut], economies=said, machine=machine)
        return [
            (row["what"], row["tokens_before"], row["tokens_after"])
            for row in economies(subject, count=count)
            if row["economy"] == "compact"
        ]

    whole, shown = (
        sum(count(baseline(one)) for one in tools) for tools in ([open_, shut], [open_])
    )
    closed = ("tools closed in the state new", whole, shown)
    assert rows() == [closed]
    said["open"] = {"states": ["new"], "short": "Opens"}
    after = count(baseline({**open_, "description": "Opens"}))
    assert sorted(rows()) == sorted([closed, ("short texts in the state new", shown, after)])


def test_an_answer_that_is_over_its_budget_is_told_with_the_largest_that_was_recorded() -> None:
    heard = recorded(("a", says("x " * 300)), ("a", says("x")), ("b", says("x")))
    largest = count("x " * 300)
    for budget, level in (
        (Budget(answer_tokens=largest - 1), "fail"),
        (Budget(warn=Ceilings(answer_tokens=largest - 1)), "warn"),
        (Budget(answer_tokens=largest), None),
    ):
        found = look(captured([tool("a"), tool("b")]), recording=heard, budget=budget)
        told = [
            (one["level"], one["scope"], one["name"], one["tokens"], one["ceiling"])
            for one in found["budget"]
        ]
        assert told == ([(level, "answer", "a", largest, largest - 1)] if level else [])


@pytest.mark.parametrize(("fields", "told"), [(15, False), (16, True)])
def test_more_than_fifteen_fields_are_advised_on(fields: int, told: bool) -> None:
    advice = f"answer with fewer fields, or offer a selection: there are {fields}"
    names = [f"f{at}" for at in range(fields)]
    assert (advice in fields_profile(names).advice) is told
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    assert (advice in static_class({"name": "t", "outputSchema": schema}).advice) is told


def test_a_cap_that_is_larger_than_one_row_does_not_make_it_larger() -> None:
    names = ["a", "b"]
    alone, capped = fields_profile(names, 1), fields_profile(names, 1, 10**9)
    assert (capped.min_tokens, capped.max_tokens, capped.risk) == (
        alone.min_tokens,
        alone.max_tokens,
        "low",
    )
    assert fields_profile(names, None, 10**9).risk == "critical"


def _messages(*messages: dict[str, Any]) -> Recording:
    return Recording.read((json.dumps(one).encode() for one in messages), method=_QUARTERS)


def test_a_session_ends_where_the_next_is_initialized() -> None:
    call = {"id": 1, "method": "tools/call", "params": {"name": "get"}}
    begin = {"id": 0, "method": "initialize", "params": {}}
    answer = {"id": 1, "result": says("pong")}
    found = _messages(call, begin, answer)
    assert [
        (one.calls, one.unanswered, one.tokens.many) for one in found.servers[""].answers.values()
    ] == [(1, 1, 0)]
    assert found.skipped == {"answers without a call": 1}
    first = {"id": 5, "method": "tools/list", "params": {}}
    page = {"id": 5, "result": {"tools": [{"name": "a"}], "nextCursor": "c"}}
    second = {"id": 6, "method": "tools/list", "params": {"cursor": "c"}}
    last = {"id": 6, "result": {"tools": [{"name": "b"}]}}
    assert [one["name"] for one in _messages(first, page, second, last).of("")[0].menu] == [
        "a",
        "b",
    ]
    assert _messages(first, page, begin, second, last).of("")[0].menu == ()


def test_an_answer_that_would_be_larger_encoded_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:

    def larger(*given: Any, rule: Any, **more: Any) -> Any:
        made = shape(*given, rule=rule, **more)
        return replace(made, after=made.after + " and more" * 50) if rule.encode else made

    monkeypatch.setattr(reading, "shape", larger)
    own = recorded(("t", says("[1,2,3]"))).servers[""].answers["t"].measured
    assert own is not None
    assert own.answers == 1
    assert own.before == own.encoded == own.limited == count("[1,2,3]")
