"""Whatever fails or is swapped at whatever step, changes are applied whole or not at all, and nothing outside is reached (D7)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from econome.delegation.coder import apply as applying
from econome.delegation.coder.apply import apply_changes
from econome.errors import ChangeRefused
from econome.renames import exchange
from tests.delegation.repositories import THREE, Bench, bench_in, change_three, git, refused, write
from tests.requirements import requirement

pytestmark = requirement("D7")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return bench_in(tmp_path)


_CALLS = ("dup", "open", "stat", "fstat", "mkdir", "link", "rename", "unlink", "read", "fsync")


class _Steps:
    """Counts the calls to the system while changes are applied, and does something right before one of them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count, self._at = 0, -1
        self._act: Callable[[], None] = lambda: None
        for name in _CALLS:
            patch.setattr(os, name, self._counted(getattr(os, name)))
        patch.setattr(applying, "exchange", self._counted(exchange))

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **named: Any) -> Any:
            name = sys._getframe(1).f_globals["__name__"]
            self.count += name.startswith("econome.delegation.coder")
            if self.count == self._at:
                self._at = -1
                self._act()
            return call(*args, **named)

        return counted

    def before(self, step: int, act: Callable[[], None]) -> None:
        self.count, self._at, self._act = 0, step, act


def _fail() -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.slow
def test_a_failure_at_any_step_leaves_everything_as_it_was(bench: Bench) -> None:
    change_three(bench)
    changes, before = bench.changes(), bench.now()
    step = 0
    while True:
        step += 1
        with pytest.MonkeyPatch.context() as patch:
            steps = _Steps(patch)
            steps.before(step, _fail)
            try:
                apply_changes(bench.base, changes)
            except (ChangeRefused, OSError):
                failed = True
            else:
                failed = False
            over = steps.count < step
        now = bench.now()
        if not failed:  # what was replaced may stay beside where it cannot be removed
            now = {path: data for path, data in now.items() if ".econome-" not in path}
        assert now == (before if failed else THREE)
        lock = bench.repository / ".git" / "index.lock"
        if not failed:
            lock.unlink(missing_ok=True)
        assert not lock.exists()
        if over:
            break
        if not failed:  # a failure that is of no account: undo, and go on
            git(bench.repository, "checkout", "-q", ".")
            git(bench.repository, "clean", "-fdq")
    assert step > 60


def _swap_directory(top: Path, outside: Path) -> Callable[[], None]:
    def act() -> None:
        if (top / "src").is_dir() and not (top / "src").is_symlink():
            (top / "src").rename(top / "moved")
            (top / "src").symlink_to(outside)

    return act


def _swap_file(top: Path, outside: Path) -> Callable[[], None]:
    def act() -> None:
        (top / "a.txt").unlink(missing_ok=True)
        (top / "a.txt").symlink_to(outside / "a.txt")

    return act


def _make_way_a_link(top: Path, outside: Path) -> Callable[[], None]:
    def act() -> None:
        if not (top / "new").exists():
            (top / "new").symlink_to(outside)

    return act


def _edit(top: Path, outside: Path) -> Callable[[], None]:
    def act() -> None:
        if (top / "a.txt").is_file():
            text = (top / "a.txt").read_bytes()
            (top / "mine").write_bytes(b"mine\n" + text)
            (top / "mine").rename(top / "a.txt")

    return act


@pytest.mark.slow
@pytest.mark.parametrize("attack", [_swap_directory, _swap_file, _make_way_a_link, _edit])
def test_nothing_outside_is_touched_and_nothing_of_the_user_is_lost_whatever_is_swapped_when(
    tmp_path: Path, attack: Callable[[Path, Path], Callable[[], None]]
) -> None:
    step, over = 0, False
    bench = bench_in(tmp_path)
    change_three(bench)
    changes = bench.changes()
    outside = tmp_path / "outside"
    while not over:
        step += 3
        for path in (outside / "deep" / "b.txt", outside / "a.txt", outside / "x.py"):
            write(path.parent, path.name, "theirs\n")
        with pytest.MonkeyPatch.context() as patch:
            steps = _Steps(patch)
            steps.before(step, attack(bench.repository, outside))
            try:
                apply_changes(bench.base, changes)
            except ChangeRefused:
                failed = True
            else:
                failed = False
            over = steps.count < step
        kept = {path.name: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
        assert kept == dict.fromkeys(("a.txt", "b.txt", "x.py"), b"theirs\n")
        found = bench.now()
        if failed:
            assert found.get("new/deep/b.txt") is None
            assert b"print(1)\n" in found.values()
        if attack is _edit:
            mine = found["a.txt"].startswith(b"mine\n")
            assert mine or over
        git(bench.repository, "reset", "-q", "--hard")
        git(bench.repository, "clean", "-fdq")


def test_a_commit_in_the_middle_undoes_it_all(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_three(bench)
    before = bench.now()
    monkeypatch.setattr(applying, "head", lambda _: "f" * 40)
    assert refused(bench.apply) == (None, "a commit was made meanwhile; nothing was applied")
    assert bench.now() == before


def test_without_an_exchange_of_names_it_comes_to_the_same(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applying, "exchange", lambda *_: False)
    change_three(bench)
    before = bench.now()
    with monkeypatch.context() as patch:
        patch.setattr(applying, "head", lambda _: "f" * 40)
        refused(bench.apply)
    assert bench.now() == before
    bench.apply()
    assert bench.now() == THREE
