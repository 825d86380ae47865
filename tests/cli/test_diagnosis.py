"""`econome diagnosis`: what it says of the demo tree, of nothing, and of everything that a report can hold."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from rich.console import Console

from econome import clock
from econome.cli.render.diagnosis import show
from econome.cli.render.screen import Screen
from econome.demo.tree import DemoTree
from econome.diagnosis.asking import ask_diagnosis
from econome.diagnosis.findings import RULES
from econome.errors import UsageError
from econome.server.screens.diagnosis_words import names
from econome.server.telling import telling
from tests.builders import Tree, assistant
from tests.diagnosis.sample import sample
from tests.door import run

NAMES = names(telling("en"))


def _json(*args: str) -> dict[str, Any]:
    ran = run("diagnosis", "--json", *args)
    assert (ran.code, ran.err) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def _drawn(report: dict[str, Any], width: int) -> list[str]:
    text = io.StringIO()
    show(
        Screen(Console(file=text, width=width, markup=False, emoji=False)),
        report,
        clock.zone("UTC"),
    )
    return text.getvalue().splitlines()


def test_findings_stand_in_the_order_of_the_report_each_with_its_worth_and_basis(
    demo: DemoTree,
) -> None:
    report, ran = _json(), run("diagnosis")
    assert (ran.code, ran.err) == (0, "")
    heads = re.findall(r"^(\d+)\. (.+): (\S+) (\w+)$", ran.out, flags=re.MULTILINE)
    assert [name for _, name, _, _ in heads] == [NAMES[one["rule"]] for one in report["findings"]]
    assert [basis for *_, basis in heads] == [one["worth"]["basis"] for one in report["findings"]]
    assert len(heads) > 2


def test_every_rule_is_named_whatever_came_of_it(demo: DemoTree) -> None:
    out = run("diagnosis", "--days", "7").out
    assert all(NAMES[rule] in out for rule in RULES)


def test_no_line_is_wider_than_the_terminal(demo: DemoTree) -> None:
    for width in (60, 80, 140):
        assert max(map(len, _drawn(sample(without=()), width))) <= width


def test_what_anybody_named_cannot_move_the_cursor() -> None:
    text = "\n".join(_drawn(sample(), 140))
    assert "\u202e" not in text
    assert "\x1b" not in text


def test_an_empty_period_is_judged_calmly(demo: DemoTree) -> None:
    out = run("diagnosis", "--since", "2020-01-01", "--until", "2020-01-02").out
    assert out.startswith("Nothing found in 0 responses")
    assert "there is no response in this period" in " ".join(out.split())


def test_without_transcripts_it_says_where_it_looked(tree: Tree) -> None:
    ran = run("diagnosis")
    assert ran.code == 0
    assert ran.out.startswith("No transcript found.")


def test_the_usual_period_is_thirty_days(tree: Tree) -> None:
    for day in ("2026-10-17", "2026-09-18", "2026-09-17"):
        tree.main(f"s{day}", assistant(f"m{day}", timestamp=f"{day}T10:00:00Z"))
    assert _json()["cost"]["responses"] == 2
    assert _json() == _json("--days", "30")
    assert _json("--days", "all")["cost"]["responses"] == 3
    assert _json("--since", "2026-09-17")["cost"]["responses"] == 3
    assert _json("--until", "2026-10-16")["cost"]["responses"] == 2


def test_days_and_a_beginning_contradict_each_other() -> None:
    with pytest.raises(UsageError):
        ask_diagnosis({"days": "7", "since": 20_000})
    assert run("diagnosis", "--days", "7", "--since", "2026-10-01").code == 2
