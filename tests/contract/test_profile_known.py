"""A profile says what is known: of a server its own calls, of no menu no figure, of no schema no class."""

from __future__ import annotations

from econome.contract.captured import Captured
from econome.lean.rules import Budget
from tests.contract.looked import captured, look, recorded, says
from tests.lean.schemas import tool
from tests.requirements import requirement

pytestmark = requirement("L15")

_AROUND = "what a client writes around menus and answers is not counted"
_ESTIMATED = "figures are estimates by features-v1, and no provider's count"


def test_a_server_that_was_asked_has_only_the_calls_of_its_own_tools() -> None:
    heard = recorded(("ping", says("pong")), ("net", says("no")))
    of = captured([tool("ping"), tool("idle")], protocol="2025-11-25")
    found = look(of, recording=heard, budget=Budget(answer_tokens=1))
    assert list(found["answers"]) == ["ping"]
    assert [one["tool"] for one in found["never_called"]["tools"]] == ["idle"]
    assert "of the recording, 1 call of tools that the server does not have" in found["omitted"]
    other = look(captured([tool("idle")], protocol="2025-11-25"), recording=heard)
    assert (other["answers"], other["never_called"]) == ({}, None)
    shown = Captured("fs", (tool("a"),), (tool("ping"),), protocol="2025-11-25")
    assert list(look(shown, recording=heard)["answers"]) == ["ping"]


def test_of_a_recording_without_a_list_of_tools_nothing_is_said_of_a_menu() -> None:
    found = look(Captured("log"), recording=recorded(("get", says("x"))), budget=Budget())
    menu = found["menu"]
    forms = menu.pop("forms")
    assert menu == {
        "per_turn": None,
        "declared": None,
        "deferred": None,
        "instructions": None,
        "library": False,
        "listed": [],
        "tools": [],
        "namespaces": [],
    }
    assert {form["tokens"] for form in forms} == {None}
    keys = ("class", "class_known", "never_called", "budget")
    assert [found[key] for key in keys] == [None] * 4
    assert found["omitted"] == [_AROUND, _ESTIMATED]
    per_turn = [row for row in found["economies"] if row["per"] == "turn"]
    assert {(row["tokens_before"], row["tokens_after"]) for row in per_turn} == {(None, None)}
    asked = look(Captured("none", protocol="2025-11-25"))
    assert (asked["menu"]["per_turn"], asked["menu"]["instructions"], asked["class"]) == (
        0,
        0,
        "low",
    )


def test_the_worst_tool_comes_first_and_one_that_nothing_is_known_of_is_no_better_than_low() -> (
    None
):
    text = {"type": "string"}
    one = {"type": "object", "properties": {"a": text}}
    tools = [
        {**tool("cheap"), "outputSchema": one},
        tool("unknown", "Long. " * 40),
        {**tool("low", "Longer. " * 80), "outputSchema": one},
        {**tool("list"), "outputSchema": {"type": "array", "items": text}},
    ]
    found = look(captured(tools))
    order = [(one["tool"], one["class"]) for one in found["menu"]["tools"]]
    assert order == [("list", "high"), ("low", "low"), ("unknown", "low"), ("cheap", "low")]
    assert (found["class"], found["class_known"]) == ("high", 3)


def test_what_of_its_lists_could_not_be_read_is_said() -> None:
    lines = tuple(f"entry {at} of its tools is no object that can be read" for at in range(5))
    found = look(captured([tool("a")], unreadable=lines))
    assert found["omitted"][2:6] == [*lines[:3], "2 more entries of its lists cannot be read"]
