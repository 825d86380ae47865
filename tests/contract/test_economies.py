"""What each economy would save: in order, on one basis each, and None where nobody can know."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.contract.economies import ECONOMIES, GROUPS, Bounds, Subject, economies, forms
from econome.contract.recorded import Answers, Recording
from econome.lean.menus import Menu, baseline
from econome.tokenizers import tokenizer
from tests.lean.schemas import BILLING, FILES, count, named_tools, tool
from tests.requirements import requirement

pytestmark = requirement("L15")

_KEYS = ["economy", "order", "what", "tokens_before", "tokens_after", "per", "basis", "note"]


def listing(fields: int, name: str = "list", **bounds: Any) -> dict[str, Any]:
    """Return a tool that answers with a list of records."""
    properties = {f"field_{at}": {"type": "string"} for at in range(fields)}
    rows = {"type": "array", "items": {"type": "object", "properties": properties}, **bounds}
    return {**tool(name, "List all"), "outputSchema": rows}


def recorded(name: str, *texts: str) -> dict[str, Answers]:
    """Return the answers of a tool that answered with these texts."""
    lines = []
    for at, text in enumerate(texts):
        call = {"id": at, "method": "tools/call", "params": {"name": name}}
        answer = {"id": at, "result": {"content": [{"type": "text", "text": text}]}}
        lines += [json.dumps(call).encode(), json.dumps(answer).encode()]
    return dict(Recording.read(lines, method=tokenizer("features-v1")).of(name)[0].answers)


def rows_of(economy: str, subject: Subject, **more: Any) -> list[dict[str, Any]]:
    """Return the rows of one economy."""
    return [row for row in economies(subject, count=count, **more) if row["economy"] == economy]


@pytest.mark.slow
@given(named_tools())
def test_rows_come_in_the_order_of_operations_and_each_on_one_basis(tools: list[Any]) -> None:
    found = economies(Subject("fs", tools), count=count)
    assert [row["order"] for row in found] == sorted(row["order"] for row in found)
    assert {row["order"] for row in found} == {1, 2, 3, 4, 5, 6}
    for row in found:
        assert list(row) == _KEYS
        assert row["order"] == ECONOMIES[row["economy"]]
        assert row["per"] in ("turn", "answer")
        assert (row["tokens_after"] is None) is (row["basis"] is None)
        assert row["note"]


def test_forms_of_the_menu_are_counted_as_the_proxy_would_show_them() -> None:
    before = sum(count(baseline(one)) for one in FILES)
    found = {row["what"]: row for row in rows_of("group", Subject("fs", FILES))}
    assert set(found) == {f"menu as {form}" for form in GROUPS}
    for form in GROUPS:
        menu = Menu.of(FILES, name="fs", form=form, count=count, keep_output=True)
        row = found[f"menu as {form}"]
        assert row["tokens_before"] == before
        assert row["tokens_after"] == (menu.total_after if menu.form == form else None)


def test_a_form_that_is_not_had_says_why() -> None:
    (one,) = (
        row for row in forms(Subject("n", [tool("ping")]), count=count) if row["form"] == "lean"
    )
    assert one["tokens"] is None
    assert one["reason"].startswith("lean would cost")
    assert all(
        row["tokens"] is None and row["reason"] for row in forms(Subject("n", []), count=count)
    )


def test_a_selection_says_what_it_costs_and_from_when_on_it_pays() -> None:
    (row,) = rows_of("select", Subject("n", [listing(9)]))
    assert (row["what"], row["basis"], row["per"]) == ("list", "estimated", "answer")
    assert row["tokens_before"] - row["tokens_after"] == 6 * (count("field_0") + 8)
    assert "tokens a turn and pays from 1.0 narrowed records" in row["note"]
    (offered,) = rows_of("select", Subject("n", [listing(9)], {"list": {"select": ["field_0"]}}))
    assert offered["note"] == f"it is offered; {row['note']}"
    (none,) = rows_of("select", Subject("n", BILLING))
    assert (none["tokens_before"], none["basis"]) == (None, None)


def test_a_limit_is_estimated_from_the_schema_where_nothing_was_recorded() -> None:
    tools = [listing(11, "all"), listing(11, "few", maxItems=9), tool("vague")]
    (estimated, unknown) = rows_of("limit", Subject("n", tools))
    assert (estimated["what"], estimated["basis"]) == ("all", "estimated")
    assert (estimated["tokens_before"], estimated["tokens_after"]) == (8_800, 4_450)
    assert estimated["note"] == "of a hundred rows, 50 are kept; class critical becomes low"
    assert (unknown["what"], unknown["basis"]) == ("1 tool", None)
    bounded = Subject("n", tools[:1], bounds={"all": Bounds(limit=20)})
    assert [row["basis"] for row in rows_of("limit", bounded)] == [None]
    (nested,) = rows_of("limit", Subject("n", [{**tool("deep"), "outputSchema": {"type": "array", "items": {"type": "array"}}}]))  # fmt: skip
    assert nested["note"] == "a limit of 50 does not bound /*: cap its bytes"
    assert (nested["tokens_before"], nested["tokens_after"], nested["basis"]) == (600, None, None)
    (plain,) = rows_of("limit", Subject("n", [{**tool("tags"), "outputSchema": {"type": "array"}}]))
    assert (plain["tokens_before"], plain["tokens_after"]) == (600, 350)


def test_recorded_answers_are_measured_and_never_estimated_beside() -> None:
    text = json.dumps([{"id": at, "name": f"row {at}"} for at in range(80)])
    heard = recorded("all", text, text, "plain")
    subject = Subject("n", [listing(11, "all")], answers=heard)
    (limited,) = rows_of("limit", subject)
    assert (limited["what"], limited["basis"]) == ("all", "measured")
    assert limited["note"] == (
        "limit 50: 60 rows cut in 2 of 3 recorded; rows are weighed as compact JSON"
    )
    (encoded,) = rows_of("encode", subject)
    assert encoded["tokens_before"] == limited["tokens_before"] > encoded["tokens_after"]
    assert encoded["tokens_before"] == (2 * heard["all"].tokens.total + 3) // 6
    assert encoded["note"].endswith("; rows that a limit cuts are still in it, so the two cannot be added")  # fmt: skip
    short = Subject("n", [listing(11, "all")], answers=recorded("all", "plain"))
    assert "cannot be added" not in rows_of("encode", short)[0]["note"]
    assert [row["basis"] for row in rows_of("encode", Subject("n", BILLING))] == [None]


def test_a_table_that_is_longer_than_prose_is_told_by_how_much() -> None:
    (shorter,) = rows_of("table", Subject("billing", BILLING))
    assert shorter["tokens_after"] < shorter["tokens_before"]
    terse = [tool("a"), tool("b")]
    (longer,) = rows_of("table", Subject("n", terse))
    more = longer["tokens_after"] - longer["tokens_before"]
    assert more > 0
    assert f"the table is {more} tokens longer" in longer["note"]
    assert shorter["basis"] == longer["basis"] == "counted"


@pytest.mark.parametrize("form", ["counted", "estimated"])
def test_short_texts_are_counted_where_declared_and_estimated_elsewhere(form: str) -> None:
    long = {**tool("pay", "Pay for it. " * 30), "name": "pay"}
    tools = [long, tool("add", "Add to it")]
    machine = {"initial": "empty", "states": {"empty": {}, "full": {}}}
    if form == "counted":
        known: dict[str, dict[str, Any]] = {
            "pay": {"short": "Pay", "states": ["empty"]},
            "add": {"states": ["full"]},
        }
        (closed, short) = rows_of("compact", Subject("n", tools, known, machine))[::-1]
        whole = [count(baseline(one)) for one in tools]
        brief = count(baseline({**long, "description": "Pay"}))
        assert (closed["tokens_before"], closed["tokens_after"]) == (sum(whole), whole[0])
        assert (short["tokens_before"], short["tokens_after"]) == (whole[0], brief)
        assert closed["basis"] == short["basis"] == "counted"
        return
    (row,) = rows_of("compact", Subject("n", tools))
    assert row["basis"] == "estimated"
    assert row["tokens_after"] < row["tokens_before"]


def test_two_tools_of_one_name_are_both_counted() -> None:
    tools = [tool("pay", "Pay. " * 30), tool("pay", "Pay something else altogether. " * 9)]
    whole = sum(count(baseline(one)) for one in tools)
    (row,) = rows_of("compact", Subject("n", tools))
    assert row["tokens_before"] == whole
    known = {"pay": {"states": ["empty"], "short": "Pay"}}
    machine = {"initial": "empty", "states": {"empty": {}}}
    by_state = {row["what"]: row for row in rows_of("compact", Subject("n", tools, known, machine))}
    closed = by_state["tools closed in the state empty"]
    short = by_state["short texts in the state empty"]
    assert closed["tokens_before"] == closed["tokens_after"] == short["tokens_before"] == whole
    brief = sum(count(baseline({**one, "description": "Pay"})) for one in tools)
    assert short["tokens_after"] == brief


def test_where_no_tools_are_known_no_figure_is_given() -> None:
    rows = economies(Subject("n", []), count=count)
    assert {row["economy"] for row in rows} == set(ECONOMIES) - {"table"}
    for row in rows:
        assert (row["tokens_before"], row["tokens_after"], row["basis"]) == (None, None, None)
    untold = ("group", "select", "limit", "compact")
    assert {row["note"] for row in rows if row["economy"] in untold} == {
        "no list of tools is known"
    }


def test_the_lock_comes_last_and_saves_nothing_by_itself() -> None:
    last = economies(Subject("n", BILLING), count=count)[-1]
    assert (last["economy"], last["tokens_before"], last["basis"]) == ("lock", None, None)


@pytest.mark.slow
@given(named_tools(), st.randoms())
def test_the_order_of_tools_changes_no_counted_or_estimated_sum(
    tools: list[Any], dice: Any
) -> None:
    other = list(tools)
    dice.shuffle(other)
    one, two = (
        [row for row in economies(Subject("fs", order), count=count) if row["order"] in (2, 3, 5)]
        for order in (tools, other)
    )
    assert one == two
