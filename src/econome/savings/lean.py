"""The use case of the lean figures, for every face: what menus and answers of MCP servers came to, measured.

They stand apart from what delegating saved: those are estimates of work that was not done, these are counts of texts
that were sent.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from econome.lean.ledger import Reading, lean_dir
from econome.lean.totals import Totals
from econome.times import day_text, period_texts

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.savings.question import Question
    from econome.settings import Settings

__all__ = ["LEAN_SCHEMA", "lean_figures", "lean_report", "lean_stamp"]

LEAN_SCHEMA = "econome.lean/1"


def lean_report(settings: Settings, question: Question, zone: Zone, today: int) -> dict[str, Any]:
    """Return the report of the period and the client of a question: schema `econome.lean/1`."""
    return {
        "schema": LEAN_SCHEMA,
        "today": day_text(today),
        "period": period_texts(question.since, question.until),
        "filters": {"client": question.client},
        **lean_figures(settings, question, zone),
    }


def lean_figures(settings: Settings, question: Question, zone: Zone) -> dict[str, Any]:
    """Return the figures by method, the time that was added, and what they rest on."""
    reading = Reading(lean_dir(settings.data_dir))
    by_day = question.by == "day"
    totals = Totals(zone.offset, question.since, question.until, question.client, by_day=by_day)
    for record in reading.records():
        totals.add(record)
    read = {
        "files": reading.files,
        "lines": reading.lines,
        "malformed": reading.malformed + totals.undated,
        "later": reading.later,
        "lost": reading.lost,
        "unreadable": reading.unreadable,
    }
    return {**totals.report(), "ledger": read}


def lean_stamp(settings: Settings) -> tuple[tuple[str, int], ...]:
    """Return what is another one whenever the lean ledger is."""
    found = []
    try:
        with os.scandir(lean_dir(settings.data_dir)) as entries:
            for entry in entries:
                found.append((entry.name, entry.stat(follow_symlinks=False).st_size))
    except OSError:
        return ()
    return tuple(sorted(found))
