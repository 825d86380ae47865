"""A desk whose tasks do what a test says, and an office on it: no model, no file, real registers and journals."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from econome.delegation.office import Office
from econome.delegation.options import Options
from econome.delegation.order import Caller, Change, Order, Question
from econome.delegation.ports import Ask, Prompt, Proposal, Written
from econome.delegation.work import Tally
from econome.errors import EconomeError
from tests.delegation.builders import payload

__all__ = [
    "CALLER",
    "CHANGE",
    "DATE",
    "ORDER",
    "Changes",
    "Clock",
    "Doing",
    "Made",
    "Piece",
    "Scene",
    "asks",
    "held",
    "journaled",
    "line",
    "office_on",
    "proposes",
    "registered",
    "run",
]

DATE = "2026-11-12T09:00:00.000Z"
ORDER = Order("do it")
CALLER = Caller("claude-code", "session-1", "127.0.0.1:5", "toolu_9")
Made = TypeVar("Made")
CHANGE = Change("src/a.py", 3, 1, "changed", runs_code=False)


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Changes:
    """The proposal of a coder that was not there."""

    def __init__(
        self, refusals: list[EconomeError] | None = None, text: str = "diff of {}"
    ) -> None:
        self.changes: tuple[Change, ...] = (CHANGE,)
        self.written = Written("I changed one file.", "coder-model", 50, 20)
        self.refusal: str | None = None
        self.left_out: tuple[str, ...] = ()
        self.done: list[str] = []
        self._refusals, self._text = refusals or [], text

    async def diff(self, path: str | None = None) -> str:
        return self._text.format(path)

    async def apply(self) -> tuple[str, ...]:
        if self._refusals:
            raise self._refusals.pop()
        self.done.append("apply")
        return ("src/a.py",)

    async def discard(self) -> None:
        self.done.append("discard")


Doing = Callable[["Piece", Ask], Awaitable["str | Proposal"]]


async def _answer(piece: Piece, ask: Ask) -> str:
    return "an answer"


@dataclass(eq=False)
class Piece:
    """One task: `gate` holds it back, then it does what it is told."""

    doing: Doing = _answer
    place: str = "model"
    workers: int = 1
    preset: str | None = None
    format: str | None = "text"
    output: str | None = None
    gate: asyncio.Event | None = None
    refusal: EconomeError | None = None
    id: str | None = None
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    delivered: list[str] = field(default_factory=list)
    tally: Tally | None = None
    closed: int = 0

    async def work(self, request_id: str, tally: Tally, ask: Ask) -> str | Proposal:
        self.id, self.tally = request_id, tally
        tally.begin(Prompt(None, "12345678"))
        self.begun.set()
        if self.gate is not None:
            await self.gate.wait()
        made = await self.doing(self, ask)
        tally.add(Written("", "model-1", 10, 5))
        return made

    async def deliver(self, text: str) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.delivered.append(text)

    async def close(self) -> None:
        self.closed += 1


def asks(act: str, answers: list[bool]) -> Doing:
    """Return what asks for leave and notes the answer."""

    async def doing(piece: Piece, ask: Ask) -> str:
        answers.append(await ask(Question(act, "src/a.py")))
        return "done"

    return doing


def proposes(changes: Changes) -> Doing:
    """Return what proposes changes."""

    async def doing(piece: Piece, ask: Ask) -> Proposal:
        return changes

    return doing


class Scene:
    """The desk: it gives out `pieces` in their order, then plain ones; an error among them refuses the order."""

    def __init__(self, *pieces: Piece | EconomeError) -> None:
        self.pieces = list(pieces)
        self.taken: list[Piece] = []
        self.closed = False

    async def take(self, order: Order, caller: Caller) -> Piece:
        piece = self.pieces.pop(0) if self.pieces else Piece()
        if isinstance(piece, EconomeError):
            raise piece
        self.taken.append(piece)
        return piece

    async def close(self) -> None:
        self.closed = True


@asynccontextmanager
async def office_on(
    place: Path,
    desk: Any,
    options: Options = Options(),  # noqa: B008 - frozen
    *,
    log: list[str] | None = None,
    clock: Callable[[], float] | None = None,
) -> AsyncIterator[Office]:
    """Give an open office below *place*; it is closed at the end."""
    said = [] if log is None else log
    office = Office(
        directory=str(place),
        options=options,
        desk=desk,
        log=said.append,
        monotonic=clock or Clock(),
        instant=lambda: DATE,
    )
    await office.open()
    try:
        yield office
    finally:
        await office.close()


def run(work: Coroutine[Any, Any, Made]) -> Made:
    """Run a test's own coroutine; one that hangs fails."""

    async def bounded() -> Made:
        async with asyncio.timeout(60):
            return await work

    return asyncio.run(bounded())


async def held(office: Office, piece: Piece) -> str:
    """Submit what *piece* does and return its id once it has begun."""
    request_id = await office.submit(ORDER, CALLER)
    await piece.begun.wait()
    return request_id


def line(**changes: Any) -> dict[str, Any]:
    """Return the journal's line of a plain request on such an office."""
    usual = {
        "date": DATE,
        "tool_use_id": "toolu_9",
        "session": "session-1",
        "preset": None,
        "modele": "model-1",
        "tokens_entree": 10,
        "tokens_sortie": 5,
        "duree_s": 0.0,
        "sortie": None,
    }
    return payload(**{**usual, **changes})


def journaled(place: Path) -> list[dict[str, Any]]:
    """Return the lines of the journal."""
    return _lines(place / "logs" / "mcp" / "delegations.jsonl")


def registered(place: Path) -> list[dict[str, Any]]:
    """Return the lines of the register."""
    return _lines(place / "logs" / "mcp" / "requests.jsonl")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
