"""What the demo tree is meant to hold, noted while it is written and never read back from it."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Ledger", "Spent"]


@dataclass(frozen=True, slots=True)
class Spent:
    """One response the tree holds, however many lines and copies it has there.

    `at_ms` is the time of its first line in milliseconds since 1970 UTC, `None` when no line
    has one. `agent` is the type its owner shows: `main`, a sub-agent type, `compaction`, ….
    """

    source: str
    session: str
    agent: str
    model: str
    at_ms: int | None
    input: int
    output: int
    cache_read: int
    write_5m: int
    write_1h: int
    web_searches: int = 0
    incomplete: bool = False


@dataclass(slots=True)
class Ledger:
    """The responses written so far."""

    entries: list[Spent] = field(default_factory=list)

    def add(self, spent: Spent) -> None:
        """Note one response."""
        self.entries.append(spent)

    def of_session(self, session: str) -> list[Spent]:
        """Return what *session* spent itself, copies of others' responses left out."""
        return [spent for spent in self.entries if spent.session == session]
