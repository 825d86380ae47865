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
from econome.errors import ChangeRefused
from econome.server.delegating import local
from econome.server.delegating.foreground import Foreground
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
    assert (ran.code, ran.out) == (1, "diff of None\n")
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
    assert ran.code == 1  # nothing was applied, whatever became of the request


@requirement("D1", "D3")
def test_what_can_never_be_applied_is_said_and_not_asked(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = Changes()
    changes.refusal, changes.left_out = "a.lnk: it is a link", ("b.pyc",)
    ran = _ran(home, monkeypatch, Piece(proposes(changes)), "--apply")
    assert (ran.code, ran.out) == (1, "diff of None\n")
    assert ran.err.splitlines()[1:] == [
        "Left out, and not applied: b.pyc",
        "These changes cannot be applied as they are: a.lnk: it is a link",
        "Nothing was changed.",
    ]
    assert (changes.done, _statuses(home)) == (["discard"], ["annulee"])


@requirement("D1", "D3")
def test_changes_that_were_refused_are_shown_where_nobody_can_be_asked(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = Changes([ChangeRefused("a.py", "it is dirty")])
    ran = _ran(home, monkeypatch, Piece(proposes(changes)), "--apply")
    assert (ran.code, ran.out) == (1, "diff of None\n")
    assert "Not applied: a.py: it is dirty" in ran.err
    assert (changes.done, _statuses(home)) == (["discard"], ["annulee"])


@requirement("D1", "D3")
@pytest.mark.parametrize("piece", [Piece(proposes(Changes())), Piece(asks("edit", []))])
def test_what_is_left_to_the_server_is_no_success(
    home: Path, monkeypatch: pytest.MonkeyPatch, piece: Piece
) -> None:
    monkeypatch.setattr(Foreground, "is_served", True)
    ran = _ran(home, monkeypatch, piece)
    assert (ran.code, ran.out) == (1, "")
    assert "needs you: `econome requests show dem-" in ran.err


AT_A_TERMINAL = """
import sys
from pathlib import Path
from econome.errors import ChangeRefused
from econome.server.delegating import local
from tests.cli.test_delegate_review import open_on
from tests.delegation.desks import Changes, Piece, Scene, asks, proposes
place, doing = Path(sys.argv.pop(1)), eval(sys.argv.pop(1))
local.open_office = open_on(place, Scene(Piece(doing)))
from econome.__main__ import run
run()
"""
PROPOSES = "proposes(Changes())"
DIFF = b"diff of None\n"


class Terminal:
    """A terminal at which `econome delegate` runs; only its answer is read from elsewhere."""

    def __init__(self, home: Path, doing: str, *, typed: bytes = b"", options: Any = ()) -> None:
        self._leader, follower = pty.openpty()
        if typed:
            os.write(self._leader, typed)
            self.seen = b""
            self.until(typed.rstrip())  # the terminal has it, and shows it
        self.seen = b""
        place = str(home / "data" / "econome")
        paths = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")])
        self._process = subprocess.Popen(
            [sys.executable, "-c", AT_A_TERMINAL, place, doing, "delegate", "change it", *options],
            stdin=follower,
            stdout=subprocess.PIPE,
            stderr=follower,
            env={**os.environ, "PYTHONPATH": paths},
        )
        os.close(follower)

    def until(self, text: bytes, times: int = 1) -> None:
        """Read what is shown until *text* was."""
        while self.seen.count(text) < times:
            self.seen += os.read(self._leader, 1024)

    def types(self, text: bytes) -> None:
        """Type something."""
        os.write(self._leader, text)

    def end(self) -> tuple[int, bytes]:
        """Return how the command ended, and what it printed."""
        printed, _ = self._process.communicate(timeout=SECONDS)
        try:
            while block := os.read(self._leader, 1024):
                self.seen += block
        except OSError:  # Linux has no end there
            pass
        os.close(self._leader)
        return self._process.returncode, printed


@requirement("D1")
@pytest.mark.parametrize(
    "typed, out, status, code",
    [
        (b"y\n", DIFF + b"I changed one file.\n", "terminee", 0),
        (b"\n", DIFF, "annulee", 1),
        (b"\x04", DIFF, "annulee", 130),  # Ctrl-D: unlike Ctrl-C it is read by the prompt for sure
    ],
)
def test_a_person_at_a_terminal_decides(
    home: Path, typed: bytes, out: bytes, status: str, code: int
) -> None:
    terminal = Terminal(home, PROPOSES)
    terminal.until(b"[y/N]")
    assert b"diff of None" in terminal.seen  # since standard output is none, it is shown here too
    terminal.types(typed)
    assert (terminal.end(), _statuses(home)) == ((code, out), [status])
    assert (b"cancelled dem-" in terminal.seen) == (code == 130)


@requirement("D1", "D7")
@pytest.mark.parametrize(
    "doing, status, out", [(PROPOSES, "annulee", DIFF), ("asks('bash', [])", "terminee", b"done\n")]
)
def test_what_was_typed_before_a_question_is_no_answer_to_it(
    home: Path, doing: str, status: str, out: bytes
) -> None:
    answers = home / "answers"
    if doing != PROPOSES:
        doing = f"asks('bash', type('', (list,), dict(append=lambda s, x: Path({str(answers)!r}).write_text(str(x))))())"
    terminal = Terminal(home, doing, typed=b"y\n")
    terminal.until(b"[y/N]")
    terminal.types(b"n\n")
    assert (terminal.end()[1], _statuses(home)) == (out, [status])
    if doing != PROPOSES:
        assert answers.read_text(encoding="utf-8") == "False"


@requirement("D1")
def test_the_changes_are_shown_to_whoever_is_asked_even_where_json_is_printed(home: Path) -> None:
    terminal = Terminal(home, PROPOSES, options=["--json"])
    terminal.until(b"[y/N]")
    assert b"diff of None" in terminal.seen
    terminal.types(b"y\n")
    code, printed = terminal.end()
    assert (code, json.loads(printed)["statut"]) == (0, "terminee")


@requirement("D1", "D3")
def test_at_a_terminal_too_what_can_never_be_applied_is_not_asked(home: Path) -> None:
    made = "type('', (Changes,), {'__init__': lambda s: (Changes.__init__(s), setattr(s, 'refusal', 'a: it is a link'))[0]})()"
    terminal = Terminal(home, f"proposes({made})")
    assert (terminal.end(), _statuses(home)) == ((1, DIFF), ["annulee"])
    assert b"[y/N]" not in terminal.seen
    assert b"a: it is a link" in terminal.seen


@requirement("D1", "D3")
@pytest.mark.parametrize("then, status, code", [(b"y\n", "terminee", 0), (b"n\n", "annulee", 1)])
def test_changes_that_were_refused_can_be_tried_again(
    home: Path, then: bytes, status: str, code: int
) -> None:
    terminal = Terminal(home, "proposes(Changes([ChangeRefused('a.py', 'it is dirty')]))")
    terminal.until(b"[y/N]")
    terminal.types(b"y\n")
    terminal.until(b"[y/N]", 2)
    assert b"Not applied: a.py: it is dirty" in terminal.seen
    terminal.types(then)
    assert (terminal.end()[0], _statuses(home)) == (code, [status])
