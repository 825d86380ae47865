"""F12: an incremental scan gives the bytes of a fresh one, whatever happened in between."""

from __future__ import annotations

import json
import mmap
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import SLUG, Tree, assistant, call, counts, line, returned, without
from tests.door import forget, text, usage
from tests.requirements import requirement
from tests.usage.changes import Weather
from tests.usage.forest import grow

pytestmark = pytest.mark.usefixtures("age")

STEPS = 25
QUESTIONS = (
    ("--by", "session", "--by", "agent"),
    ("--by", "day", "--by", "model"),
    ("--by", "project"),
    ("--by", "branch", "--days", "30"),
    ("--by", "hour", "--timezone", "Asia/Kathmandu"),
    ("--by", "agent", "--since", "2026-04-05", "--timezone", "Australia/Lord_Howe"),
)


@requirement("F12")
@pytest.mark.parametrize("seed", range(8))
def test_after_every_change_warm_is_cold(tree: Tree, seed: int) -> None:
    chance = random.Random(seed)
    grow(tree, chance)
    weather = Weather(tree, chance)
    done: list[str] = []
    text(tree.root)
    for step in range(STEPS):
        done.append(weather.change())
        question = chance.choice(QUESTIONS)
        warm = text(tree.root, args=question)
        assert warm == text(tree.root, args=(*question, "--no-index")), done
        if step % 10 == 9:
            forget()


@requirement("F12")
@pytest.mark.parametrize("seed", range(100, 104))
def test_after_many_changes_at_once_warm_is_cold(tree: Tree, seed: int) -> None:
    chance = random.Random(seed)
    grow(tree, chance)
    weather = Weather(tree, chance)
    other = Tree(tree.root.with_name("other"))
    grow(other, chance)
    roots = (tree.root, other.root)
    text(*roots)
    for _ in range(8):
        done = [weather.change() for _ in range(chance.randrange(2, 8))]
        question = chance.choice(QUESTIONS)
        warm = text(*roots, args=question)
        assert warm == text(*roots, args=(*question, "--no-index")), done


@requirement("F12")
def test_two_reports_of_an_unchanged_tree_are_the_same_bytes(tree: Tree) -> None:
    grow(tree, random.Random(7))
    first = text(tree.root)
    assert text(tree.root) == first
    forget()
    assert text(tree.root) == first


@requirement("F12")
@pytest.mark.parametrize("sizes", [(1, 1), (3, 3), (40, 2), (2, 40)])
def test_an_append_is_read_from_where_the_file_ended(tree: Tree, sizes: tuple[int, int]) -> None:
    rows = [assistant(f"a{n}", usage=counts(output=n)) for n in range(sum(sizes))]
    path = tree.main("s1", *rows[: sizes[0]])
    assert usage(tree.root)["total"]["responses"] == sizes[0]
    text(tree.root)
    full = {"sessionId": "s1", "isSidechain": False}
    with path.open("ab") as out:
        out.writelines(line({**row, **full}) + b"\n" for row in rows[sizes[0] :])
    assert text(tree.root) == text(tree.root, args=("--no-index",))
    assert usage(tree.root)["total"]["responses"] == sum(sizes)


@requirement("F12", "F2")
def test_a_row_that_comes_later_may_change_the_keys_of_earlier_ones(tree: Tree) -> None:
    """A third prompt makes a gateway of an id, and one request id unmakes it."""
    for step, (prompt, request) in enumerate([(1, None), (2, None), (3, None), (4, "r"), (5, "q")]):
        row = assistant(
            f"g{step}",
            message={"id": "gateway"},
            requestId=request,
            usage=counts(fresh=prompt),
        )
        tree.main(f"s{step}", row)
        warm = text(tree.root)
        assert warm == text(tree.root, args=("--no-index",))
        assert usage(tree.root)["total"]["responses"] == (1, 1, 3, 1, 3)[step]
        text(tree.root)


@requirement("F12", "F5")
def test_a_row_that_comes_later_may_make_its_file_the_older_one(tree: Tree) -> None:
    shared = assistant("a", time="2026-01-05T12:00:00Z")
    tree.main("s1", assistant("b", time="2026-01-05T10:00:00Z"), shared, slug="-a")
    path = tree.main("s2", assistant("c", time="2026-01-05T11:00:00Z"), shared, slug="-b")
    by = ("--by", "session")
    assert [row["responses"] for row in usage(tree.root, *by, "--sort", "key")["rows"]] == [2, 1]
    early = assistant("d", time="2026-01-05T09:00:00Z", sessionId="s2")
    with path.open("ab") as out:
        out.write(line(early) + b"\n")
    assert [row["responses"] for row in usage(tree.root, *by, "--sort", "key")["rows"]] == [1, 3]


@requirement("F12", "F4")
def test_a_main_row_that_comes_later_makes_a_replay_of_a_side_chain(tree: Tree) -> None:
    tree.agent("s1", "a1", assistant("a", requestId="req_2"))
    assert usage(tree.root)["coverage"]["replayed"] == 0
    path = tree.main("s1", assistant("a"))
    assert text(tree.root) == text(tree.root, args=("--no-index",))
    assert usage(tree.root)["coverage"]["replayed"] == 1
    path.unlink()
    assert text(tree.root) == text(tree.root, args=("--no-index",))
    assert usage(tree.root)["total"]["responses"] == 1


