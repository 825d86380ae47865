"""The tree that most tests of this room fill."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.builders import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """An empty root."""
    return Tree(tmp_path / "root")


@pytest.fixture(params=["young", "settled"])
def age(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test as it is, and once more with a clock for which every file is ten seconds old.

    An index may look again at what changed just before it was written, so a test whose files are
    all young never sees what it would take for unchanged.
    """
    if request.param == "settled":
        clock = time.time
        monkeypatch.setattr(time, "time", lambda: clock() + 10)
