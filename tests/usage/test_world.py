"""R5: what a report does to the world - nothing below a root, no socket."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders import Tree, assistant, call, returned
from tests.builders_codex import meta, rollout, spent, totals, turn
from tests.door import arguments, finish, run, spawn, usage
from tests.requirements import requirement

GUARD = """
import sys
def refuse(event, args):
    if event.startswith("socket."):
        raise SystemExit(f"a report opened a socket: {event} {args}")
sys.addaudithook(refuse)
from econome.__main__ import main
sys.exit(main(sys.argv[1:]))
"""

REPORTS = (
    (),
    ("usage",),
    ("usage", "--csv"),
    ("session", "s1"),
    ("blocks",),
    ("doctor",),
    ("prices",),
    ("prices", "explain", "claude-haiku-4-5"),
)


@pytest.fixture
def full(tree: Tree) -> Tree:
    """A tree with something of everything."""
    tree.main("s1", assistant("a", content=[call()]), returned("a1"), b'{"type":"assist')
    tree.agent("s1", "a1", assistant("b", time=None), meta={"agentType": "Explore"})
    tree.agent("s1", "a2", assistant("c"), meta=b"broken")
    rollout(tree.root, meta(), turn(), spent(totals(10, 0, 10)))
    return tree


def snapshot(root: Path) -> dict[str, tuple[int, ...]]:
    """Every path below *root* with what writing to it would change."""

    def walk(folder: Path) -> Iterator[Path]:
        yield folder
        for path in sorted(folder.iterdir()):
            if path.is_dir():
                yield from walk(path)
            else:
                yield path

    return {
        str(path): (stat.st_mode, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        for path in walk(root)
        for stat in [path.stat()]
    }


@requirement("R5")
@pytest.mark.parametrize("report", REPORTS, ids=" ".join)
def test_nothing_is_written_below_a_root(
    full: Tree, report: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(full.root))
    monkeypatch.setenv("CODEX_HOME", str(full.root))
    before = snapshot(full.root)
    assert run(*report).code == 0
    assert snapshot(full.root) == before
    usage(full.root)
    assert snapshot(full.root) == before


@requirement("R5")
@pytest.mark.parametrize("report", REPORTS, ids=" ".join)
def test_no_report_opens_a_socket(
    full: Tree, report: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(full.root))
    ran = finish(spawn(*report, code=GUARD))
    assert (ran.code, ran.err) == (0, "")


@requirement("R5")
def test_the_offline_option_changes_nothing(full: Tree) -> None:
    plain = run(*arguments((full.root,), ()))
    assert run(*arguments((full.root,), ("--offline",))) == plain
    assert plain.code == 0


@requirement("R5")
def test_without_an_index_nothing_is_written_at_all(full: Tree, home: Path) -> None:
    before = sorted(os.walk(home))
    assert run(*arguments((full.root,), ("--no-index",))).code == 0
    assert sorted(os.walk(home)) == before


@requirement("R5")
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc/self/fd")
def test_a_report_leaves_no_file_open(full: Tree) -> None:
    usage(full.root)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        usage(full.root)
    assert len(os.listdir("/proc/self/fd")) <= before
