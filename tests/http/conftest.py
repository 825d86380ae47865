"""One server for all tests of a module that leave it as they found it; the others start their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.http.process import Served, served

_PLACES = {
    "HOME": "",
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "CLAUDE_CONFIG_DIR": "claude",
    "CODEX_HOME": "codex",
}


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give the module's server a home of its own: that of a test would be another for each."""
    home = tmp_path_factory.mktemp("served")
    with pytest.MonkeyPatch.context() as patch:
        for name, part in _PLACES.items():
            (home / part).mkdir(exist_ok=True)
            patch.setenv(name, str(home / part))
        patch.setenv("ECONOME_NOW", "2026-10-17T12:00:00Z")
        patch.setenv("TZ", "UTC")
        yield home


@pytest.fixture(scope="module")
def shared_server(shared_home: Path) -> Iterator[Served]:
    """Return a running server that the tests of a module share."""
    with served(shared_home / "ledger") as running:
        yield running
