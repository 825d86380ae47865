"""F5 and F9: whose a copied response is - its session, and its project."""

from __future__ import annotations

import os

import pytest

from tests.builders import SLUG, Row, Tree, assistant, counts, line, user, without
from tests.door import expected, figures, split, total, usage
from tests.requirements import requirement

FIRST, SECOND, THIRD = (f"2026-01-05T1{n}:00:00Z" for n in range(3))
HELPERS = {
    "acompact-1": "compaction",
    "aside_question-1": "side question",
    "aprompt_suggestion-1": "suggestion",
}


def owners(tree: Tree) -> dict[str, int]:
    """The responses of each session."""
    return split(tree.root, "session")


@requirement("F5")
def test_a_file_made_only_of_copies_adds_no_session(tree: Tree) -> None:
    tree.main("s1", assistant("a"), assistant("b"))
    tree.main("s2", assistant("a", sessionId="s1"), assistant("b", sessionId="s1"))
    assert total(tree.root) == expected(2, sessions=1)


@requirement("F5")
@pytest.mark.parametrize(("first", "second"), [("-a", "-z"), ("-z", "-a")])
def test_a_copy_that_kept_its_session_id_is_no_owner(tree: Tree, first: str, second: str) -> None:
    tree.main("s1", assistant("a", time=SECOND), assistant("b", time=SECOND), slug=first)
    early = assistant("x", time=FIRST)
    tree.main("s2", early, assistant("a", sessionId="s1"), slug=second)
    assert owners(tree) == {"s1": 2, "s2": 1}


@requirement("F5")
def test_a_fork_that_rewrote_its_session_id_belongs_to_the_older_file(tree: Tree) -> None:
    shared = assistant("a", time=SECOND)
    tree.main("s9", assistant("x", time=FIRST), shared, slug="-z")
    tree.main("s1", shared, assistant("y", time=THIRD), slug="-a")
    assert owners(tree) == {"s9": 2, "s1": 1}


@requirement("F5")
def test_the_age_of_a_file_is_that_of_the_rows_that_count(tree: Tree) -> None:
    shared = assistant("a", time=SECOND)
    old = "2020-01-01T00:00:00Z"
    tree.main("s9", assistant("x", time=FIRST), shared, slug="-z")
    tree.main(
        "s1",
        user(time=old),
        assistant("e", time=old, model="<synthetic>"),
        assistant("f", time=old, usage=counts(output=-1)),
        shared,
        slug="-a",
    )
    assert owners(tree) == {"s9": 2}


@requirement("F5")
def test_of_files_of_one_age_the_smallest_path_owns(tree: Tree) -> None:
    tree.main("s1", assistant("a"), slug="-b")
    tree.main("s2", assistant("a"), slug="-a")
    assert owners(tree) == {"s2": 1}


@requirement("F5")
def test_of_files_without_a_time_the_dated_one_owns(tree: Tree) -> None:
    tree.main("s1", assistant("a", time=None), slug="-a")
    tree.main("s2", assistant("a"), slug="-b")
    assert owners(tree) == {"s2": 1}


@requirement("F5")
def test_the_order_of_roots_comes_before_the_path(tree: Tree) -> None:
    other = Tree(tree.root.with_name("a-first-by-name"))
    tree.main("s1", assistant("a"), slug="-z")
    other.main("s2", assistant("a"), slug="-a")
    one = usage(tree.root, "--by", "session", also=(other.root,))
    two = usage(other.root, "--by", "session", also=(tree.root,))
    assert [row["session"] for row in one["rows"]] == ["s1"]
    assert [row["session"] for row in two["rows"]] == ["s2"]


@requirement("F5")
@pytest.mark.parametrize("helper", HELPERS)
@pytest.mark.parametrize("side", [True, False])
def test_a_helper_agent_owns_nothing_that_stands_elsewhere(
    tree: Tree, helper: str, side: bool
) -> None:
    tree.agent("s2", helper, assistant("a", time=FIRST, isSidechain=side), slug="-a")
    tree.agent("s1", "a1", assistant("a", time=THIRD), slug="-z")
    assert split(tree.root, "agent") == {"unknown": 1}
    assert owners(tree) == {"s1": 1}


@requirement("F5", "F10")
@pytest.mark.parametrize(("helper", "label"), HELPERS.items())
def test_the_own_requests_of_a_helper_agent_are_real_cost(
    tree: Tree, helper: str, label: str
) -> None:
    copied = assistant("a")
    tree.main("s1", copied)
    tree.agent(
        "s1", helper, copied, assistant("own", attributionAgent="x"), meta={"agentType": "y"}
    )
    answer = usage(tree.root, "--by", "agent")
    assert figures(answer["total"]) == expected(2)
    assert {row["agent"]: row["responses"] for row in answer["rows"]} == {"main": 1, label: 1}


@requirement("F5", "F10")
@pytest.mark.parametrize(("helper", "label"), HELPERS.items())
def test_a_helper_agent_in_the_old_layout_is_one_too(tree: Tree, helper: str, label: str) -> None:
    tree.main("s1", assistant("a"))
    tree.agent("s1", helper, assistant("own"), folder="")
    assert split(tree.root, "agent") == {"main": 1, label: 1}


