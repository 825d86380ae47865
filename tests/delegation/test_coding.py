"""Work for a coder, from the order to the scratch directory: which repository, where, and what is left of it."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from econome.delegation.carrying import Coding
from econome.delegation.options import Options
from econome.delegation.order import Order
from econome.delegation.ports import Ask, Job, Progress, Proposal, Written
from econome.delegation.workbench import Workbench
from econome.errors import BackendAway, DelegationRefused, EconomeError, FileRefused
from tests.delegation.desks import CALLER, CHANGE, Changes, office_on, registered, run
from tests.requirements import requirement

pytestmark = requirement("D3", "D7")

PRESETS = '[edit]\nbackend = "opencode"\nsystem = "Edit."\nmodel = "m"\n'


class NoModels:
    """Nobody is asked for a model."""

    def __init__(self) -> None:
        self.closed = False

    async def pick(self, name: str | None = None) -> Any:
        raise BackendAway("there is none")

    async def close(self) -> None:
        self.closed = True


class Fake:
    """A coder that notes its jobs and leaves something in its scratch directory."""

    name, workers = "opencode", 2

    def __init__(self, changes: Changes) -> None:
        self.changes, self.jobs, self.closed = changes, list[Job](), False
        self.stuck: asyncio.Event | None = None

    async def work(self, job: Job, progress: Progress, ask: Ask) -> Proposal:
        assert os.listdir(job.scratch) == []
        Path(job.scratch, "clone").mkdir()
        self.jobs.append(job)
        if self.stuck is not None:
            self.stuck.set()
            await asyncio.Event().wait()
        return self.changes

    async def close(self) -> None:
        self.closed = True


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a directory that may be used, with a repository in it."""
    (tmp_path / "presets.toml").write_text(PRESETS, encoding="utf-8")
    place = tmp_path / "code"
    (place / "repo" / ".git").mkdir(parents=True)
    (place / "repo" / "src").mkdir()
    return place


def _bench(root: Path, coder: Fake | None, **options: Any) -> Workbench:
    return Workbench(
        Options(**({"roots": (str(root),)} | options)),
        NoModels(),
        presets=str(root.parent / "presets.toml"),
        scratch=str(root.parent / "work"),
        home=str(root.parent / "home"),
        closed=(str(root / "data"),),
        coder=None if coder is None else lambda: coder,
    )


def _order(root: Path, **more: Any) -> Order:
    return Order("fix it", "edit", base=str(root / "repo" / "src"), **more)


def test_a_coder_works_in_a_scratch_directory_that_is_gone_afterwards(root: Path) -> None:
    coder, place = Fake(Changes()), root.parent / "state"

    async def work() -> None:
        bench = _bench(root, coder)
        async with office_on(place, bench, clock=time.monotonic) as office:
            request_id = await office.submit(_order(root, files=("a.py", "../b.py")), CALLER)
            standing = await office.standing(request_id, 30)
            assert (standing.status, standing.changes) == ("a_valider", (CHANGE,))
            while [one.get("state") for one in registered(place)][1:] != ["en_cours", "a_valider"]:
                await asyncio.sleep(0)
            scratch = root.parent / "work" / request_id
            job = Job(
                "fix it", str(root / "repo"), str(scratch), ("src/a.py", "b.py"), "Edit.", "m"
            )
            assert coder.jobs == [job]
            assert scratch.is_dir()
            done = await office.apply(request_id)
            assert (done.status, done.preset, done.tokens_in) == ("terminee", "edit", 50)
            assert not scratch.exists()
        assert coder.closed

    run(work())


def test_a_cancelled_coder_leaves_nothing(root: Path) -> None:
    coder = Fake(Changes())

    async def work() -> str:
        coder.stuck = asyncio.Event()
        async with office_on(root.parent / "state", _bench(root, coder)) as office:
            request_id = await office.submit(_order(root), CALLER)
            await coder.stuck.wait()
            status = (await office.cancel(request_id)).status
            await office.wait_idle()
            return status

    assert run(work()) == "annulee"
    assert list((root.parent / "work").iterdir()) == []


def test_what_a_killed_process_left_in_the_scratch_is_cleared_away(root: Path) -> None:
    left = root.parent / "work" / "dem-0123456789" / "clone"
    left.mkdir(parents=True)
    outside = root / "repo" / "kept.txt"
    outside.write_bytes(b"")
    (left / "link").symlink_to(root / "repo")
    _bench(root, None)
    assert (left.exists(), outside.exists()) == (False, True)


def test_a_coder_that_changes_nothing_has_answered(root: Path) -> None:
    changes = Changes()
    changes.changes = ()

    async def work() -> tuple[str, str | None]:
        coder = Fake(changes)
        async with office_on(root.parent / "state", _bench(root, coder)) as office:
            standing = await office.standing(await office.submit(_order(root), CALLER), 30)
            return standing.status, standing.answer

    assert run(work()) == ("terminee", "I changed one file.")
    assert changes.done == ["discard"]


def test_a_coder_whose_only_work_is_left_out_says_so(root: Path) -> None:
    changes = Changes()
    changes.changes, changes.left_out = (), ("logo.png", "__pycache__/")

    async def work() -> str | None:
        coder = Fake(changes)
        async with office_on(root.parent / "state", _bench(root, coder)) as office:
            return (await office.standing(await office.submit(_order(root), CALLER), 30)).answer

    assert run(work()) == "I changed one file.\n\n(Left out, not applied: logo.png, __pycache__/)"


