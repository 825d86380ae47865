"""What the records of the lean ledger add up to.

Pure. Figures that were counted by different methods are never added: each method has its own. A menu is paid for again
and again, an answer once: neither is added to the other. What was saved by saying the same in fewer tokens stands apart
from what was cut, and what the model then looked up again is taken off.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from econome.lean.records import Record
from econome.times import parse_instant

__all__ = ["Counts", "Totals"]

_COUNTED = ("o200k",)  # all others estimate, see `econome.tokenizers`
_NANOSECONDS = 1_000_000_000


@dataclass(slots=True)
class Counts:
    """The sums of some records that were counted by one method."""

    answers: int = 0
    before: int = 0
    after: int = 0
    cut: int = 0
    rows_cut: int = 0
    lookups: int = 0
    lookup_tokens: int = 0
    showings: int = 0
    menus_before: int = 0
    menus_after: int = 0
    latest: Record | None = None
    forms: Counter[str] = field(default_factory=Counter)

    def add(self, record: Record) -> None:
        """Add one record."""
        if record.kind == "answer":
            self.answers += 1
            self.before += record.before
            self.after += record.after
            self.cut += record.cut
            self.rows_cut += record.rows_cut
            self.forms[record.form] += 1
        elif record.kind == "lookup":
            self.lookups += 1
            self.lookup_tokens += record.after
        elif record.kind == "menu":
            self.showings += 1
            self.menus_before += record.before
            self.menus_after += record.after
            if self.latest is None or self.latest.at <= record.at:
                self.latest = record

    def figures(self) -> dict[str, Any]:
        """Return the sums as reports show them."""
        saved = self.before - self.after
        return {
            "answers": {
                "count": self.answers,
                "before": self.before,
                "after": self.after,
                "encoding": saved - self.cut,
                "cutting": self.cut,
                "rows_cut": self.rows_cut,
                "forms": dict(sorted(self.forms.items())),
            },
            "lookups": {"count": self.lookups, "tokens": self.lookup_tokens},
            "net": saved - self.lookup_tokens,
            "menus": {
                "showings": self.showings,
                "before": self.menus_before,
                "after": self.menus_after,
            },
        }

    def menu(self) -> dict[str, Any] | None:
        """Return the menu that was shown last, None where none was."""
        if self.latest is None:
            return None
        menu = self.latest
        return {"at": menu.at, "form": menu.form, "before": menu.before, "after": menu.after}


class Totals:
    """Adds up records of a period, by the method they were counted with and by server.

    `since` and `until` are local day numbers, both included, None for an open end; *offset* tells local time minus UTC
    in seconds, at an instant in UTC seconds. With *client*, only what that client was shown counts.
    """

    def __init__(
        self,
        offset: Callable[[int], int],
        since: int | None = None,
        until: int | None = None,
        client: str | None = None,
    ) -> None:
        self._offset, self._since, self._until, self._client = offset, since, until, client
        self._methods: dict[str, Counts] = {}
        self._servers: dict[tuple[str, str], Counts] = {}
        self._added_us: Counter[int] = Counter()
        self.faults = self.undated = 0

    def add(self, record: Record) -> None:
        """Add a record, if it is of the period; one without a usable time is in none."""
        instant = parse_instant(record.at)
        if instant is None:
            self.undated += 1
            return
        if self._client not in (None, record.client) or not self._within(instant // _NANOSECONDS):
            return
        if record.kind == "fault":
            self.faults += 1
            return
        if record.kind == "answer":
            self._added_us[record.added_us] += 1
        self._methods.setdefault(record.method, Counts()).add(record)
        self._servers.setdefault((record.method, record.server), Counts()).add(record)

    def _within(self, seconds: int) -> bool:
        if self._since is None and self._until is None:
            return True
        day = (seconds + self._offset(seconds)) // 86400
        return (self._since is None or self._since <= day) and (
            self._until is None or day <= self._until
        )

    def report(self) -> dict[str, Any]:
        """Return the figures by method, each with those of its servers, and the time that was added."""
        methods = [
            {
                "method": method,
                "estimate": method not in _COUNTED,
                **counts.figures(),
                "servers": self._rows(method),
            }
            for method, counts in sorted(self._methods.items())
        ]
        return {"methods": methods, "added_us": self._times(), "faults": self.faults}

    def _rows(self, method: str) -> list[dict[str, Any]]:
        """Return the servers of a method, what saved most first."""
        rows = [
            {"server": server, **counts.figures(), "menu": counts.menu()}
            for (of, server), counts in self._servers.items()
            if of == method
        ]
        return sorted(rows, key=lambda row: (-row["net"], row["server"]))

    def _times(self) -> dict[str, Any]:
        """Return the time that econome added to calls: the middle one, and the one that one in twenty exceeds."""
        return {
            "calls": self._added_us.total(),
            "p50": self._at_share(1, 2),
            "p95": self._at_share(19, 20),
        }

    def _at_share(self, part: int, whole: int) -> int | None:
        """Return the smallest time that at least so many of the calls do not exceed."""
        rank = -(-self._added_us.total() * part // whole)
        for time, count in sorted(self._added_us.items()):
            rank -= count
            if rank <= 0:
                return time
        return None
