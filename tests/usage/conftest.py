"""The tree that most tests of this room fill."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """An empty root."""
    return Tree(tmp_path / "root")
