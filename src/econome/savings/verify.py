"""Every balance once more, slowly, from the lines alone (S11).

It is written from the contract and shares no code with the books, the counting or the balance. It divides with
fractions and keeps no column. Money and the scores of presets are not in the ledger, and are not verified.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, Any

from econome.savings.account import Account, Ending, Told, civil_day

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.savings.question import Question

__all__ = ["compare", "derive"]

_LONGEST_S = 2**53
_Name = str | int | None  # what a row is of; a day is its number until it is shown
_Part = tuple[
    Told, str | None, int
]  # an event, the request that bears so many of its tokens (None: none is known)


def compare(
    account: Account, zone: Zone, pairs: Iterable[tuple[Question, dict[str, Any]]]
) -> list[str]:
    """Return where each report differs from what its question comes to, one sentence for each place."""
    deriving = _Deriving(account, zone)
    return [text for question, report in pairs for text in _compared(deriving, question, report)]


def _compared(deriving: _Deriving, question: Question, report: dict[str, Any]) -> list[str]:
    expected = deriving.report(question)
    given = {name: value for name, value in report.items() if name in expected}
    title = f"balance by {question.by}" if question.by else "balance"
    return [f"{title}: {text}" for text in _differing(given, expected, "")]


def derive(account: Account, question: Question, zone: Zone) -> dict[str, Any]:
    """Return the report that a question comes to, without the day it was asked on and without money."""
    return _Deriving(account, zone).report(question)


class _Deriving:
    """What the questions about one account have in common."""

    def __init__(self, account: Account, zone: Zone) -> None:
        self.account, self.zone = account, zone
        self.journal: dict[str, Ending] = {}
        for ended in account.journal:
            if ended.request is not None and ended.request not in self.journal:
                self.journal[ended.request] = ended
        self.avoided: dict[str, int] = {}
        for event in account.events:
            if event.kind == "delegation":
                (request,) = event.requests
                self.avoided[request] = self.avoided.get(request, 0) + event.tokens
        self.parts = [part for event in account.events for part in self._parts(event)]

    def _is_known(self, request: str) -> bool:
        return request in self.avoided or request in self.journal

    def _parts(self, event: Told) -> list[_Part]:
        """Return which request bears how many tokens of an event."""
        known = [request for request in event.requests if self._is_known(request)]
        if event.kind == "delegation":
            return [(event, event.requests[0], event.tokens)]
        if not known:
            return [(event, None, event.tokens)]
        cost = event.tokens
        weights = [max(0, self.avoided.get(request, 0)) for request in known]
        if sum(weights) == 0:
            weights = [1 for _ in known]
        exact = [Fraction(cost * weight, sum(weights)) for weight in weights]
        whole = [int(quota) for quota in exact]
        for _ in range(cost - sum(whole)):
            rests = [quota - part for quota, part in zip(exact, whole, strict=True)]
            whole[rests.index(max(rests))] += 1
        return [(event, request, part) for request, part in zip(known, whole, strict=True)]

    def _day(self, seconds: int) -> int:
        return (seconds + self.zone.offset(seconds)) // 86400

    def _journal_value(self, request: str | None, name: str) -> str | None:
        ended = None if request is None else self.journal.get(request)
        return None if ended is None else getattr(ended, name) or None

    def _passes(self, question: Question, client: str, seconds: int, request: str | None) -> bool:
        if question.client is not None and question.client != client:
            return False
        if question.preset is not None:
            if (self._journal_value(request, "preset") or "") != question.preset:
                return False
        return self._is_within(question, seconds)

    def _is_within(self, question: Question, seconds: int | None) -> bool:
        if question.since is None and question.until is None:
            return True
        if seconds is None:
            return False
        day = self._day(seconds)
        return (question.since is None or question.since <= day) and (
            question.until is None or day <= question.until
        )

    def _name(self, question: Question, event: Told, request: str | None) -> _Name:
        if question.by == "day":
            return self._day(event.seconds)
        if question.by == "delegation":
            return request
        return self._journal_value(request, str(question.by))

    def report(self, question: Question) -> dict[str, Any]:
        """Return the report of a question."""
        account = self.account
        events = [*account.events, *account.conflicts]
        names = {event.client for event in events}
        if question.client is not None:
            names &= {question.client}
        names = names or {question.client or "claude-code"}
        rows: dict[str, dict[_Name, dict[str, int]]] = {name: {} for name in names}
        unattached = dict.fromkeys(names, 0)
        conflicts = dict.fromkeys(names, 0)
        for event, request, tokens in self.parts:
            client = event.client
            if not self._passes(question, client, event.seconds, request):
                continue
            name = self._name(question, event, request) if question.by else None
            row = rows[client].get(name)
            if row is None:
                row = rows[client][name] = _nothing()
            unattached[client] += request is None
            if event.kind == "delegation":
                row["delegations"] += 1
                row["avoided"] += tokens
            else:
                row["corrections" if event.kind == "correction" else "steering"] += tokens
        for event in account.conflicts:
            client = event.client
            known = [request for request in event.requests if self._is_known(request)]
            first = known[0] if known else None
            if self._passes(question, client, event.seconds, first):
                conflicts[client] += 1
        return self._shown(question, rows, unattached, conflicts)

    def _shown(
        self,
        question: Question,
        rows: dict[str, dict[_Name, dict[str, int]]],
        unattached: dict[str, int],
        conflicts: dict[str, int],
    ) -> dict[str, Any]:
        clients = []
        for client in sorted(rows):
            whole = _sum(rows[client].values())
            shown = {
                "client": client,
                **_figures(whole),
                "unattached": unattached[client],
                "conflicts": conflicts[client],
            }
            if question.by:
                shown["rows"] = _ordered(question, rows[client])
            clients.append(shown)
        every = [row for of_client in rows.values() for row in of_client.values()]
        account = self.account
        return {
            "schema": "econome.balance/1",
            "by": question.by,
            "period": {
                "since": None if question.since is None else _day_text(question.since),
                "until": None if question.until is None else _day_text(question.until),
            },
            "filters": {"client": question.client, "preset": question.preset},
            "total": {
                **_figures(_sum(every)),
                "unattached": sum(unattached.values()),
                "conflicts": sum(conflicts.values()),
            },
            "clients": clients,
            "local": self._local(question),
            "ledger": {
                "events": len(account.events),
                "bytes": account.ledger_file.size,
                "malformed": account.ledger_file.malformed,
                "duplicates": account.repeated,
            },
            "conflicts": {
                "lines": len(account.conflicts),
                "bytes": account.conflicts_file.size,
                "malformed": account.conflicts_file.malformed,
            },
            "journal": {
                "lines": len(account.journal),
                "bytes": account.journal_file.size,
                "malformed": account.journal_file.malformed,
            },
        }

    def _local(self, question: Question) -> dict[str, Any]:
        named = {
            request
            for event in self.account.events
            if event.client == question.client
            for request in event.requests
        }
        kept = [
            ended
            for ended in self.account.journal
            if (question.client is None or ended.request in named)
            and question.preset in (None, ended.preset or "")
            and self._is_within(question, ended.seconds)
        ]
        statuses: dict[str, int] = {}
        for ended in kept:
            statuses[ended.status] = statuses.get(ended.status, 0) + 1
        durations = [ended.duration_s for ended in kept if ended.duration_s <= _LONGEST_S]
        return {
            "requests": len(kept),
            "by_status": {status: statuses[status] for status in sorted(statuses)},
            "tokens_in": sum(ended.tokens_in for ended in kept),
            "tokens_out": sum(ended.tokens_out for ended in kept),
            "duration_s": fsum(durations),
        }


def _nothing() -> dict[str, int]:
    return {"delegations": 0, "avoided": 0, "steering": 0, "corrections": 0}


def _sum(rows: Iterable[dict[str, int]]) -> dict[str, int]:
    found = _nothing()
    for row in rows:
        for name in found:
            found[name] += row[name]
    return found


def _figures(row: dict[str, int]) -> dict[str, Any]:
    rate = row["corrections"] / row["avoided"] if row["avoided"] > 0 else None
    net = row["avoided"] - row["steering"] - row["corrections"]
    return {**row, "net": net, "rework_rate": rate}


def _ordered(question: Question, rows: dict[_Name, dict[str, int]]) -> list[dict[str, Any]]:
    by = str(question.by)
    if by == "day":
        days = sorted(day for day in rows if isinstance(day, int))
        return [{by: _day_text(day), **_figures(rows[day])} for day in days][: question.limit]
    shown: list[dict[str, Any]] = [{by: name, **_figures(row)} for name, row in rows.items()]
    shown.sort(key=lambda row: str(row[by] or ""))
    shown.sort(key=lambda row: row["net"], reverse=True)
    shown.sort(key=lambda row: row[by] is None)
    return shown[: question.limit]


def _day_text(number: int) -> str:
    year, month, day = civil_day(number)
    return f"{year:04}-{month:02}-{day:02}"


def _differing(given: Any, expected: Any, path: str) -> Iterator[str]:
    """Yield the places in which two values differ, but for money and for the scores of presets."""
    if isinstance(given, dict) and isinstance(expected, dict):
        for name in {**expected, **given}:
            if name in ("usd", "score"):
                continue
            below = f"{path}.{name}" if path else name
            yield from _differing(given.get(name), expected.get(name), below)
    elif isinstance(given, list) and isinstance(expected, list) and len(given) == len(expected):
        for at, (one, other) in enumerate(zip(given, expected, strict=True)):
            yield from _differing(one, other, f"{path}[{at}]")
    elif given != expected or type(given) is not type(expected):
        yield f"{path}: {_said(given)} reported, {_said(expected)} derived anew"


def _said(value: Any) -> str:
    return f"{len(value)} entries" if isinstance(value, list) else repr(value)
