"""Nothing of a program outlives it: the keeper ends all that came of its program, whoever dies first (D3)."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from econome import keeper
from tests.requirements import requirement

pytestmark = [
    requirement("D3"),
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans to the keeper"),
]

_KEEPER = (sys.executable, "-I", "-S", keeper.__file__, "0")
_SAYS_SO = "exec 9>{line}; echo >&9; "
"""A program opens this line, which tells when the last process that came of it is gone."""

# It leaves its session, twice, and its parents end at once.
_STRAY = "setsid sh -c 'setsid sleep 1000 & exit' & "


class _Line:
    """A pipe with a name: programs hold one end, and the test sees when they began and when the last one let go."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path
        self.fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def kept(self, command: str) -> list[str]:
        return [*_KEEPER, "sh", "-c", _SAYS_SO.format(line=self.path) + command]

    def said(self) -> bytes:
        """Wait until something comes, and return it; nothing where all have let go."""
        assert select.select([self.fd], [], [], 30)[0] == [self.fd]
        return os.read(self.fd, 1)


@pytest.fixture
def line(tmp_path: Path) -> Iterator[_Line]:
    made = _Line(tmp_path / "line")
    yield made
    os.close(made.fd)


def test_what_left_its_session_ends_when_the_input_closes(line: _Line) -> None:
    command = line.kept(_STRAY + "exec sleep 1000")
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert line.said() == b"\n"
    assert process.stdin is not None
    process.stdin.close()
    assert (process.wait(30), line.said()) == (-signal.SIGKILL, b"")


def test_what_came_of_the_program_ends_with_it(line: _Line) -> None:
    process = subprocess.Popen(line.kept(_STRAY + "exit 3"), stdin=subprocess.PIPE)
    assert line.said() == b"\n"
    assert (process.wait(30), line.said()) == (3, b"")
    assert process.stdin is not None
    process.stdin.close()


_PARENT = """
import subprocess, sys
kept = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
print(kept.pid, flush=True)
kept.wait()
sys.stdin.read()
"""


@pytest.mark.parametrize("whom", ["parent", "keeper"])
def test_the_program_ends_with_whoever_started_it_or_keeps_it(line: _Line, whom: str) -> None:
    stray = _STRAY if whom == "parent" else ""
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, *line.kept(stray + "exec sleep 1000")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert line.said() == b"\n"
        os.kill(parent.pid if whom == "parent" else pid, signal.SIGKILL)
        assert line.said() == b""


def test_a_program_that_is_not_there_is_told_by_the_status(tmp_path: Path) -> None:
    absent = [*_KEEPER, str(tmp_path / "none")]
    with subprocess.Popen(absent, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.wait(30) == 127
