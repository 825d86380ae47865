"""R1: where transcripts are looked for."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.builders import Tree, assistant
from tests.builders_codex import meta, rollout, spent, totals, turn
from tests.door import arguments, expected, figures, run, total, usage
from tests.requirements import requirement

REPORT = ("usage", "--json", "--days", "all", "--by", "model", "--no-index")


def responses() -> int:
    """How many responses a report finds when no root is named."""
    ran = run(*REPORT)
    assert ran.code == 0, ran.err
    found: int = json.loads(ran.out)["total"]["responses"]
    return found


@requirement("R1")
def test_the_two_default_directories_are_both_read(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    Tree(home / ".claude").main("s1", assistant("a"))
    Tree(home / "config" / "claude").main("s2", assistant("b"))
    assert responses() == 2


@requirement("R1")
def test_without_xdg_the_second_default_is_in_dot_config(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    Tree(home / ".config" / "claude").main("s1", assistant("a"))
    assert responses() == 1


@requirement("R1")
def test_the_environment_replaces_the_defaults(home: Path) -> None:
    Tree(home / ".claude").main("s1", assistant("a"))
    Tree(home / "config" / "claude").main("s2", assistant("b"))
    Tree(home / "claude").main("s3", assistant("c"), assistant("d"), assistant("e"))
    assert responses() == 3


@requirement("R1")
def test_the_environment_may_name_several_directories(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Tree(home / "one").main("s1", assistant("a"))
    Tree(home / "two").main("s2", assistant("b"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{home / 'one'},{home / 'two'}")
    assert responses() == 2


@requirement("R1")
def test_a_missing_directory_in_the_environment_never_brings_the_defaults_back(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Tree(home / ".claude").main("s1", assistant("a"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "gone"))
    ran = run(*REPORT)
    if ran.code == 0:
        assert json.loads(ran.out)["total"]["responses"] == 0
    else:
        assert (ran.code, ran.out) == (1, "")
        assert str(home / "gone") in ran.err


@requirement("R1")
def test_a_named_root_replaces_the_defaults_of_every_reader(home: Path, tree: Tree) -> None:
    Tree(home / "claude").main("s1", assistant("a"))
    rollout(home / "codex", meta(), turn(), spent(totals(10, 0, 10)))
    tree.main("s2", assistant("b"))
    assert total(tree.root) == expected(1)


@requirement("R1")
def test_two_named_roots_are_read_together(tree: Tree, tmp_path: Path) -> None:
    tree.main("s1", assistant("a"))
    other = Tree(tmp_path / "other")
    other.main("s2", assistant("b"))
    answer = usage(tree.root, also=(other.root,))
    assert figures(answer["total"]) == expected(2, sessions=2)


@requirement("R1")
@pytest.mark.parametrize("extra", [(), ("--no-index",)])
def test_a_named_root_that_is_missing_is_an_error_that_names_it(
    tree: Tree, tmp_path: Path, extra: tuple[str, ...]
) -> None:
    tree.main("s1", assistant("a"))
    gone = str(tmp_path / "gone")
    ran = run("usage", "--json", "--root", str(tree.root), "--root", gone, *extra)
    assert (ran.code, ran.out) == (1, "")
    assert gone in ran.err
    assert ran.err.count("\n") == 1


@requirement("R1")
def test_a_root_that_vanishes_after_it_was_indexed_is_an_error_too(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    usage(tree.root)
    tree.root.rename(tree.root.with_name("moved"))
    ran = run("usage", "--json", "--root", str(tree.root))
    assert (ran.code, ran.out) == (1, "")
    assert str(tree.root) in ran.err


@requirement("R1")
def test_no_transcript_at_all_is_no_error(tree: Tree) -> None:
    answer = usage(tree.root)
    assert figures(answer["total"]) == expected(0, sessions=0)
    assert answer["rows"] == []


@requirement("R1")
def test_json_without_a_transcript_says_beside_it_where_it_looked(tree: Tree) -> None:
    ran = run(*arguments((tree.root,), ()))
    assert json.loads(ran.out)["rows"] == []
    assert str(tree.root) in ran.err
    assert "econome demo" in ran.err


@requirement("R1")
def test_a_root_without_a_projects_directory_is_no_error(tmp_path: Path) -> None:
    assert total(tmp_path) == expected(0, sessions=0)


@requirement("R1")
@pytest.mark.parametrize("command", [(), ("usage",)])
def test_no_transcript_says_where_it_looked_and_offers_the_demo(
    home: Path, command: tuple[str, ...]
) -> None:
    ran = run(*command)
    said = ran.out + ran.err
    assert ran.code == 0
    assert str(home / "claude") in "".join(said.split("\n")) or "~/claude" in said
    assert "econome demo" in said


@requirement("R1", "R2")
def test_a_root_given_twice_by_two_names_counts_once(tree: Tree, tmp_path: Path) -> None:
    tree.main("s1", assistant("a"), b"broken")
    alias = tmp_path / "alias"
    os.symlink(tree.root, alias)
    for second in (alias, tree.root, tree.root / "projects" / ".."):
        answer = usage(tree.root, also=(second,))
        assert figures(answer["total"]) == expected(1)
        known = answer["coverage"]
        assert (known["files"], known["lines"], known["malformed"]) == (1, 2, 1)
