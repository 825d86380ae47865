"""`econome.toml` says what is done for servers, tools and clients, and what is wrong in it is told with its place."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import SettingsError
from econome.lean import FORMS
from econome.lean.rules import Budget, Ceilings, ServerRules, ToolRules, budgets_only, rules_of
from tests.requirements import requirement

pytestmark = requirement("L6", "L10")

WHOLE = """
[servers."*"]
limit = 50
tokenizer = "chars/4"
[servers.github]
menu = "lean"
max_bytes = 20000
header_env = { Authorization = "GITHUB_AUTH" }
[servers.github.tools.list_issues]
limit = 20
rows = "items"
select = true
[clients.claude-code]
text = false
menu = "flat"
[budgets.github]
menu_tokens = 2000
"""


def test_a_server_s_own_rules_stand_above_those_for_all() -> None:
    rules = rules_of(tomllib.loads(WHOLE), "econome.toml")
    assert rules.server("github") == ServerRules(
        menu="lean",
        tokenizer="chars/4",
        header_env={"Authorization": "GITHUB_AUTH"},
        usual=ToolRules(limit=50, max_bytes=20000),
        tools={"list_issues": ToolRules(limit=20, rows="items", select=True)},
    ).over(ServerRules(usual=ToolRules(limit=50)))
    assert rules.server("other") == ServerRules(tokenizer="chars/4", usual=ToolRules(limit=50))
    assert rules.clients == {"claude-code": {"text": False, "menu": "flat"}}
    assert rules.budget("github") == Budget(menu_tokens=2000)
    assert rules.budget("other") == Budget()


def test_a_tool_s_rules_stand_above_its_server_s() -> None:
    github = rules_of(tomllib.loads(WHOLE), "econome.toml").server("github")
    assert github.tool("list_issues") == ToolRules(20, "items", 20000, True)
    assert github.tool("another") == ToolRules(limit=50, max_bytes=20000)
    assert (github.cuts(), github.selects()) == (True, True)


@pytest.mark.parametrize(
    "text, where, reason",
    [
        ("[server.x]", "server", "unknown; known here: servers, clients, budgets"),
        ("servers = 1", "servers", "expected a table"),
        ("[servers]\nx = 1", "servers.x", "expected a table"),
        ("[servers.x]\nmenus = 'flat'", "servers.x.menus", "unknown"),
        ("[servers.x]\nmenu = 'tiny'", "servers.x.menu", "expected one of auto, flat"),
        ("[servers.x]\nlimit = 0", "servers.x.limit", "expected a whole number of at least 1"),
        ("[servers.x]\nlimit = true", "servers.x.limit", "expected a whole number of at least 1"),
        ("[servers.'a.b']\nselect = 1", 'servers."a.b".select', "expected true or false"),
        ("[servers.x]\ntokenizer = ''", "servers.x.tokenizer", "expected a text"),
        ("[servers.x.header_env]\nA = 1", "servers.x.header_env.A", "expected the name"),
        ("[servers.x.tools.t]\nmenu = 'flat'", "servers.x.tools.t.menu", "unknown"),
        ("[clients.c]\nlimit = 1", "clients.c.limit", "unknown; known here: text, menu"),
        ("[clients.c]\ntext = 'yes'", "clients.c.text", "expected true or false"),
        ("[budgets.x]\nmenu_tokens = -1", "budgets.x.menu_tokens", "expected a whole number"),
        ("[budgets.x]\ntokens = 1", "budgets.x.tokens", "unknown; known here: menu_tokens, answer"),
        ("[budgets.x]\nwarn = 1", "budgets.x.warn", "expected a table"),
        ("[budgets.x.warn]\ntool_tokens = 0", "budgets.x.warn.tool_tokens", "expected a whole"),
        ("[budgets.x.warn.warn]\n", "budgets.x.warn.warn", "unknown; known here: menu_tokens"),
        ("[budgets.x.tools]\nt = 5", "budgets.x.tools.t", "expected a table"),
        ("[budgets.x.tools.t]\n", "budgets.x.tools.t", "expected tokens = N"),
        ("[budgets.x.tools.t]\nmenu_tokens = 1", "budgets.x.tools.t.menu_tokens", "unknown"),
        ("[budgets.x.warn.namespaces.n]\ntokens = 'a'", "budgets.x.warn.namespaces.n.tokens",
         "expected a whole number"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(text: str, where: str, reason: str) -> None:
    with pytest.raises(SettingsError) as caught:
        rules_of(tomllib.loads(text), "econome.toml")
    assert (caught.value.path, caught.value.where) == ("econome.toml", where)
    assert caught.value.reason.startswith(reason)


@pytest.mark.parametrize(
    "text, line, told",
    [
        ("\n[servers.x]\nlimit = 0", 3, "expected a whole number of at least 1, not 0"),
        ("[servers.x]\nmenu = 'tiny'", 2, f"expected one of {', '.join(FORMS)}, not \"tiny\""),
        ("[servers.x]\nmore = 1.5", 2, "expected true or false, not 1.5"),
        ("[servers.x]\nlimit = 2026-01-01", 2, "expected a whole number of at least 1, not 2026-01-01"),
        ("# a\nservers = [\n1,\n2]", 2, "expected a table, not [1, 2]"),
        ("[clients.c]\ntext = \"\"\"\nyes\n\"\"\"", 2, 'expected true or false, not "yes\\n"'),
        ("[clients.c]\ntext = '" + "x" * 99 + "'", 2, f'expected true or false, not "{"x" * 38}…'),
        ("[clients.c]\nmenu = 'flat'\n[servers.y]\nmenu = 'lean'\n[servers.y.tools.t]\nlimit = -1", 6,
         "expected a whole number of at least 1, not -1"),
        ("[servers.x.tools]\n't' = { limit = true }", 2, "expected a whole number of at least 1, not true"),
        ("servers.x.'limit'=0\n", 1, "expected a whole number of at least 1, not 0"),
        ("[servers.x.header_env]\nAuthorization = 12345", 2, "expected the name of an environment variable"),
        ("[servers.x.header_env]\nAuthorization = ''", 2, "expected the name of an environment variable"),
        ("[[servers]]\n[[servers.x]]\n", 1, "expected a table, not [{\"x\": [{}]}]"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_value_and_its_line(text: str, line: int, told: str) -> None:
    with pytest.raises(SettingsError) as caught:
        rules_of(tomllib.loads(text), "econome.toml", text)
    place, _, reason = str(caught.value).removeprefix("econome.toml: ").partition(": expected")
    assert place.startswith(f"line {line}: ")
    assert f"expected{reason}" == told


@pytest.mark.parametrize("table", ["servers", "clients", "other"])
def test_a_file_that_others_may_have_written_sets_budgets_and_nothing_else(table: str) -> None:
    values: dict[str, Any] = {"budgets": {"x": {"answer_tokens": 5}}}
    assert budgets_only(values, "econome.toml") == {"x": Budget(answer_tokens=5)}
    with pytest.raises(SettingsError) as caught:
        budgets_only({**values, table: {}}, "econome.toml")
    assert caught.value.where == table


def test_a_switch_that_is_off_for_a_tool_stays_off() -> None:
    rules = rules_of({"servers": {"x": {"more": True, "tools": {"t": {"more": False}}}}}, "f")
    assert rules.server("x").tool("t").more is False


def test_the_example_in_the_page_is_taken_as_it_stands() -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    example = (docs / "examples" / "econome.toml").read_text(encoding="utf-8")
    rules = rules_of(tomllib.loads(example), "econome.toml")
    assert example.partition("\n\n")[2] in (docs / "proxy.md").read_text(encoding="utf-8")
    assert rules.server("github").tool("list_issues") == ToolRules(20, "items", 20000, True)
    assert rules.budget("github") == Budget(
        2000, 8000, tool_tokens=400, tools={"create_issue": 700}, warn=Ceilings(1500)
    )


def test_every_rule_is_named_in_its_page() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "proxy.md").read_text(encoding="utf-8")
    kinds = (ToolRules, ServerRules, Budget)
    names = {each.name for kind in kinds for each in fields(kind)} - {"usual"}
    assert [
        name for name in sorted(names) if f"`{name}`" not in page and f"{name} =" not in page
    ] == []


_tokens = st.none() | st.integers(1, 9)
_named = st.dictionaries(st.sampled_from("abc"), st.integers(1, 9))
_ceilings = st.builds(Ceilings, _tokens, _tokens, _tokens, _tokens, _named, _named)
_budgets = st.builds(Budget, _tokens, _tokens, _tokens, _tokens, _named, _named, _ceilings)


def _least(first: int | None, second: int | None) -> int | None:
    return min((each for each in (first, second) if each is not None), default=None)


@given(_budgets, _budgets)
def test_of_two_budgets_the_smaller_ceiling_holds_for_everything(
    one: Budget, other: Budget
) -> None:
    both = one.within(other)
    for found, first, second in ((both, one, other), (both.warn, one.warn, other.warn)):
        for name in ("menu_tokens", "answer_tokens", "tool_tokens", "namespace_tokens"):
            assert getattr(found, name) == _least(getattr(first, name), getattr(second, name))
        for name in "abcd":
            assert found.tool(name) == _least(first.tool(name), second.tool(name))
            assert found.namespace(name) == _least(first.namespace(name), second.namespace(name))


@given(_budgets, _budgets, _budgets)
def test_budgets_hold_together_in_any_order_and_however_often(
    one: Budget, other: Budget, third: Budget
) -> None:
    assert one.within(other) == other.within(one)
    assert one.within(other).within(third) == one.within(other.within(third))
    assert (one.within(one), one.within(Budget())) == (one, one)


@requirement("L16")
def test_a_budget_has_ceilings_for_single_tools_and_namespaces_and_such_that_only_warn() -> None:
    text = """
    [budgets.x]
    namespace_tokens = 900
    [budgets.x.tools."a.b"]
    tokens = 70
    [budgets.x.warn]
    tool_tokens = 50
    [budgets.x.warn.namespaces.repo]
    tokens = 600
    """
    budget = rules_of(tomllib.loads(text), "econome.toml").budget("x")
    assert budget == Budget(
        namespace_tokens=900,
        tools={"a.b": 70},
        warn=Ceilings(tool_tokens=50, namespaces={"repo": 600}),
    )
    assert (budget.tool("a.b"), budget.tool("c"), budget.warn.tool("c")) == (70, None, 50)
