"""Trees for the tests of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from econome.demo.tree import DemoTree, write
from econome.times import day_number
from tests.builders import Tree

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