@requirement("F5")
def test_a_side_chain_row_owns_nothing_that_stands_on_the_main_chain(tree: Tree) -> None:
    tree.agent("s2", "a1", assistant("a", time=FIRST), slug="-a")
    tree.main("s1", assistant("a", time=THIRD), slug="-z")
    assert owners(tree) == {"s1": 1}
    assert split(tree.root, "agent") == {"main": 1}


@requirement("F5")
def test_a_main_row_of_another_session_owns_before_a_side_chain_row(tree: Tree) -> None:
    tree.agent("s2", "a1", assistant("a", time=FIRST), slug="-a")
    tree.main("s1", assistant("a", time=THIRD, sessionId="s3"), slug="-z")
    assert owners(tree) == {"s3": 1}


@requirement("F5")
@pytest.mark.parametrize(
    ("row", "session"),
    [
        (assistant("a", sessionId="x", session_id="y"), "x"),
        ({**without(assistant("a"), "sessionId"), "session_id": "y"}, "y"),
        (without(assistant("a"), "sessionId"), "file"),
        (assistant("a", sessionId=""), "file"),
        ({**assistant("a"), "sessionId": None}, "file"),
        ({**assistant("a"), "sessionId": 7, "session_id": "y"}, "y"),
    ],
)
def test_the_session_is_named_by_the_row_and_else_by_the_file(
    tree: Tree, row: Row, session: str
) -> None:
    tree.put(f"{SLUG}/file.jsonl", row)
    assert owners(tree) == {session: 1}
    tree.put(f"{SLUG}/file.jsonl", line(row).replace(b"Done.", b"\\ud83d"))
    assert owners(tree) == {session: 1}


@requirement("F5")
def test_a_sub_agent_belongs_to_the_session_of_its_parent(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    tree.agent("s1", "a1", assistant("b"))
    tree.agent("s1", "a2", assistant("c"), folder="")
    assert owners(tree) == {"s1": 3}


@requirement("F5")
def test_a_file_with_several_sessions_keeps_each_of_them(tree: Tree) -> None:
    tree.main("s1", assistant("a"), assistant("b", sessionId="s2"), assistant("c", sessionId="s3"))
    assert owners(tree) == {"s1": 1, "s2": 1, "s3": 1}


@requirement("F5")
@pytest.mark.usefixtures("age")
def test_renaming_a_file_moves_the_ownership_with_it(tree: Tree) -> None:
    tree.main("s1", assistant("a"), slug="-b")
    path = tree.main("s2", assistant("a"), slug="-c")
    assert owners(tree) == {"s1": 1}
    (tree.root / "projects" / "-a").mkdir()
    os.rename(path, tree.root / "projects" / "-a" / "s2.jsonl")
    assert owners(tree) == {"s2": 1}


@requirement("F5")
@pytest.mark.usefixtures("age")
def test_deleting_the_owner_gives_the_response_to_the_next(tree: Tree) -> None:
    path = tree.main("s1", assistant("a", usage=counts(output=90)), assistant("b"), slug="-a")
    tree.main("s2", assistant("a"), slug="-b")
    assert owners(tree) == {"s1": 2}
    path.unlink()
    assert owners(tree) == {"s2": 1}
    assert total(tree.root) == expected(1)


@requirement("F9")
def test_the_project_is_the_directory_of_the_owning_row(tree: Tree) -> None:
    tree.main("s1", assistant("a", cwd="/home/dev/a-b"), assistant("b", cwd="/srv/x/.trees/t1"))
    tree.main("s2", assistant("a", cwd="/elsewhere", sessionId="s1"))
    assert split(tree.root, "project") == {"/home/dev/a-b": 1, "/srv/x/.trees/t1": 1}


@requirement("F9")
def test_the_directory_of_a_sub_agent_is_its_own(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    tree.agent("s1", "a1", assistant("b", cwd="/home/dev/shop/.worktrees/fix"))
    assert split(tree.root, "project") == {"/home/dev/shop": 1, "/home/dev/shop/.worktrees/fix": 1}


@requirement("F9")
@pytest.mark.parametrize("cwd", [None, "", 7])
@pytest.mark.parametrize("folder", ["", "s1/subagents/"])
def test_without_a_directory_the_slug_stands_undecoded(
    tree: Tree, cwd: object, folder: str
) -> None:
    row = {**assistant("a"), "cwd": cwd, "sessionId": "s1"}
    tree.put(f"-home-dev-my-shop/{folder}s1.jsonl", row)
    assert split(tree.root, "project") == {"-home-dev-my-shop": 1}


@requirement("F9")
def test_projects_of_one_base_name_never_merge(tree: Tree) -> None:
    paths = ("/a/web", "/b/web", "/web", "/a/web/", "C:\\a\\web", "/A/web")
    tree.main("s1", *(assistant(f"a{n}", cwd=path) for n, path in enumerate(paths)))
    found = split(tree.root, "project")
    assert sum(found.values()) == len(paths)
    assert {"/a/web", "/b/web", "/web", "C:\\a\\web", "/A/web"} <= found.keys()
