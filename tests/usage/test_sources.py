"""F18: another agent's sessions in the same report."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import CWD, Tree, assistant
from tests.builders_codex import meta, rollout, spent, totals, turn
from tests.door import coverage, expected, figures, run, split, text, total, usage
from tests.requirements import requirement


def codex(**numbers: int) -> dict[str, int]:
    """The figures of Codex responses, which write no cache and always give a final count."""
    return expected(**{"cache_read_tokens": 0, "cache_write_5m_tokens": 0, **numbers})


@requirement("F18")
def test_cumulative_totals_become_responses_by_their_differences(tmp_path: Path) -> None:
    rollout(
        tmp_path,
        meta(),
        turn(),
        spent(None),
        spent(totals(100, 40, 10)),
        spent(totals(100, 40, 10)),
        spent(None),
        spent(totals(250, 140, 25)),
        spent(totals(250, 140, 25)),
    )
    found = total(tmp_path)
    assert {**found, "output_incomplete": 0} == codex(
        responses=2, input_tokens=110, cache_read_tokens=140, output_tokens=25
    )


@requirement("F18")
def test_the_model_comes_from_the_last_turn(tmp_path: Path) -> None:
    rollout(
        tmp_path,
        meta(),
        turn("gpt-5-codex"),
        spent(totals(10, 0, 1)),
        turn("gpt-5.1-codex"),
        spent(totals(30, 0, 2)),
        spent(totals(60, 0, 3)),
    )
    assert split(tmp_path, "model", number="input_tokens") == {
        "gpt-5-codex": 10,
        "gpt-5.1-codex": 50,
    }


@requirement("F18")
def test_a_rollout_has_its_session_project_and_day(tmp_path: Path) -> None:
    rollout(tmp_path, meta("c7"), turn(), spent(totals(1, 0, 1)), session="c7")
    assert split(tmp_path, "session") == {"c7": 1}
    assert split(tmp_path, "project") == {CWD: 1}
    assert split(tmp_path, "day") == {"2026-01-05": 1}
    assert split(tmp_path, "agent") == {"main": 1}
    assert split(tmp_path, "branch") == {"main": 1}


@requirement("F18", "R1")
def test_two_sources_below_one_root_are_told_apart(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    rollout(tree.root, meta(), turn(), spent(totals(3, 0, 50)))
    assert split(tree.root, "source") == {"claude": 1, "codex": 1}
    assert total(tree.root, "--source", "claude") == expected(1)
    assert total(tree.root, "--source", "codex")["responses"] == 1
    assert coverage(tree.root)["files"] == 2


@requirement("F18", "R1")
def test_the_environment_says_where_rollouts_are(home: Path) -> None:
    rollout(home / "codex", meta(), turn(), spent(totals(3, 0, 50)))
    Tree(home / "claude").main("s1", assistant("a"))
    assert '"codex"' in text(args=("--by", "source"))
    assert '"claude"' in text(args=("--by", "source", "--no-index"))


@requirement("F18", "F12")
@pytest.mark.usefixtures("age")
def test_a_growing_rollout_is_read_on_from_where_it_was(tmp_path: Path) -> None:
    rows = [meta(), turn(), spent(totals(10, 0, 1))]
    rollout(tmp_path, *rows)
    assert total(tmp_path)["input_tokens"] == 10
    assert text(tmp_path)
    for step in range(2, 6):
        rows += [spent(totals(10 * step, 0, step)), spent(totals(10 * step, 0, step))]
        rollout(tmp_path, *rows)
        assert text(tmp_path) == text(tmp_path, args=("--no-index",))
        answer = usage(tmp_path)
        assert (answer["total"]["responses"], answer["total"]["input_tokens"]) == (step, 10 * step)


@requirement("F18", "P1")
def test_a_codex_model_has_its_vendors_price(tmp_path: Path) -> None:
    rollout(tmp_path, meta(), turn("gpt-5-codex"), spent(totals(2_000_000, 1_000_000, 0)))
    found = usage(tmp_path)["total"]
    assert (found["cost_usd"], found["partial"]) == ("1.375", False)


@requirement("F18")
@pytest.mark.parametrize("rubbish", [b"broken", b'{"type": "event_msg", "payload": null}', b"[]"])
def test_rubbish_in_a_rollout_loses_no_count(tmp_path: Path, rubbish: bytes) -> None:
    rollout(tmp_path, meta(), rubbish, turn(), rubbish, spent(totals(10, 0, 5)), rubbish)
    assert figures(usage(tmp_path)["total"])["input_tokens"] == 10
    assert run("usage", "--root", str(tmp_path)).code == 0
