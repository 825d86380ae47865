"""The demo's ledger: what some of the demo's sessions handed to a local model, and what came of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from econome.demo import wire
from econome.demo.ledger import Spent
from econome.demo.words import Dice
from econome.times import instant_text

__all__ = ["Saved", "write_ledger"]

_MODEL = "qwen3-8b"
_PRESETS = (
    # name, format, tokens read, tokens written, how often a long answer is reworked
    ("summary", "text", (6_000, 22_000), (250, 900), 0.1),
    ("docstrings", "code", (2_500, 9_000), (600, 2_400), 0.7),
    ("translation", "text", (1_200, 4_000), (1_300, 4_200), 0.3),
    ("commit-message", "text", (900, 5_000), (40, 120), 0.2),
)
_EVERY = 2  # sessions


@dataclass(slots=True)
class Saved:
    """What the ledger was meant to hold, noted while it was written; tokens."""

    delegations: int = 0
    avoided: int = 0
    steering: int = 0
    corrections: int = 0


class _Telling:
    """The lines of both files while they grow."""

    def __init__(self, seed: int) -> None:
        self.dice = Dice(seed)
        self.events: list[wire.Line] = []
        self.journal: list[wire.Line] = []
        self.saved = Saved()

    def tell(self, session: str, at_ms: int) -> None:
        """Let the main agent of a session hand over some work, or a sub-agent of it do so."""
        dice = self.dice
        agent = f"a{dice.hex(16)}" if dice.random() < 0.4 else None
        requests = []
        for step in range(dice.randint(1, 4)):
            date = instant_text(at_ms // 1000 + 40 * step)
            request = self._request(session, agent, date)
            if request is not None:
                requests.append(request)
        if agent is not None and requests:
            self._steer(session, agent, requests, instant_text(at_ms // 1000 + 300))

    def _request(self, session: str, agent: str | None, date: str) -> str | None:
        """Hand over one piece of work; return its id where it succeeded."""
        dice = self.dice
        preset, form, reads, writes, reworked = dice.choice(_PRESETS)
        request = f"dem-{dice.hex(10)}"
        brief, read, written = dice.randint(60, 240), dice.randint(*reads), dice.randint(*writes)
        preview = written > 1_500
        counts = read + brief, written
        output = f"docs/{dice.hex(6)}.md" if preview else None
        failed = dice.random() < 0.06
        self.journal.append(
            wire.ended(
                date=date, session=session, request=request, preset=preset, form=form, model=_MODEL,
                counts=counts, seconds=round(written / 45, 1), preview=preview, output=output,
                failure="the answer is no valid text of its format" if failed else None,
            )
        )  # fmt: skip
        if failed:
            return None
        returned = 120 if preview else written
        avoided = read + written - (0 if agent else brief + returned)
        self.events.append(
            wire.delegation(
                date=date, session=session, request=request, agent=agent, preview=preview,
                counts=counts, estimate=(read, written, brief, returned, avoided),
            )
        )  # fmt: skip
        self.saved.delegations += 1
        self.saved.avoided += avoided
        if output is not None and dice.random() < reworked:
            self._correct(session, request, written, date)
        return request

    def _steer(self, session: str, agent: str, requests: list[str], date: str) -> None:
        dice = self.dice
        usage = (
            dice.randint(300, 900), dice.randint(150, 700), dice.randint(4_000, 15_000),
            dice.randint(0, 1_200),
        )  # fmt: skip
        cost = usage[0] + usage[1] + usage[3] + (usage[2] + 5) // 10
        self.events.append(
            wire.steering(
                date=date, session=session, agent=agent, turn=dice.hex(8), requests=requests,
                model="claude-haiku-4-5-20251001", usage=usage, cost=cost,
            )
        )  # fmt: skip
        self.saved.steering += cost

    def _correct(self, session: str, request: str, written: int, date: str) -> None:
        dice = self.dice
        read, edited = written, dice.choice((0, written // 8, written // 3))
        self.events.append(
            wire.correction(
                date=date, session=session, request=request, tool_use=f"toolu_{dice.hex(12)}",
                read=0 if edited else read, written=edited,
            )
        )  # fmt: skip
        self.saved.corrections += edited or read


def write_ledger(
    folder: str | os.PathLike[str], responses: Iterable[Spent], *, seed: int = 1
) -> Saved:
    """Write the ledger and the journal of a data directory, for sessions that *responses* tell of.

    Raises:
        OSError: the folder cannot be written.
    """
    telling = _Telling(seed)
    begins: dict[str, int] = {}
    for spent in responses:
        if spent.source == "claude" and spent.agent == "main" and spent.at_ms is not None:
            begins[spent.session] = min(spent.at_ms, begins.get(spent.session, spent.at_ms))
    for number, (session, at_ms) in enumerate(sorted(begins.items(), key=lambda pair: pair[::-1])):
        if number % _EVERY == 0:
            telling.tell(session, at_ms)
    place = Path(folder) / "logs" / "mcp"
    place.mkdir(parents=True)
    for name, lines in (
        ("economies.jsonl", telling.events),
        ("delegations.jsonl", telling.journal),
    ):
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        (place / name).write_text(text, encoding="utf-8", newline="\n")
    return telling.saved
