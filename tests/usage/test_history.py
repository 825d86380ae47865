"""F17: what happens to the counters of files that were deleted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import Tree, assistant, counts
from tests.door import arguments, expected, figures, forget, run, text
from tests.requirements import requirement

pytestmark = pytest.mark.usefixtures("age")


@pytest.fixture
def history(home: Path) -> Path:
    """Turn history on, and return the directory that keeps it."""
    path = home / "config" / "econome" / "config.toml"
    path.parent.mkdir()
    path.write_text("history = true\n", encoding="utf-8")
    return home / "data"


def seen(tree: Tree) -> dict[str, int]:
    """The figures of one report, asked once: what it finds may depend on what was found before."""
    return figures(json.loads(text(tree.root))["total"])


def two_and_one_deleted(tree: Tree) -> Path:
    """Let a tree of two sessions be read, and then delete one; return its path."""
    path = tree.main("s1", assistant("a"))
    tree.main("s2", assistant("b"))
    assert seen(tree) == expected(2, sessions=2)
    path.unlink()
    return path


@requirement("F17")
def test_by_default_a_report_mirrors_the_disk(tree: Tree, home: Path) -> None:
    two_and_one_deleted(tree)
    assert seen(tree) == expected(1)
    assert list((home / "data").rglob("*.*")) == []


@requirement("F17")
def test_with_history_a_deleted_file_keeps_its_counters(tree: Tree, history: Path) -> None:
    two_and_one_deleted(tree)
    assert seen(tree) == expected(2, sessions=2)
    assert seen(tree) == expected(2, sessions=2)
    assert any(history.rglob("*"))


@requirement("F17")
def test_history_outlives_the_index(tree: Tree, history: Path) -> None:
    path = tree.main("s1", assistant("a"))
    assert seen(tree) == expected(1)
    path.unlink()
    assert seen(tree) == expected(1)
    forget()
    assert seen(tree) == expected(1)


@requirement("F17")
def test_history_says_what_comes_from_it_and_from_which_day_on(tree: Tree, history: Path) -> None:
    path = tree.main("s1", assistant("a", time="2026-09-01T10:00:00Z"))
    tree.main("s2", assistant("b", time="2026-10-16T10:00:00Z"))
    assert seen(tree)["responses"] == 2
    path.unlink()
    shown = run("usage", "--root", str(tree.root), "--days", "all")
    assert shown.code == 0
    assert "from history" in shown.out + shown.err
    assert "2026-09-01" in shown.out + shown.err


@requirement("F17")
def test_a_response_that_lives_on_elsewhere_is_not_counted_twice(tree: Tree, history: Path) -> None:
    path = tree.main("s1", assistant("a", usage=counts(output=60)), assistant("b"))
    tree.main("s2", assistant("a"))
    assert seen(tree)["responses"] == 2
    path.unlink()
    assert seen(tree)["responses"] == 2
    tree.main("s3", assistant("b"), assistant("c"))
    assert seen(tree)["responses"] == 3


@requirement("F17")
def test_a_file_that_only_moved_is_not_history(tree: Tree, history: Path) -> None:
    path = tree.main("s1", assistant("a"))
    assert seen(tree) == expected(1)
    path.parent.rename(path.parent.with_name("-moved"))
    assert seen(tree) == expected(1)


@requirement("F17")
def test_history_of_one_root_is_not_shown_for_another(
    tree: Tree, history: Path, tmp_path: Path
) -> None:
    path = tree.main("s1", assistant("a"))
    other = Tree(tmp_path / "other")
    other.main("s2", assistant("b"))
    assert seen(tree) == expected(1)
    path.unlink()
    assert seen(other) == expected(1)
    assert seen(tree) == expected(1)


@requirement("F17", "F12")
def test_without_deletions_history_changes_nothing(tree: Tree, home: Path) -> None:
    tree.main("s1", assistant("a"), assistant("b"))
    plain = run(*arguments((tree.root,), ("--no-index",)))
    path = home / "config" / "econome" / "config.toml"
    path.parent.mkdir()
    path.write_text("history = true\n", encoding="utf-8")
    assert seen(tree) == expected(2)
    kept = run(*arguments((tree.root,), ()))
    assert (kept.code, kept.err) == (0, "")
    assert json.loads(kept.out)["total"] == json.loads(plain.out)["total"]


@requirement("F17")
def test_a_file_that_came_back_and_went_again_is_kept_as_it_was_last(
    tree: Tree, history: Path
) -> None:
    path = tree.main("s1", assistant("a"))
    tree.main("s2", assistant("z"))
    assert seen(tree)["responses"] == 2
    path.unlink()
    assert seen(tree)["responses"] == 2
    tree.main("s1", assistant("a"), assistant("b"))
    assert seen(tree)["responses"] == 3
    path.unlink()
    assert seen(tree)["responses"] == 3
    forget()
    assert seen(tree)["responses"] == 3


@requirement("F17")
def test_a_history_that_was_lost_is_not_answered_from_the_index(tree: Tree, history: Path) -> None:
    path = two_and_one_deleted(tree)
    assert seen(tree) == expected(2, sessions=2)
    next(history.rglob("history.sqlite")).unlink()
    assert seen(tree) == expected(1)
    tree.main("s3", assistant("c"))
    assert seen(tree) == expected(2, sessions=2)
    assert not path.exists()


@requirement("F17")
def test_a_new_file_in_the_place_of_a_deleted_one_is_no_other_name_of_it(
    tree: Tree, history: Path
) -> None:
    two_and_one_deleted(tree)
    tree.main("s3", assistant("c"))  # on most file systems it takes the free place on disk
    assert seen(tree) == expected(3, sessions=3)


@requirement("F17")
def test_what_was_deleted_since_the_last_look_survives_a_new_index(
    tree: Tree, history: Path
) -> None:
    two_and_one_deleted(tree)
    forget()
    assert seen(tree) == expected(2, sessions=2)


@requirement("F17")
def test_one_more_root_does_not_lose_what_another_has_in_history(
    tree: Tree, history: Path, tmp_path: Path
) -> None:
    two_and_one_deleted(tree)
    other = Tree(tmp_path / "other")
    other.main("s3", assistant("c"))
    answer = json.loads(text(tree.root, other.root))
    assert figures(answer["total"]) == expected(3, sessions=3)
    assert answer["coverage"]["files"] == 2
