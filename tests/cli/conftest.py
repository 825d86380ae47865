"""Trees, ledgers, an empty directory and a key for the tests of the command line."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from econome.demo.tree import DemoTree, write
from econome.times import day_number
from tests.builders import Tree
from tests.savings.builders import Payload
from tests.savings.ledgers import Written

Fill = Callable[..., Path]

TODAY = day_number(2026, 10, 17)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> DemoTree:
    """Return the demo tree, written once; its last day is that of the tests' clock."""
    return write(tmp_path_factory.mktemp("demo"), TODAY)


@pytest.fixture
def demo(written: DemoTree, monkeypatch: pytest.MonkeyPatch) -> DemoTree:
    """Return the demo tree, set up as this user's transcripts."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(written.claude))
    monkeypatch.setenv("CODEX_HOME", str(written.codex))
    return written


@pytest.fixture
def tree(home: Path) -> Tree:
    """Return an empty tree, set up as this user's transcripts."""
    return Tree(home / "claude")


@pytest.fixture
def fill(home: Path) -> Fill:
    """Return what writes a ledger into the usual data directory."""

    def written(*events: Payload, journal: list[Payload] | None = None, **more: Any) -> Path:
        files = Written(list(events), journal=journal or [], **more)
        place = home / "data" / "econome" / "logs" / "mcp"
        place.mkdir(parents=True, exist_ok=True)
        place.joinpath("economies.jsonl").write_bytes(b"".join(files.ledger_lines()))
        place.joinpath("economies.conflicts.jsonl").write_bytes(b"".join(files.conflict_lines()))
        place.joinpath("delegations.jsonl").write_bytes(b"".join(files.journal_lines()))
        return place

    return written


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty directory, which the test runs in; what lies beside it is the test's too."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def key(here: Path) -> Path:
    """Return a private key of ssh; its public half is one that may sign, in `signers`, as me@shop.example."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("there is no ssh-keygen here")
    path = here.parent / "key"
    made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "me", "-f", str(path)]
    subprocess.run(made, check=True, stdin=subprocess.DEVNULL)
    public = path.with_suffix(".pub").read_text(encoding="utf-8")
    (here / "signers").write_text(f"me@shop.example {public}", encoding="utf-8")
    return path
