"""A program that kills offices at every step: `python -m tests.delegation.killing DIRECTORY`.

It forks, so it has one thread and imports beforehand what its children need. A child counts what it does to the disk and
dies at a step of its own, in the middle of it where it writes, as SIGKILL would have it. The program prints one line of
JSON for each life: what its office had said until then, and what the journal and the register say after recoveries
that were killed in their turn.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from econome.delegation.keeping import Keeping
from econome.delegation.options import Options
from econome.delegation.ports import Ask
from econome.errors import BackendFailed
from tests.delegation.desks import (
    CALLER,
    DATE,
    ORDER,
    Piece,
    Scene,
    held,
    journaled,
    office_on,
    registered,
)

__all__ = ["main"]

_STEPS = ("write", "pwrite", "fsync", "ftruncate", "open", "mkdir", "replace", "unlink")
_KILLED = 9
_MOST = 200
_THOROUGH, _SOME = 8, 12
"""Of each so many lives one has its recovery killed at every step; that of the others at one step of the first so many."""


def _die_at(step: int) -> None:
    """Have this process end at its so many-th step on the disk; what it wrote until then stays, half a line too."""
    left = step

    def dying(name: str, original: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if not left:
                if name == "write":
                    original(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
                os._exit(_KILLED)
            return original(*arguments, **named)

        return call

    for name in _STEPS:
        setattr(os, name, dying(name, getattr(os, name)))


def _in_child(work: Any) -> bool:
    """Run *work* in a child; return whether it lived to its end."""
    child = os.fork()
    if not child:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended in (0, _KILLED), ended
    return ended == 0


def _live(place: Path, step: int, say: int) -> None:
    """Have an office do everything that one does; say on *say* what it said."""
    told = os.write

    def tell(what: str, request_id: str) -> None:
        told(say, f"{what} {request_id}\n".encode())

    async def fails(piece: Piece, ask: Ask) -> str:
        raise BackendFailed("it crashed")

    async def work() -> None:
        stuck = Piece(gate=asyncio.Event(), place="slow")
        desk = Scene(Piece(), stuck, Piece(place="slow"), Piece(fails))
        async with office_on(place, desk, clock=time.monotonic) as office:
            first = await office.submit(ORDER, CALLER)
            tell("id", first)
            tell((await office.standing(first, 30)).status, first)
            tell("id", await held(office, stuck))
            waits = await office.submit(ORDER, CALLER)
            tell("id", waits)
            fail = await office.submit(ORDER, CALLER)
            tell("id", fail)
            tell((await office.standing(fail, 30)).status, fail)
            tell((await office.cancel(waits)).status, waits)

    _die_at(step)
    asyncio.run(work())


def _recover(place: Path, step: int) -> None:
    _die_at(step)
    Keeping(str(place), Options().answers_days, lambda line: None, lambda: DATE).recover()


def _recovered(place: Path, left: Path, step: int) -> tuple[bool, dict[str, Any]]:
    """Recover twice from what lies at *place*, killed at a step first; return whether it was not, and what is there."""
    if place.exists():
        shutil.copytree(place, left)
    lived = _in_child(lambda: _recover(left, step))
    _in_child(lambda: _recover(left, 0))
    lines = [[one["demande_id"], one["statut"], one["erreur"]] for one in journaled(left)]
    found = {"journal": lines, "open": len(registered(left))}
    shutil.rmtree(left)
    return lived, found


def main(directory: Path) -> None:
    """Kill an office at each of its steps, and each time recoveries at one or at each of theirs."""
    for step in range(1, _MOST):
        place = directory / str(step)
        reading, writing = os.pipe()
        lived = _in_child(partial(_live, place, step, writing))
        os.close(writing)
        with open(reading, encoding="utf-8") as file:
            told = [line.split() for line in file]
        for killed in range(1, _MOST) if lived or step % _THOROUGH == 0 else [step % _SOME + 1]:
            recovered, found = _recovered(place, directory / "left", killed)
            print(json.dumps({"step": step, "killed": killed, "told": told, **found}))
            if recovered:
                break
        if lived:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]))
