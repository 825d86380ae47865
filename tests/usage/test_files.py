"""R2: which files of a tree are read, and how often."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.builders import SLUG, Tree, assistant, without
from tests.door import (
    Answer,
    arguments,
    coverage,
    expected,
    figures,
    finish,
    run,
    spawn,
    split,
    total,
    usage,
)
from tests.requirements import requirement

LAYOUTS = (
    f"{SLUG}/s1.jsonl",
    f"{SLUG}/s1/subagents/agent-a1.jsonl",
    f"{SLUG}/s1/subagents/deeper/still/agent-a1.jsonl",
    f"{SLUG}/s1/subagents/workflows/wf_1/agent-a1.jsonl",
    f"{SLUG}/agent-a1.jsonl",
    f"{SLUG}/more/levels/than/known/x.jsonl",
    "x.jsonl",
)


@requirement("R2")
@pytest.mark.parametrize("path", LAYOUTS)
def test_a_transcript_is_read_wherever_it_lies_below_projects(tree: Tree, path: str) -> None:
    tree.put(path, assistant("a", sessionId="s1"))
    assert total(tree.root) == expected(1)


@requirement("R2")
def test_all_layouts_of_one_tree_are_read_together(tree: Tree) -> None:
    for number, path in enumerate(LAYOUTS):
        tree.put(path, assistant(f"a{number}", sessionId="s1"))
    assert total(tree.root) == expected(len(LAYOUTS))


@requirement("R2")
def test_inline_side_chain_rows_of_old_logs_are_read(tree: Tree) -> None:
    tree.main("s1", assistant("a"), assistant("b", isSidechain=True))
    assert split(tree.root, "agent") == {"main": 1, "unknown": 1}


@requirement("R2")
def test_only_jsonl_files_below_projects_are_read(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    for path in (f"{SLUG}/s2.json", f"{SLUG}/s2.jsonl.bak", "../s2.jsonl", "../todos/s2.jsonl"):
        tree.put(path, assistant("b"))
    answer = usage(tree.root)
    assert figures(answer["total"]) == expected(1)
    assert answer["coverage"]["files"] == 1


@requirement("R2")
def test_a_directory_with_the_name_of_a_transcript_is_walked(tree: Tree) -> None:
    tree.put(f"{SLUG}/odd.jsonl/s1.jsonl", assistant("a", sessionId="s1"))
    answer = usage(tree.root)
    assert figures(answer["total"]) == expected(1)
    assert answer["coverage"]["unreadable"] == []


@requirement("R2", "F14")
def test_empty_files_and_files_of_metadata_only_add_nothing(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    tree.main("s2")
    tree.main("s3", {"type": "file-history-snapshot"}, {"type": "summary", "leafUuid": "x"})
    answer = usage(tree.root)
    assert figures(answer["total"]) == expected(1)
    assert (answer["coverage"]["files"], answer["coverage"]["lines"]) == (3, 3)


@requirement("R2")
def test_a_hard_link_is_the_same_file_under_its_smallest_path(tree: Tree) -> None:
    path = tree.put("-b/s1.jsonl", without(assistant("a"), "cwd"), b"broken", sessionId="s1")
    for slug in ("-a", "-c"):
        (tree.root / "projects" / slug).mkdir()
        os.link(path, tree.root / "projects" / slug / "s1.jsonl")
    answer = usage(tree.root, "--by", "project")
    assert [row["project"] for row in answer["rows"]] == ["-a"]
    assert (answer["coverage"]["files"], answer["coverage"]["malformed"]) == (1, 1)


@requirement("R2")
def test_the_smallest_path_is_smallest_by_its_bytes(tree: Tree) -> None:
    path = tree.put("-a/s1.jsonl", without(assistant("a"), "cwd"), sessionId="s1")
    (tree.root / "projects" / "-a-").mkdir()
    os.link(path, tree.root / "projects" / "-a-" / "s1.jsonl")
    assert split(tree.root, "project") == {"-a-": 1}  # "-" is smaller than "/"


@requirement("R2")
def test_a_link_to_a_file_is_followed_once(tree: Tree) -> None:
    path = tree.main("s1", assistant("a"), b"broken")
    os.symlink(path, path.with_name("z.jsonl"))
    answer = usage(tree.root)
    assert figures(answer["total"]) == expected(1)
    assert (answer["coverage"]["files"], answer["coverage"]["malformed"]) == (1, 1)


@requirement("R2")
def test_links_out_of_the_tree_are_followed(tree: Tree, tmp_path: Path) -> None:
    away = Tree(tmp_path / "away")
    file = away.main("s1", assistant("a"))
    folder = away.put("-other/s2.jsonl", assistant("b"), sessionId="s2").parent
    (tree.root / "projects" / SLUG).mkdir()
    os.symlink(file, tree.root / "projects" / SLUG / "s1.jsonl")
    os.symlink(folder, tree.root / "projects" / "-linked")
    assert total(tree.root) == expected(2, sessions=2)


@requirement("R2")
def test_link_loops_end(tree: Tree) -> None:
    path = tree.main("s1", assistant("a"))
    os.symlink(tree.root, path.parent / "up")
    os.symlink("..", path.parent / "parent")
    os.symlink(".", path.parent / "self")
    os.symlink("loop.jsonl", path.parent / "loop.jsonl")
    os.symlink("there", path.parent / "here")
    os.symlink("here", path.parent / "there")
    answer = usage(tree.root)
    assert figures(answer["total"]) == expected(1)
    assert answer["coverage"]["files"] == 1


@requirement("R2")
def test_a_linked_directory_is_walked_once_under_its_smallest_path(tree: Tree) -> None:
    path = tree.put("-m/s1.jsonl", without(assistant("a"), "cwd"), sessionId="s1")
    os.symlink(path.parent, tree.root / "projects" / "-a")
    os.symlink(path.parent, tree.root / "projects" / "-z")
    answer = usage(tree.root, "--by", "project")
    assert [row["project"] for row in answer["rows"]] == ["-a"]
    assert answer["coverage"]["files"] == 1


@requirement("R2")
def test_the_smallest_path_of_a_linked_directory_is_smallest_by_its_bytes(tree: Tree) -> None:
    path = tree.put("-a/s1.jsonl", without(assistant("a"), "cwd"), sessionId="s1")
    os.symlink(path.parent, tree.root / "projects" / "-a-")
    assert split(tree.root, "project") == {"-a-": 1}


@requirement("R2")
def test_a_projects_directory_that_is_a_link_is_walked(tree: Tree, tmp_path: Path) -> None:
    tree.main("s1", assistant("a"))
    (tmp_path / "linked").mkdir()
    os.symlink(tree.root / "projects", tmp_path / "linked" / "projects")
    assert total(tmp_path / "linked") == expected(1)


def unreadable(answer: Answer) -> list[str]:
    """The names of the files that could not be read, each with a reason."""
    found = answer["coverage"]["unreadable"]
    assert all(set(item) == {"path", "reason"} and item["reason"] for item in found)
    return [Path(item["path"]).name for item in found]


@requirement("R2", "R6")
def test_a_dangling_link_is_reported_and_the_rest_counted(tree: Tree) -> None:
    path = tree.main("s1", assistant("a"))
    os.symlink("nowhere", path.with_name("s2.jsonl"))
    answer = usage(tree.root)
    assert figures(answer["total"]) == expected(1)
    assert unreadable(answer) == ["s2.jsonl"]


@requirement("R2")
def test_a_pipe_with_the_name_of_a_transcript_never_hangs(tree: Tree) -> None:
    path = tree.main("s1", assistant("a"))
    os.mkfifo(path.with_name("s0.jsonl"))
    ran = finish(spawn(*arguments((tree.root,), ("--no-index",))))
    assert (ran.code, ran.err) == (0, "")
    assert total(tree.root) == expected(1)


@requirement("R2")
def test_a_file_whose_name_is_no_utf8_is_read(tree: Tree) -> None:
    name = os.fsdecode(b"caf\xe9.jsonl")
    tree.put(f"{SLUG}/{name}", assistant("a"))
    ran = run(*arguments((tree.root,), ("--by", "session")))
    assert ran.code == 0
    ran.out.encode()
    assert total(tree.root) == expected(1)


DROP = """
import ctypes, os, sys
if os.getuid() == 0:  # root reads everything, unless it gives up its capabilities
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None).capset(header, none) == 0
from econome.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@requirement("R2", "R6")
@pytest.mark.skipif(sys.platform != "linux", reason="needs capabilities to be given up")
def test_an_unreadable_file_or_directory_is_reported_and_the_rest_counted(tree: Tree) -> None:
    bad = tree.main("s2", assistant("b"))
    tree.main("s1", assistant("a"))
    shut = tree.put("-shut/s3.jsonl", assistant("c"), sessionId="s3").parent
    try:
        bad.chmod(0)
        shut.chmod(0)
        answers = [
            finish(spawn(*arguments((tree.root,), args), code=DROP))
            for args in (("--no-index",), (), ())
        ]
    finally:
        bad.chmod(0o644)
        shut.chmod(0o755)
    assert [(ran.code, ran.err) for ran in answers] == [(0, "")] * 3
    assert len({ran.out for ran in answers}) == 1
    answer = json.loads(answers[0].out)
    assert figures(answer["total"]) == expected(1)
    assert sorted(unreadable(answer)) == ["-shut", "s2.jsonl"]
    assert coverage(tree.root)["unreadable"] == []
    assert total(tree.root) == expected(3, sessions=3)
