"""`econome delegate` with a coder: who is asked, and what becomes of its questions and changes where nobody is."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from econome.delegation.office import Office
from econome.delegation.options import Options
from econome.server.delegating import local
from tests.delegation.desks import DATE, Changes, Clock, Piece, Scene, asks, proposes
from tests.door import Ran, run
from tests.house.source import REPOSITORY
from tests.requirements import requirement

SECONDS = 60
LISTED = "src/a.py  +3 -1\n"


def open_on(place: Path, desk: Scene) -> Any:
    """Return what opens an office on a desk, in place of the settings' own."""

    async def opened(*given: object) -> Office:
        office = Office(
            directory=str(place), options=Options(), desk=desk, log=print, monotonic=Clock(),
            instant=lambda: DATE,
        )  # fmt: skip
        await office.open()
        return office

    return opened


def _statuses(home: Path) -> list[str]:
    journal = home / "data" / "econome" / "logs" / "mcp" / "delegations.jsonl"
    return [json.loads(line)["statut"] for line in journal.read_bytes().splitlines()]


def _ran(home: Path, monkeypatch: pytest.MonkeyPatch, piece: Piece, *options: str) -> Ran:
    opened = open_on(home / "data" / "econome", Scene(piece))
    monkeypatch.setattr(local, "open_office", opened)
    return run("delegate", "change it", *options)


@requirement("D1", "D3")
def test_with_nobody_to_ask_changes_are_shown_and_thrown_away(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = Changes()
    ran = _ran(home, monkeypatch, Piece(proposes(changes)))
    assert (ran.code, ran.out) == (0, "diff of None\n")
    assert ran.err.startswith(LISTED)
    assert "--apply" in ran.err
    assert (changes.done, _statuses(home)) == (["discard"], ["annulee"])


@requirement("D1", "D3")
def test_changes_are_applied_where_that_was_said_before(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = Changes()
    ran = _ran(home, monkeypatch, Piece(proposes(changes)), "--apply")
    assert (ran.code, ran.out) == (0, "I changed one file.\n")
    assert ran.err == f"{LISTED}The changes are applied.\n"
    assert (changes.done[0], _statuses(home)) == ("apply", ["terminee"])


@requirement("D1")
def test_with_nobody_to_ask_a_coder_gets_no_leave(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[bool] = []
    ran = _ran(home, monkeypatch, Piece(asks("edit", answers)))
    assert (ran.code, ran.out, ran.err) == (0, "done\n", "The coder may not: edit src/a.py\n")
    assert (answers, _statuses(home)) == ([False], ["terminee"])


@requirement("D1")
def test_json_is_alone_on_standard_output(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = _ran(home, monkeypatch, Piece(proposes(Changes())), "--json")
    found = json.loads(ran.out)
    assert found == {"ok": True, "demande_id": found["demande_id"], "statut": "annulee"}


AT_A_TERMINAL = """
import sys
from pathlib import Path
from econome.server.delegating import local
from tests.cli.test_delegate_review import open_on
from tests.delegation.desks import Changes, Piece, Scene, proposes
local.open_office = open_on(Path(sys.argv.pop(1)), Scene(Piece(proposes(Changes()))))
from econome.__main__ import run
run()
"""


@requirement("D1")
@pytest.mark.parametrize(
    "typed, out, status, code",
    [
        (b"y\n", b"diff of None\nI changed one file.\n", "terminee", 0),
        (b"\n", b"diff of None\n", "annulee", 0),
        (
            b"\x04",
            b"diff of None\n",
            "annulee",
            130,
        ),  # Ctrl-D, which unlike Ctrl-C comes after the prompt for sure
    ],
)
def test_a_person_at_a_terminal_decides(
    home: Path, typed: bytes, out: bytes, status: str, code: int
) -> None:
    leader, follower = pty.openpty()
    words = [sys.executable, "-c", AT_A_TERMINAL, str(home / "data" / "econome")]
    paths = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")])
    with subprocess.Popen(
        [*words, "delegate", "change it"],
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=follower,
        env={**os.environ, "PYTHONPATH": paths},
    ) as process:
        os.close(follower)
        seen = b""
        while b"[y/N]" not in seen:
            seen += os.read(leader, 1024)
        os.write(leader, typed)
        printed, _ = process.communicate(timeout=SECONDS)
        os.close(leader)
    assert (process.returncode, printed, _statuses(home)) == (code, out, [status])