@requirement("F12")
def test_the_index_of_one_root_does_not_answer_for_another(tree: Tree, tmp_path: Path) -> None:
    tree.main("s1", assistant("a"))
    other = Tree(tmp_path / "other")
    other.main("s2", assistant("b"), assistant("c"))
    one, two = text(tree.root), text(other.root)
    both, reverse = text(tree.root, other.root), text(other.root, tree.root)
    assert text(tree.root) == one == text(tree.root, args=("--no-index",))
    assert text(other.root) == two == text(other.root, args=("--no-index",))
    assert text(tree.root, other.root) == both
    assert text(other.root, tree.root) == reverse


@requirement("F12")
def test_a_root_that_moved_is_read_again(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    usage(tree.root)
    moved = tree.root.with_name("moved")
    os.rename(tree.root, moved)
    assert text(moved) == text(moved, args=("--no-index",))


@requirement("F12")
@pytest.mark.parametrize("seed", range(3))
def test_an_old_file_with_its_old_time_is_not_taken_for_unchanged(
    tree: Tree, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECONOME_NOW", "2031-01-01T00:00:00Z")
    chance = random.Random(seed)
    weather = Weather(tree, chance)
    path = tree.main("s1", *(assistant(f"a{n}", usage=counts(output=1)) for n in range(9)))
    text(tree.root)
    for _ in range(5):
        weather.rewrite_in_old_time(path)
        assert text(tree.root) == text(tree.root, args=("--no-index",))


@requirement("F12")
def test_a_file_that_became_a_directory_and_back_is_noticed(tree: Tree) -> None:
    path = tree.main("s1", assistant("a"))
    usage(tree.root)
    path.unlink()
    tree.put(f"{SLUG}/s1.jsonl/s2.jsonl", assistant("b"), sessionId="s2")
    assert usage(tree.root, "--by", "session")["rows"][0]["session"] == "s2"
    (path / "s2.jsonl").unlink()
    path.rmdir()
    tree.main("s1", assistant("c"))
    assert usage(tree.root, "--by", "session")["rows"][0]["session"] == "s1"


@requirement("F12", "F2")
def test_a_file_put_in_the_place_of_another_is_no_append(tree: Tree) -> None:
    """Lines that nothing identifies are known by their file, which lives on under its other name."""
    bare = without(assistant("a", message={"id": None}, requestId=None), "uuid")
    path = tree.main("s1", bare)
    os.link(path, path.with_name("s2.jsonl"))
    assert usage(tree.root)["total"]["responses"] == 1
    text(tree.root)
    other = path.with_name("other")
    other.write_bytes(path.read_bytes() * 2)
    os.replace(other, path)
    assert text(tree.root) == text(tree.root, args=("--no-index",))
    assert usage(tree.root)["total"]["responses"] == 3


@requirement("F12", "F10")
def test_a_call_that_is_written_below_another_root_is_noticed(tree: Tree) -> None:
    other = Tree(tree.root.with_name("other"))
    tree.agent("s1", "a1", assistant("b"))
    roots, by = (tree.root, other.root), ("--by", "agent")
    text(*roots, args=by)
    other.main("s1", assistant("m", content=[call()]), returned("a1"))
    assert text(*roots, args=by) == text(*roots, args=(*by, "--no-index"))


@requirement("F12", "F10")
@pytest.mark.parametrize("make", [os.link, os.symlink])
def test_a_meta_file_of_several_agents_that_changes_is_noticed_for_each(
    tree: Tree, make: Callable[[Path, Path], None]
) -> None:
    paths = [tree.agent("s1", name, assistant(name)) for name in ("a1", "a2", "a3")]
    metas = [path.with_suffix("").with_suffix(".meta.json") for path in paths]
    metas[0].write_bytes(b'{"agentType": "Explore"}')
    for meta in metas[1:]:
        make(metas[0], meta)
    by = ("--by", "agent")
    text(tree.root, args=by)
    metas[0].write_bytes(b'{"agentType": "Planner"}')
    assert text(tree.root, args=by) == text(tree.root, args=(*by, "--no-index"))
    assert [row["agent"] for row in usage(tree.root, *by)["rows"]] == ["Planner"]


@requirement("F12", "R1")
def test_one_relative_name_of_two_roots_is_no_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate(("one", "two"), 1):
        folder = tmp_path / name
        Tree(folder / "root").main("s1", *(assistant(f"{name}{n}") for n in range(number)))
        monkeypatch.chdir(folder)
        for _ in range(2):
            warm = text(Path("root"))
            assert warm == text(Path("root"), args=("--no-index",))
            assert json.loads(warm)["total"]["responses"] == number


@requirement("F12")
def test_a_link_that_leads_elsewhere_now_is_noticed(tree: Tree, tmp_path: Path) -> None:
    away = Tree(tmp_path / "away")
    files = [away.main(name, assistant(name), slug=f"-{name}") for name in ("x", "y")]
    for number, targets in enumerate((files, [path.parent for path in files])):
        link = tree.root / "projects" / ("-l", "l.jsonl")[number]
        for target in (*targets, *targets):
            link.unlink(missing_ok=True)
            os.symlink(target, link)
            warm = text(tree.root)
            assert warm == text(tree.root, args=("--no-index",))


@requirement("F12")
def test_a_change_that_no_time_of_the_file_tells_is_noticed_while_it_is_young(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writes within one tick of the disk's clock, which writes through memory make certain."""
    monkeypatch.undo()
    path = tree.main("s1", assistant("a", usage=counts(output=1)))
    spot = path.read_bytes().index(b'"output_tokens": 1') + len('"output_tokens": ')
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        for digit in b"23456":
            memory[spot] = digit
            assert text(tree.root) == text(tree.root, args=("--no-index",))
