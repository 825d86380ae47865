"""What every test stands on: an own, empty home, a fixed clock, and the shared corpus where it exists."""

from __future__ import annotations

import os
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent
NOW = "2026-10-17T12:00:00Z"

_REAL_HOME = os.path.realpath(os.path.expanduser("~"))
_PRIVATE = tuple(
    os.path.join(_REAL_HOME, *parts)
    for parts in (
        (".claude",),
        (".codex",),
        (".config", "claude"),
        (".config", "econome"),
        (".cache", "econome"),
        (".local", "share", "econome"),
    )
)
_LOOKING = frozenset({"open", "os.listdir", "os.scandir"})


def _refuse_private_paths(event: str, args: tuple[object, ...]) -> None:
    """Fail any look at the real user's transcripts, settings or index from the test process."""
    if event in _LOOKING and isinstance(args[0], str) and args[0].startswith(_PRIVATE):
        raise AssertionError(f"a test reached into the real home: {event} {args[0]}")


sys.addaudithook(_refuse_private_paths)

# A slow machine is no failure, and what is checked before a change lands is the same each time.
settings.register_profile("econome", deadline=None, derandomize="CI" in os.environ)
settings.register_profile("brief", settings.get_profile("econome"), max_examples=25)
settings.load_profile("econome")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give each test an own home with empty agent directories, a fixed clock and the UTC zone."""
    home = tmp_path_factory.mktemp("home")
    own = {
        "HOME": home,
        "USERPROFILE": home,
        "XDG_CACHE_HOME": home / "cache",
        "XDG_CONFIG_HOME": home / "config",
        "XDG_DATA_HOME": home / "data",
        "CLAUDE_CONFIG_DIR": home / "claude",
        "CODEX_HOME": home / "codex",
    }
    for path in own.values():
        path.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("ECONOME_")]:
            patch.delenv(name)
        for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
            patch.delenv(name, raising=False)
        for name, path in own.items():
            patch.setenv(name, str(path))
        patch.setenv("ECONOME_NOW", NOW)
        patch.setenv("TZ", "UTC")
        patch.setenv("COLUMNS", "120")
        time.tzset()
        yield home
    time.tzset()


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder shared with this repository's neighbours; skip the test where it is absent."""
    path = REPOSITORY.parent / "shared"
    if not path.is_dir():
        pytest.skip("there is no shared folder beside the repository")
    return path


@pytest.fixture(scope="session")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root (a folder with `projects/`) that holds the shapes of real transcripts, unpacked."""
    archive = shared / "corpus" / "shapes.tar.xz"
    if not archive.is_file():
        pytest.skip("the shared folder has no corpus")
    target = tmp_path_factory.mktemp("corpus")
    with tarfile.open(archive) as packed:
        if hasattr(tarfile, "data_filter"):  # 3.11.4 and later
            packed.extractall(target, filter="data")
        else:
            packed.extractall(target)
    return target / "shapes"
