"""The office that tests of this room fill."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.office import Office


@pytest.fixture
def office(tmp_path: Path) -> Office:
    """A root with nothing in it."""
    return Office(tmp_path)
