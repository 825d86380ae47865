"""`econome usage` in its three forms."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from econome.cli import app
from econome.demo.tree import DemoTree
from tests.builders import Tree, assistant, counts
from tests.door import run
from tests.requirements import requirement

COLUMNS = [
    "responses", "sessions", "input_tokens", "output_tokens", "cache_read_tokens",
    "cache_write_5m_tokens", "cache_write_1h_tokens", "web_searches", "cost_usd", "partial",
    "output_incomplete",
]  # fmt: skip


def _lines(*args: str) -> list[str]:
    ran = run("usage", *args)
    assert (ran.code, ran.err) == (0, "")
    return ran.out.splitlines()


def _small(tree: Tree) -> None:
    """Write three responses: a priced one, one without a price, one whose output was never finished."""
    tree.main(
        "s1",
        assistant("a", model="claude-haiku-4-5", usage=counts(1_000_000, 0, 0, 0)),
        assistant("b", model="claude-nobody-9", usage=counts(5, 6, 7, 0)),
        assistant("c", model="claude-haiku-4-5", usage=counts(0, 200_000, 0, 0), stop=None),
    )


@pytest.mark.parametrize(
    "line",
    [
        ("--json",),
        ("--json", "--by", "model", "--by", "day"),
        ("--json", "--days", "30", "--until", "2026-10-10"),
        ("--json", "--by", "project", "--limit", "2", "--no-cost", "--no-index"),
        ("--json", "--by=agent", "--sort=output", "--timezone=Australia/Lord_Howe"),
    ],
)
def test_the_direct_answer_and_clicks_are_the_same_bytes(
    demo: DemoTree, capsys: pytest.CaptureFixture[str], line: tuple[str, ...]
) -> None:
    assert app.main(["usage", *line]) == 0
    assert capsys.readouterr().out == run("usage", *line).out


@requirement("P4")
def test_a_model_without_a_price_is_not_available_and_the_total_a_lower_bound(tree: Tree) -> None:
    _small(tree)
    lines = _lines("--by", "model")
    cost = {line.split()[0]: line.split()[-1] for line in lines[1:] if line}
    assert cost["haiku-4-5"] == "$2.00"
    assert cost["nobody-9"] == "n/a"
    assert cost["total"] == "≥$2.00"
    assert any("claude-nobody-9" in line and "18 tokens" in line for line in lines)


@requirement("F13")
def test_unfinished_output_makes_the_output_a_lower_bound(tree: Tree) -> None:
    _small(tree)
    (total,) = (line for line in _lines("--by", "day") if line.startswith("total"))
    assert "≥200,006" in total.split()
    rows = {line.split()[0]: line.split() for line in _lines("--by", "model") if line}
    assert "≥200,000" in rows["haiku-4-5"]
    assert "6" in rows["nobody-9"]
    assert any(line.startswith("33% of the responses") for line in _lines())


@requirement("P9")
def test_the_banner_is_always_there_but_without_money(demo: DemoTree) -> None:
    assert "not what a subscription paid" in " ".join(_lines())
    assert "subscription" not in " ".join(_lines("--no-cost"))


def test_without_cost_no_dollar_is_shown(demo: DemoTree) -> None:
    assert "$" not in " ".join(_lines("--no-cost", "--by", "model"))


@requirement("R6")
def test_the_coverage_line_says_what_was_read(tree: Tree) -> None:
    tree.main("s1", assistant("a"), b'{"type": "assistant", "mess', b"{}")
    text = " ".join(_lines())
    assert "Read 1 file with 1 response, from 2026-01-05 to 2026-01-05." in text
    assert "1 damaged line" in text


def test_a_limit_sums_up_what_it_leaves_out(tree: Tree) -> None:
    million = counts(1_000_000, 0, 0, 0)
    for at, session in enumerate("abcd"):
        model = "claude-haiku-4-5"
        row = assistant(session, cwd=f"/home/dev/{session}", usage=million, model=model)
        tree.main(f"s{at}", row)
    lines = _lines("--by", "project", "--limit", "1")
    assert [line.split()[0] for line in lines if line.endswith("$1.00")] == ["a"]
    (others,) = (at for at, line in enumerate(lines) if "3 more" in line and "$3.00" in line)
    (total,) = (at for at, line in enumerate(lines) if line.startswith("total"))
    assert lines[total].endswith("$4.00")
    assert others < total, "the total holds the others too"


@requirement("F7")
def test_undated_responses_have_a_row_of_their_own(tree: Tree) -> None:
    tree.main("s1", assistant("a"), assistant("b", time=None))
    days = [line.split()[0] for line in _lines("--by", "day")[1:3]]
    assert days == ["2026-01-05", "undated"]


@requirement("F9")
def test_a_project_is_shown_by_its_own_tail_among_all_rows(demo: DemoTree) -> None:
    shown = _lines("--by", "project", "--limit", "1")[1].split()[0]
    assert shown == "work/harbor-api"


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
@pytest.mark.parametrize("by", [("day",), ("project", "model")])
def test_no_line_is_wider_than_the_terminal_and_the_cost_stays(
    demo: DemoTree, monkeypatch: pytest.MonkeyPatch, width: int, by: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = _lines(*(word for name in by for word in ("--by", name)))
    rows = lines[: lines.index("")]
    table = rows[: 3 + max(at for at, line in enumerate(rows) if line.startswith("total")) - 2]
    assert [line for line in table if len(line) > width] == []
    assert table[0].split()[-1] == "cost"
    assert table[-1].split()[-1] == "≥$31.75"


def test_columns_that_do_not_fit_are_named(demo: DemoTree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert any("cache write 5m" in line and line.startswith("Not shown") for line in _lines())


def test_csv_has_the_columns_and_rows_of_the_json(demo: DemoTree) -> None:
    by = ("--by", "day", "--by", "model")
    answer = json.loads(run("usage", *by, "--json").out)
    read = list(csv.DictReader(io.StringIO(run("usage", *by, "--csv").out)))
    assert list(read[0]) == ["day", "model", *COLUMNS]
    spelt = {True: "true", False: "false", None: ""}
    expected = [
        {
            name: spelt[value] if value is None or isinstance(value, bool) else str(value)
            for name, value in row.items()
        }
        for row in answer["rows"]
    ]
    assert [dict(row) for row in read] == expected


def test_csv_without_a_row_still_names_its_columns(home: Path) -> None:
    assert run("usage", "--csv", "--by", "agent").out == ",".join(["agent", *COLUMNS]) + "\n"


def test_an_empty_period_says_so(demo: DemoTree) -> None:
    assert _lines("--since", "2020-01-01", "--until", "2020-01-02")[0] == "Nothing in this period."


@pytest.mark.parametrize(
    ("filters", "by"),
    [
        (("--project", "nowhere"), "project"),
        (("--model", "claude-nobody-1", "--agent", "main"), "model"),
        (("--session", "zzz"), "session"),
        (("--agent", "Nobody"), "agent"),
    ],
)
def test_filters_that_leave_nothing_are_named_with_what_lists_their_values(
    demo: DemoTree, filters: tuple[str, ...], by: str
) -> None:
    said = f"Nothing matches {' '.join(filters)}. `econome usage --by {by}` lists what there is."
    assert " ".join(_lines(*filters)).startswith(said)
    within = said.replace("matches", "in this period matches")
    assert " ".join(_lines(*filters, "--days", "7")).startswith(within)


@requirement("F18")
@pytest.mark.parametrize("command", ["usage", "blocks"])
def test_a_source_that_does_not_exist_is_wrong_usage(command: str) -> None:
    ran = run(command, "--source", "somebody", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert "claude, codex" in ran.err
