"""What the records of the lean ledger add up to.

Pure. Figures that were counted by different methods are never added: each method has its own. A menu is paid for again
and again, how often cannot be seen where it is made, and an answer once: neither is added to the other. What was saved
by saying the same in fewer tokens stands apart from what was cut, and what the model then read on is taken off. What a
menu made it look up is set against what the menu saves each time it is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from econome.lean.records import Record
from econome.times import day_text, parse_instant

__all__ = ["Counts", "Lookups", "Totals"]

_COUNTED = ("o200k",)  # all others estimate, see `econome.tokenizers`
_NANOSECONDS, _DAY = 1_000_000_000, 86_400
_READ_ON = "more"  # of look-ups; all others are there because of the menu


@dataclass(slots=True)
class Lookups:
    """What the model read because of an economy."""

    count: int = 0
    tokens: int = 0

    def add(self, record: Record) -> None:
        """Add one record."""
        self.count += 1
        self.tokens += record.after

    def figures(self) -> dict[str, int]:
        """Return the sums as reports show them."""
        return {"count": self.count, "tokens": self.tokens}


@dataclass(slots=True)
class Counts:
    """The sums of some records that were counted by one method."""

    answers: int = 0
    before: int = 0
    after: int = 0
    cutting: int = 0
    rows_cut: int = 0
    read_on: Lookups = field(default_factory=Lookups)
    looked_up: Lookups = field(default_factory=Lookups)
    showings: int = 0
    menus_before: int = 0
    menus_after: int = 0
    latest: Record | None = None
    forms: Counter[str] = field(default_factory=Counter)

    def add(self, record: Record) -> None:
        """Add one record."""
        if record.kind == "answer":
            self._add_answer(record)
        elif record.kind == "lookup":
            (self.read_on if record.tool == _READ_ON else self.looked_up).add(record)
        elif record.kind == "menu":
            self.showings += 1
            self.menus_before += record.before
            self.menus_after += record.after
            if self.latest is None or self.latest.at <= record.at:
                self.latest = record

    def _add_answer(self, record: Record) -> None:
        self.forms[record.form] += 1
        saved = record.before - record.after
        self.answers += 1
        self.before += record.before
        self.after += record.after
        self.rows_cut += record.rows_cut
        # What was cut is announced in a note, which is no fault of the form that the rest has.
        self.cutting += min(record.cut, saved) if record.cut else 0

    @property
    def net(self) -> int:
        """What answers saved, less what was read on; a menu is not in it."""
        return self.before - self.after - self.read_on.tokens

    def figures(self) -> dict[str, Any]:
        """Return the sums as reports show them."""
        return {
            "answers": {
                "count": self.answers,
                "before": self.before,
                "after": self.after,
                "encoding": self.before - self.after - self.cutting,
                "cutting": self.cutting,
                "rows_cut": self.rows_cut,
                "forms": dict(sorted(self.forms.items())),
            },
            "read_on": self.read_on.figures(),
            "net": self.net,
            "menus": {
                "showings": self.showings,
                "before": self.menus_before,
                "after": self.menus_after,
                "lookups": self.looked_up.figures(),
            },
        }

    def menu(self) -> dict[str, Any] | None:
        """Return the menu that was shown last, None where none was.

        `less` is what it saves each time it is shown, `paid_back_after` how many times that are until its look-ups
        are paid for; None where it saves nothing.
        """
        if self.latest is None:
            return None
        menu = self.latest
        less, cost = menu.before - menu.after, self.looked_up.tokens
        return {
            "at": menu.at,
            "form": menu.form,
            "before": menu.before,
            "after": menu.after,
            "less": less,
            "paid_back_after": 0 if not cost else -(-cost // less) if less > 0 else None,
        }


class Totals:
    """Adds up records of a period, by the method they were counted with and by server.

    `since` and `until` are local day numbers, both included, None for an open end; *offset* tells local time minus UTC
    in seconds, at an instant in UTC seconds. With *client*, only what that client was shown counts. With *by_day*, each
    method has the figures of its days too.
    """

    def __init__(
        self,
        offset: Callable[[int], int],
        since: int | None = None,
        until: int | None = None,
        client: str | None = None,
        *,
        by_day: bool = False,
    ) -> None:
        self._by_day = by_day
        self._offset, self._since, self._until, self._client = offset, since, until, client
        self._methods: dict[str, Counts] = {}
        self._servers: dict[tuple[str, str], Counts] = {}
        self._days: dict[tuple[str, int], Counts] = {}
        self._added_us: Counter[int] = Counter()
        self.faults = self.undated = 0

    def add(self, record: Record) -> None:
        """Add a record, if it is of the period; one without a usable time is in none."""
        instant = parse_instant(record.at)
        if instant is None:
            self.undated += 1
            return
        seconds = instant // _NANOSECONDS
        day = (seconds + self._offset(seconds)) // _DAY
        if self._client not in (None, record.client) or not self._within(day):
            return
        if record.kind == "fault":
            self.faults += 1
            return
        if record.kind == "answer":
            self._added_us[record.added_us] += 1
        self._methods.setdefault(record.method, Counts()).add(record)
        self._servers.setdefault((record.method, record.server), Counts()).add(record)
        if self._by_day:
            self._days.setdefault((record.method, day), Counts()).add(record)

    def _within(self, day: int) -> bool:
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
                **({"days": self._of_days(method)} if self._by_day else {}),
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

    def _of_days(self, method: str) -> list[dict[str, Any]]:
        """Return the days of a method in order."""
        return [
            {"day": day_text(day), **counts.figures()}
            for (of, day), counts in sorted(self._days.items(), key=lambda pair: pair[0])
            if of == method
        ]

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
