"""The use case of the events, for every face: those that a figure of the balance is made of, page by page.

It reads the lines of the page that is shown and no others: which those are is known from the books.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from econome.errors import LedgerBroken
from econome.savings.event_rows import Joined, event_row
from econome.savings.question import Selection
from econome.savings.reading import CONFLICTS, LEDGER, Shelf
from econome.savings.selecting import Chosen
from econome.times import day_text, period_texts

if TYPE_CHECKING:
    from econome.clock import Zone

__all__ = ["EVENTS_SCHEMA", "events_report"]

EVENTS_SCHEMA = "econome.events/1"


def events_report(
    shelf: Shelf,
    selection: Selection,
    zone: Zone,
    today: int,
    *,
    page: int = 1,
    limit: int = 50,
    limit_bytes: int | None = None,
) -> dict[str, Any]:
    """Return one page of the events of a selection, the latest first: schema `econome.events/1`.

    `figures` are the sums over all of them, not only of the page, and those of a balance with the same filters. *page*
    counts from 1. *limit_bytes* is what a server has acknowledged of the ledger.

    Raises:
        LedgerBroken: a file of the ledger is there and cannot be read.
    """
    with shelf.lock:
        chosen = Chosen(shelf.catch_up(limit_bytes), selection, zone)
        places = chosen.newest((page - 1) * limit, limit)
        joined = Joined(chosen, places)
        path = os.path.join(shelf.directory, CONFLICTS if selection.kind == "conflict" else LEDGER)
        try:
            lines = _lines(path, [place.offset for place in places])
            rows = [
                event_row(chosen, joined, place, line)
                for place, line in zip(places, lines, strict=True)
            ]
        except OSError as error:
            raise LedgerBroken(path, error.strerror or str(error)) from None
        except (ValueError, RecursionError):
            raise LedgerBroken(path, "it changed while it was read") from None
        count, (delegations, avoided, steering, corrections) = len(chosen), chosen.sums()
    question = selection.question
    return {
        "schema": EVENTS_SCHEMA,
        "today": day_text(today),
        "period": period_texts(question.since, question.until),
        "filters": {
            "kind": selection.kind,
            "client": question.client,
            "preset": question.preset,
            "format": selection.format,
            "model": selection.model,
            "request": selection.request,
            "attached": selection.attached,
        },
        "figures": {
            "events": count,
            "delegations": delegations,
            "avoided": avoided,
            "steering": steering,
            "corrections": corrections,
            "net": avoided - steering - corrections,
        },
        "page": {"number": page, "pages": max(1, -(-count // limit)), "limit": limit},
        "events": rows,
    }


def _lines(path: str, offsets: Sequence[int]) -> list[bytes]:
    """Return the lines that begin at *offsets*."""
    if not offsets:  # then the file need not be there
        return []
    found = []
    with open(path, "rb") as file:
        for offset in offsets:
            file.seek(offset)
            found.append(file.readline())
    return found
