"""From the ledger and the journal to the balance: per client what was avoided, what that cost, what is left (S7).

Pure: the books, the question, the zone and what prices are taken from are arguments. Stored figures count
as they stand (S4); the order in which events came changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from itertools import compress, pairwise
from math import fsum
from typing import TYPE_CHECKING, Any

from econome.savings.counting import Counting
from econome.savings.endings import NONE, UNDATED
from econome.savings.figures import Dollars, Figures
from econome.savings.money import Money
from econome.savings.question import Question
from econome.times import day_text, period_texts
from econome.usage.cells import slot_of

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.savings.books import Books

__all__ = ["FIRST_CLIENT", "SCHEMA", "balance_report"]

SCHEMA = "econome.balance/1"

FIRST_CLIENT = "claude-code"
"""The client that is shown, with nothing, where no event was ever received."""

_UNHEARD = -2  # the place of a name that no line has, and no line that has none


def balance_report(
    books: Books,
    question: Question,
    zone: Zone,
    today: int,
    *,
    money: Money | None = None,
) -> dict[str, Any]:
    """Return the report that `econome balance --json` prints: schema `econome.balance/1`.

    Every client of the ledger is listed, also one that has nothing in the period; where there is none, the one that
    was asked for or the first that the contract knows, with nothing. With `by` each client has rows, which add up to
    its figures. *today* is only named in it. With *money* each row has its figures in USD too.
    """
    counting = Counting(books, question, zone, money)
    counting.count()
    clients = _clients(counting, question, with_money=money is not None)
    total = Figures(money=Dollars() if money is not None else None)
    for _, figures, _ in clients:
        total.merge(figures)
    report: dict[str, Any] = {
        "schema": SCHEMA,
        "by": question.by,
        "today": day_text(today),
        "period": period_texts(question.since, question.until),
        "filters": {"client": question.client, "preset": question.preset},
        "total": total.whole(),
        "clients": [
            {"client": name, **figures.whole()} | ({"rows": rows} if question.by else {})
            for name, figures, rows in clients
        ],
        "local": _local(books, question, counting),
        "ledger": {
            "events": books.events,
            "bytes": books.size,
            "malformed": books.malformed,
            "duplicates": books.duplicates,
        },
        "conflicts": {
            "lines": len(books.conflicts.events),
            "bytes": books.conflicts.size,
            "malformed": books.conflicts.malformed,
        },
        "journal": {
            "lines": len(books.endings),
            "bytes": books.endings.size,
            "malformed": books.endings.malformed,
        },
    }
    if counting.pricing is not None:
        report["money"] = counting.pricing.report()
    return report


def _clients(
    counting: Counting, question: Question, *, with_money: bool
) -> list[tuple[str, Figures, list[dict[str, Any]]]]:
    """Return each client by name with its figures and its rows."""
    conflicts = counting.conflicts()
    asked = question.client
    names = {name for name in (*counting.books.clients, *conflicts) if asked in (None, name)}
    keys: dict[int, list[int]] = {}
    for client, group in counting.sums:
        keys.setdefault(client, []).append(group)
    found = []
    for name in sorted(names or {asked or FIRST_CLIENT}):
        client = counting.books.clients.get(name, -1)
        whole = Figures(money=Dollars() if with_money else None)
        groups = keys.get(client, [])
        for group in groups:
            whole.merge(_figures(counting, client, group))
        whole.unattached = counting.unattached[client] if client >= 0 else 0
        whole.conflicts = conflicts.get(name, 0)
        rows = _rows(counting, question, client, groups) if question.by else []
        found.append((name, whole, rows))
    return found


def _figures(counting: Counting, client: int, group: int) -> Figures:
    """Return the figures of a row."""
    key = client, group
    money = None if counting.pricing is None else counting.usd.get(key, Dollars())
    return Figures(counting.sums[key], money)


def _rows(
    counting: Counting, question: Question, client: int, groups: Sequence[int]
) -> list[dict[str, Any]]:
    """Return rows as the report shows them: days in order, names by net, the greatest first, no name last."""
    by, names = str(question.by), counting.requests.groups

    def order(group: int) -> tuple[bool, int, str]:
        name = names[group]
        return name is None, -_figures(counting, client, group).net, name or ""

    key = None if by == "day" else order
    if question.limit is None:
        shown = sorted(groups, key=key)
    else:
        shown = nsmallest(question.limit, groups, key=key)
    return [
        {
            by: day_text(group) if by == "day" else names[group],
            **_figures(counting, client, group).row(),
        }
        for group in shown
    ]


def _local(books: Books, question: Question, counting: Counting) -> dict[str, Any]:
    """Return what the local model did: the journal's lines that pass the same filters.

    A line names no client: with that filter, those count whose request an event of the client names.
    """
    endings = books.endings
    kept = bytearray(b"\1") * len(endings)
    if question.preset is not None:
        asked = endings.names.get(question.preset, _UNHEARD) if question.preset else NONE
        _keep(kept, map(asked.__eq__, endings.preset))
    if question.client is not None:
        _keep(kept, map(_named_by(books, question.client).__contains__, endings.request))
    if question.since is not None or question.until is not None:
        _keep(
            kept,
            (
                seconds != UNDATED and question.within(counting.days[slot_of(seconds)])
                for seconds in endings.seconds
            ),
        )
    names = list(endings.names)
    statuses = Counter(compress(endings.status, kept))
    return {
        "requests": sum(kept),
        "by_status": dict(sorted((names[status], count) for status, count in statuses.items())),
        "tokens_in": sum(compress(endings.tokens_in, kept)),
        "tokens_out": sum(compress(endings.tokens_out, kept)),
        "duration_s": fsum(compress(endings.duration_s, kept)),
    }


def _keep(kept: bytearray, tests: Iterable[bool]) -> None:
    """Leave out of *kept* what does not pass."""
    for at, passes in enumerate(tests):
        if not passes:
            kept[at] = 0


def _named_by(books: Books, client: str) -> set[int]:
    """Return the requests that an event of a client names."""
    asked = books.clients.get(client, -1)
    found: set[int] = set()
    for table in (books.delegations, books.corrections):
        found.update(compress(table.request, map(asked.__eq__, table.client)))
    steerings = books.steerings
    for of, (begin, end) in zip(steerings.client, pairwise((0, *steerings.ends)), strict=False):
        if of == asked:
            found.update(steerings.requests[begin:end])
    return found