def test_changes_that_cannot_be_applied_say_so_while_they_wait(root: Path) -> None:
    changes = Changes()
    changes.refusal, changes.left_out = "a.lnk: it is a link", ("logo.png",)

    async def work() -> tuple[str | None, tuple[str, ...]]:
        coder = Fake(changes)
        async with office_on(root.parent / "state", _bench(root, coder)) as office:
            standing = await office.standing(await office.submit(_order(root), CALLER), 30)
            return standing.refusal, standing.left_out

    assert run(work()) == ("a.lnk: it is a link", ("logo.png",))


def _taken(root: Path, order: Order, **options: Any) -> Coding:
    task = run(_bench(root, Fake(Changes()), **options).take(order, CALLER))
    assert isinstance(task, Coding)
    return task


@pytest.mark.parametrize(
    "change, error",
    [
        ({"base": None}, FileRefused),  # the root itself is no repository
        ({"files": ("../../../presets.toml",)}, FileRefused),
        ({"files": ("/etc/passwd",)}, FileRefused),
        ({"output": "a.md"}, DelegationRefused),
        ({"format": "json"}, DelegationRefused),
    ],
)
def test_a_coder_stays_in_a_repository_that_may_be_used(
    root: Path, change: dict[str, Any], error: type[EconomeError]
) -> None:
    assert _taken(root, _order(root)).place == "opencode"
    with pytest.raises(error):
        _taken(root, replace(_order(root), **change))


def test_a_repository_around_or_outside_the_roots_is_refused(root: Path) -> None:
    for roots in ((str(root / "repo" / "src"),), (str(root / "elsewhere"),), ()):
        with pytest.raises(EconomeError):
            _taken(root, _order(root), roots=roots)
    own = (str(root / "repo" / "src"),)
    with pytest.raises(FileRefused):
        _taken(root, _order(root, roots=own))
    (root / "data" / ".git").mkdir(parents=True)
    with pytest.raises(FileRefused):
        _taken(root, Order("fix it", "edit", base=str(root / "data")))


def _why(root: Path, order: Order, **options: Any) -> str:
    with pytest.raises(EconomeError) as caught:
        _taken(root, order, **options)
    return str(caught.value)


def _begun(root: Path, order: Order, **options: Any) -> tuple[str, tuple[str, ...]]:
    async def work() -> Job:
        coder = Fake(Changes())
        bench = _bench(root, coder, **options)
        async with office_on(root.parent / "state", bench) as office:
            await office.standing(await office.submit(order, CALLER), 30)
        return coder.jobs[0]

    job = run(work())
    return job.repository, job.files


@pytest.mark.parametrize("base", [None, "", "other/deep"])
def test_the_files_choose_the_repository(root: Path, base: str | None) -> None:
    for name in ("other", "third"):
        (root / name / ".git").mkdir(parents=True)
        (root / name / "deep").mkdir()
    begun = None if base is None else str(root / base)
    for asked, expected in (
        (("repo/src/new.py", "repo/b.py"), ("src/new.py", "b.py")),
        (("repo",), ()),
        (("repo/src",), ("src",)),
    ):
        whole = tuple(str(root / name) for name in asked)
        files = whole if base else asked
        order = Order("fix it", "edit", base=begun, files=files)
        assert _begun(root, order) == (str(root / "repo"), expected)
    two = Order("fix it", "edit", files=("other/deep/a", "third/b"))
    assert "another repository" in _why(root, two)


def test_with_several_roots_a_whole_path_chooses_the_repository(root: Path) -> None:
    second = root.parent / "second"
    (second / ".git").mkdir(parents=True)
    roots = (str(root), str(second))
    order = Order("fix it", "edit", files=(str(second / "a.py"),))
    assert _begun(root, order, roots=roots) == (str(second), ("a.py",))
    assert "name a file" in _why(root, Order("fix it", "edit"), roots=roots)
    assert "in full" in _why(root, Order("fix it", "edit", files=("a.py",)), roots=roots)


def test_a_refusal_says_which_root_would_be_needed(root: Path) -> None:
    top = root / "repo"
    reason = "name this directory in `roots` under [delegation] in config.toml"
    for order in (_order(root), _order(root, files=("a.py",))):
        why = _why(root, order, roots=None)
        assert why.startswith(f"{top}: ")
        assert why.endswith(reason)
    outside = _why(root, _order(root, files=("../a.py",)), roots=None)
    assert "`roots` under [delegation]" in outside
    assert "the client's own roots" in _why(root, _order(root, roots=(str(top / "src"),)))
    (root / "bare").mkdir()
    assert "no git repository" in _why(root, Order("fix it", "edit", base=str(root / "bare")))
    assert "no path" in _why(root, _order(root, files=("a\0b",)))


def test_a_link_to_a_repository_outside_is_what_it_leads_to(root: Path, tmp_path: Path) -> None:
    (tmp_path / "other" / ".git").mkdir(parents=True)
    (root / "link").symlink_to(tmp_path / "other")
    with pytest.raises(FileRefused):
        _taken(root, Order("fix it", "edit", base=str(root / "link")))


def test_without_a_coder_the_preset_is_refused(root: Path) -> None:
    with pytest.raises(DelegationRefused):
        run(_bench(root, None).take(_order(root), CALLER))


def test_what_a_coder_wrote_counts(root: Path) -> None:
    changes = Changes()
    changes.written = Written("done", "big-coder", 900, 80, estimated=True)

    async def work() -> tuple[Any, ...]:
        async with office_on(root.parent / "state", _bench(root, Fake(changes))) as office:
            request_id = await office.submit(_order(root), CALLER)
            await office.standing(request_id, 30)
            one = await office.reject(request_id)
            return one.status, one.model, one.tokens_in, one.tokens_out, one.tokens_estimated

    assert run(work()) == ("annulee", "big-coder", 900, 80, True)
