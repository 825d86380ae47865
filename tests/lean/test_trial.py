"""A dry run says what a menu costs, in each form as a client would be shown it, and why something is not had."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from econome.lean import FORMS
from econome.lean.proxy.shared import Lean
from econome.lean.proxy.trial import trial
from econome.lean.rules import Budget, Named, ServerRules, ToolRules, rules_of
from tests.http.proxied import lean as made
from tests.lean.connections import tool
from tests.requirements import requirement

pytestmark = requirement("L2", "L8")

FIELDS = [
    "name",
    "city",
    "age",
    "street",
    "phone",
    "mail",
    "note",
    "state",
    "team",
    "boss",
    "desk",
    "floor",
]
WIDE = {"type": "object", "properties": {name: {"type": "string"} for name in FIELDS}}
ONE = {"type": "object", "properties": {"a": {"type": "string"}}}


def told(name: str, **fields: str) -> dict[str, Any]:
    """Return a tool with something in its schema that a flat form leaves out."""
    made = tool(name, **fields)
    schema = "http://json-schema.org/draft-07/schema#"
    return {**made, "inputSchema": {"$schema": schema, **made["inputSchema"]}}


LISTED: dict[str, Any] = {
    "wide": {**told("wide", number="integer"), "outputSchema": WIDE},
    "narrow": {**told("narrow", number="integer"), "outputSchema": ONE},
    "own": {**told("own", _select="string"), "outputSchema": WIDE},
    "open": {**told("open", number="integer"), "outputSchema": {"type": "object"}},
    "silent": told("silent", number="integer"),
    "small": {"name": "small", "inputSchema": {"type": "object"}},
}


NAMES = ["wide", "narrow", "own", "open", "silent"]


def report(*names: str, of: Lean, **more: Any) -> dict[str, Any]:
    tools = [json.dumps(LISTED[name]).encode() for name in names or LISTED]
    return trial(of, tools, "claude-code", Budget(), estimate=True, **more)


def ruled(lean: Lean, **rules: Any) -> Lean:
    return replace(lean, rules=ServerRules(usual=ToolRules(**rules)))


@pytest.mark.parametrize("form", [form for form in FORMS if form != "auto"])
@pytest.mark.parametrize("rules", [{}, {"limit": 3}, {"limit": 3, "select": True}])
def test_a_form_costs_in_its_table_what_it_costs_when_it_is_asked_for(
    form: str, rules: dict[str, Any]
) -> None:
    names = ["wide", "narrow", "silent", "open"]
    found = report(*names, of=ruled(made(menu=form), **rules))
    (row,) = (row for row in found["forms"] if row["form"] == form)
    assert (found["form"], row) == (
        form,
        {"form": form, "tokens": found["tokens_after"], "reason": None},
    )
    others = {row["form"]: row["tokens"] for row in found["forms"]}
    assert others == {
        row["form"]: row["tokens"] for row in report(*names, of=ruled(made(), **rules))["forms"]
    }


def test_a_form_that_is_not_had_says_why() -> None:
    found = report("small", of=made(menu="grouped"))
    reasons = {row["form"]: row["reason"] for row in found["forms"] if row["tokens"] is None}
    assert reasons["grouped"] == "does not apply: shop: one action is no group"
    assert reasons["lazy"] == reasons["lean"]
    assert re.fullmatch(
        r"not surely smaller \(\d+ tokens, the tools as they are \d+\)", reasons["lean"]
    )
    assert found["reason"] == reasons["grouped"]
    assert report("small", of=made(menu="auto"))["reason"] is None


def test_each_tool_that_is_to_take_select_says_whether_it_does_and_why_not() -> None:
    found = report(*NAMES, of=ruled(made(menu="flat"), select=True))["select"]
    assert [row["tool"] for row in found] == NAMES
    reasons = {row["tool"]: row["reason"] for row in found}
    assert {row["tool"]: row["offered"] for row in found} == {
        name: reason is None for name, reason in reasons.items()
    }
    narrow = reasons.pop("narrow")
    assert reasons == {
        "wide": None,
        "own": "there is a field _select already",
        "open": "its output schema names no fields",
        "silent": "it declares no output schema",
    }
    assert narrow.startswith("its names cost ")
    assert narrow.endswith(" tokens a turn, one narrowed answer saves about 0")


@pytest.mark.parametrize("form", ["grouped", "signatures", "lean", "lazy"])
def test_a_group_takes_select_for_all_that_has_fields(form: str) -> None:
    found = report("wide", "narrow", "silent", of=ruled(made(menu=form), select=True))
    assert found["form"] == form
    assert [row["reason"] for row in found["select"]] == [
        None,
        None,
        "it declares no output schema",
    ]


def test_nothing_is_said_of_select_where_nobody_asked_for_it() -> None:
    assert report(of=made())["select"] is None
    alone = ServerRules(tools={"wide": ToolRules(select=True)})
    found = report(of=replace(made(menu="flat"), rules=alone))["select"]
    assert found == [{"tool": "wide", "offered": True, "reason": None}]


@pytest.mark.parametrize(
    "lean, reason",
    [
        (made(menu="untouched"), "untouched tools stay as they are"),
        (made(passing=True), "--pass changes nothing"),
    ],
)
def test_what_is_left_as_it_is_takes_no_select(lean: Lean, reason: str) -> None:
    (found,) = report("wide", of=ruled(lean, select=True))["select"]
    assert found == {"tool": "wide", "offered": False, "reason": reason}


def test_what_the_rules_add_to_a_menu_is_counted_apart() -> None:
    names = ["wide", "narrow", "silent"]
    for form in ("untouched", "flat", "grouped", "signatures", "lean"):
        bare = report(*names, of=made(menu=form))
        full = report(*names, of=ruled(made(menu=form), limit=3, select=True))
        assert (bare["form"], full["form"], bare["tokens_added"]) == (form, form, 0)
        assert full["tokens_added"] == full["tokens_after"] - bare["tokens_after"] > 0
        assert full["tokens_before"] == bare["tokens_before"]


@requirement("L1")
def test_a_group_says_whether_its_actions_stand_in_a_table_or_in_sentences() -> None:
    assert report(*NAMES[:3], of=made(menu="grouped"))["wording"] == "table"
    assert report(*NAMES[:3], of=made(menu="flat"))["wording"] is None
    text = "The number of the bill, as it stands on the letter that came with it."
    schema = {"type": "object", "properties": {"number": {"type": "integer", "description": text}}}
    bare = [json.dumps({"name": name, "inputSchema": schema}).encode() for name in ("a", "b", "c")]
    found = trial(made(menu="grouped"), bare, "claude-code", Budget(), estimate=True)
    assert (found["form"], found["wording"]) == ("grouped", "prose")


def test_rules_for_what_is_not_there_are_pointed_out() -> None:
    values = {
        "servers": {"shop": {"tools": {"wide": {}, "wise": {}}}, "other": {}, "*": {"tools": {"x": {}}}},
        "budgets": {"a.b": {}, "*": {}},
    }  # fmt: skip
    rules = rules_of(values, "econome.toml")
    assert rules.named("shop") == Named(("wide", "wise"), ('budgets."a.b"',))
    assert rules.named("third") == Named((), ("servers.shop", "servers.other", 'budgets."a.b"'))
    found = report(of=made(), named=rules.named("shop"))
    assert (found["unknown_tools"], found["other_tables"]) == (["wise"], ['budgets."a.b"'])


def test_what_a_client_keeps_as_a_structure_is_whole_and_the_report_says_so() -> None:
    def told(client: str, **rules: Any) -> tuple[Any, Any]:
        tools = [json.dumps(LISTED["wide"]).encode()]
        found = trial(ruled(made(menu="flat"), **rules), tools, client, Budget(), estimate=True)
        return found["structures_whole"], found["select"]

    (whole, (row,)) = told("another", limit=3, select=True)
    assert whole
    assert row == {
        "tool": "wide",
        "offered": False,
        "reason": "this client keeps structures, which are never narrowed",
    }
    assert told("another") == (False, None)
    assert told("claude-code", max_bytes=9)[0] is False
