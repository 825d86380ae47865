"""The sessions of a tree, the latest first.

Pure: the tree is an argument. Cells know the quarter of an hour of a response, so first and last are to
the quarter. It is read by the status line, so it imports nothing heavy.
"""

from __future__ import annotations

from econome.times import instant_text
from econome.usage.cells import KIND, PROJECT, SESSION, SOURCE, UNDATED_SLOT, day_of
from econome.usage.sums import Sum, cell_rates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from econome.clock import Zone
    from econome.usage.tree import Tree

__all__ = ["SCHEMA", "beside", "session_ids", "session_total", "sessions_report"]

SCHEMA = "econome.sessions/1"


class _Session:
    """What is shown of one session."""

    __slots__ = ("first", "last", "projects", "source", "sums")

    def __init__(self, source: str) -> None:
        self.source = source
        self.first: int | None = None
        self.last: int | None = None
        self.projects: dict[str, int] = {}
        self.sums = Sum()


def session_ids(tree: Tree) -> set[str]:
    """Return the ids of all sessions that own a response, or a refused attempt."""
    return {str(d[SESSION]) for _, (dims, _) in tree.days() for d in dims}


def beside(tree: Tree, session: str, project: str) -> tuple[str | None, str | None]:
    """Return the sessions of a project that began before and after one of them; None where there is none."""
    begun: dict[str, int] = {}
    for _, (dims, rows) in tree.days():
        wanted = [d[PROJECT] == project and not d[KIND] for d in dims]
        if any(wanted):
            for slot, place, *_ in rows:
                if wanted[place]:
                    name = str(dims[place][SESSION])
                    begun[name] = min(slot, begun.get(name, slot))
    ordered = sorted(begun, key=lambda name: (begun[name], name))
    if session not in begun:
        return None, None
    at = ordered.index(session)
    return (ordered[at - 1] if at else None), (ordered[at + 1] if at + 1 < len(ordered) else None)


def session_total(tree: Tree, session: str) -> dict[str, Any]:
    """Return the figures of one session, as in a row of a usage report."""
    sums = Sum()
    for slot, dims, counters in _counted(tree, session):
        _add(tree, sums, slot, dims, counters)
    return sums.row({})


def sessions_report(tree: Tree, zone: Zone, limit: int | None = None) -> dict[str, Any]:
    """Return the sessions by their last response, the latest first: schema `econome.sessions/1`."""
    found: dict[str, _Session] = {}
    for slot, dims, counters in _counted(tree, None):
        session = found.get(dims[SESSION])
        if session is None:
            session = found[dims[SESSION]] = _Session(dims[SOURCE])
        if slot != UNDATED_SLOT:
            session.first = slot if session.first is None else min(slot, session.first)
            session.last = slot if session.last is None else max(slot, session.last)
        project = dims[PROJECT]
        session.projects[project] = session.projects.get(project, 0) + counters[0]
        _add(tree, session.sums, slot, dims, counters)
    ordered = sorted(found.items(), key=_latest)
    return {
        "schema": SCHEMA,
        "sessions": [_row(name, session) for name, session in ordered[:limit]],
        "coverage": tree.coverage(zone),
        "prices": tree.prices.label(),
    }


def _counted(tree: Tree, only: str | None) -> Any:
    """Yield (slot, dims, counters) of what counts, of one session or of all."""
    for _, (dims, rows) in tree.days():
        wanted = [not d[KIND] and (only is None or d[SESSION] == only) for d in dims]
        if any(wanted):
            for slot, place, *counters in rows:
                if wanted[place]:
                    yield slot, dims[place], counters


def _add(tree: Tree, sums: Sum, slot: int, dims: Any, counters: list[int]) -> None:
    rates = cell_rates(tree.prices, day_of(slot), dims)
    sums.add(counters, dims[SESSION])
    sums.charge(rates, counters)


def _latest(pair: tuple[str, _Session]) -> tuple[bool, int, str]:
    name, session = pair
    return session.last is None, -(session.last or 0), name


def _row(name: str, session: _Session) -> dict[str, Any]:
    project = min(session.projects, key=lambda path: (-session.projects[path], path))
    row = session.sums.row(
        {
            "session": name,
            "source": session.source,
            "project": project,
            "first": None if session.first is None else instant_text(session.first),
            "last": None if session.last is None else instant_text(session.last),
        }
    )
    del row["sessions"]
    return row
