"""What all connections of one proxy have in common: its rules, its menus, what it kept of cut answers, and its ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from econome.lean.counting import Count
from econome.lean.records import Kind, Record

__all__ = ["Due", "Lean"]

Due = Callable[[], Record]
"""What makes a record when it is written: tokens are counted then, and not while a client waits."""


def _nothing(due: Due, held_bytes: int) -> None:
    """Record nothing."""


@dataclass(slots=True)
class Lean:
    """One proxy's.

    `name` is the server's, by which rules and the ledger know it; `client` overrides what clients call themselves;
    `tokenizer` is the name of what `count` counts by; `ticks` tells nanoseconds of any origin; `record` takes what
    makes a record and the bytes it holds until then. `passing` proxies change nothing, and only measure.
    """

    name: str
    count: Count
    tokenizer: str
    ticks: Callable[[], int]
    record: Callable[[Due, int], None] = _nothing
    passing: bool = False
    client: str | None = None
    faults: int = field(default=0, init=False)

    def note(
        self,
        kind: Kind,
        *,
        tool: str = "",
        client: str = "",
        before: str = "",
        after: str | None = None,
        cut: tuple[str, str] | None = None,
        rows_cut: int = 0,
        form: str = "",
        added_ns: int = 0,
    ) -> None:
        """Have a record made of what the model would have read and of what it reads; *after* None is the same.

        *cut* are the whole and what was kept of it, both in compact JSON.
        """
        count = self.count

        def due() -> Record:
            first = count(before)
            return Record(
                kind=kind,
                server=self.name,
                tool=tool,
                client=client,
                method=self.tokenizer,
                before=first,
                after=first if after is None else count(after),
                cut=max(0, count(cut[0]) - count(cut[1])) if cut else 0,
                rows_cut=rows_cut,
                form=form,
                added_us=added_ns // 1000,
            )

        held = len(before) + len(after or "") + (len(cut[0]) + len(cut[1]) if cut else 0)
        self.record(due, held)
