"""Budgets and limits that are named hold for a lock, and no typing error lifts one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.locked import check, lock
from tests.contract.listed import entry
from tests.requirements import requirement

pytestmark = [requirement("L16", "LC20"), pytest.mark.usefixtures("here")]


_BUDGET = "[budgets.shop]\nmenu_tokens = {fails}\n[budgets.shop.warn]\nmenu_tokens = {warns}\n"


@pytest.mark.parametrize(
    "fails, warns, code, level",
    [(10, 5, 1, "fail"), (100_000, 5, 0, "warn"), (100_000, 100_000, 0, None)],
)
def test_budgets_of_this_directory_are_held(
    here: Path, fails: int, warns: int, code: int, level: str | None
) -> None:
    (here / "econome.toml").write_text(_BUDGET.format(fails=fails, warns=warns), encoding="utf-8")
    first = lock(here)
    assert first.code == 0
    assert ("Over " in first.out) is (level is not None)
    ran = check(here, "--json")
    assert ran.code == code
    assert [one["level"] for one in json.loads(ran.out)["budgets"]] == ([level] if level else [])
    text = check(here).out
    assert text.startswith("econome.lock holds as locked, and shop is over its budget: the menu takes " if code else "econome.lock holds: 1")  # fmt: skip
    assert ("Over " in text) is (level is not None)


@pytest.mark.parametrize(
    "text", ["[budgets.shop]\nmenu = 3\n", "[servers.shop]\nlimit = 3\n", "x = "]
)
def test_a_budget_that_cannot_be_read_lifts_none(here: Path, text: str) -> None:
    lock(here)
    (here / "econome.toml").write_text(text, encoding="utf-8")
    ran = check(here)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("econome: econome.toml: ")


@pytest.mark.parametrize("name, near", [("shp", "shop"), ("entirely", None), ("*", "none told")])
def test_a_budget_for_no_server_is_told_with_the_name_that_was_meant(
    here: Path, name: str, near: str | None
) -> None:
    (here / "econome.toml").write_text(f'[budgets."{name}"]\nmenu_tokens = 90000\n', "utf-8")
    expected = [] if name == "*" else [{"name": name, "near": near}]
    assert json.loads(lock(here, "--json").out)["stray_budgets"] == expected
    assert json.loads(check(here, "--json").out)["stray_budgets"] == expected
    line = f"[budgets.{name}] holds nothing: no server of this name"
    told = [" ".join(check(here, *more).out.split()) for more in ((), ("--format", "markdown"))]
    assert (line in told[0], "holds nothing" in told[1]) == (bool(expected), bool(expected))
    assert ("there is shop" in told[0]) is (near == "shop")


def test_a_link_that_leads_nowhere_is_no_missing_file_of_budgets(here: Path) -> None:
    lock(here)
    (here / "econome.toml").symlink_to(here / "gone.toml")
    ran = check(here)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "econome: econome.toml: it is a link to a file that is not there\n"


def test_limits_of_named_rules_are_locked_and_lifting_one_is_a_regression(here: Path) -> None:
    rows = {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}}
    output = {"type": "object", "properties": {"rows": rows}}
    tools = [entry("search", outputSchema=output)]
    rules = here / "rules.toml"
    rules.write_text("[servers.shop.tools.search]\nlimit = 5\n", encoding="utf-8")
    lock(here, "--rules", "rules.toml", tools=tools)
    assert check(here, "--rules", "rules.toml", tools=tools).code == 0
    rules.write_text("[servers.shop.tools.search]\nlimit = 5000\n", encoding="utf-8")
    raised = json.loads(check(here, "--json", "--rules", "rules.toml", tools=tools).out)
    assert [(one["kind"], one["regression"]) for one in raised["findings"]] == [("limit-raised", True)]  # fmt: skip
    lifted = json.loads(check(here, "--json", tools=tools).out)
    kinds = {one["kind"]: one["regression"] for one in lifted["findings"]}
    assert kinds == {"limit-lifted": True, "class-risen": True}
    assert (raised["exit"], lifted["exit"]) == (1, 1)
