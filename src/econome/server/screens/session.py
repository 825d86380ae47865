"""The page of one session; without an id, or where an id says too little, the list of those that may be meant."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from econome.errors import AmbiguousSession, FileRefused, SessionUnknown
from econome.server.desk import Pending
from econome.server.screens.session_notes import notes
from econome.server.screens.session_parts import agents, delegated, kinds, models, record
from econome.server.screens.session_seen import Seen
from econome.server.screens.session_time import PAGE_ROWS, cached, context, costs, each
from econome.server.screens.session_work import work_figures
from econome.server.screens.state import State, address_of
from econome.server.screens.visit import LIVE, Screen, Visit
from econome.usage.colours import places
from econome.usage.labels import model_labels, project_labels
from econome.usage.session_asking import one_session
from econome.usage.session_detail import SessionDetail, session_detail
from econome.usage.sessions import beside, sessions_report

if TYPE_CHECKING:
    from econome.usage.tree import Tree

__all__ = ["screen", "session_address"]

_CLAUDE: Final = "claude"
_SHORTEST = 8
_LISTED = 50


def session_address(session: str) -> str:
    """Return where the page of a session is."""
    return address_of("session", session)


def screen(visit: Visit) -> Screen:
    """Return the page of the session that the address names by its id, or by the beginning of it."""
    begin = visit.rest or visit.state.get("id")
    with visit.desk.tree() as tree:
        if not begin:
            return _latest(visit, tree)
        try:
            report = visit.desk.kept(
                "session", (_stamp(tree), begin), lambda: one_session(tree, begin)
            )
        except SessionUnknown:
            return _unknown(visit, begin)
        except AmbiguousSession as error:
            return _several(visit, begin, error.matches)
        ids = [row["model"] for row in report["models"]]
        colours = places(visit.desk.settings.history_path(), tree, visit.moment.zone, ids)
        shown = Seen(
            report, visit.telling, visit.moment.zone, visit.state, model_labels(ids), colours
        )
        detail, reason = _detail(visit, tree, report)
        around = _around(visit, tree, report)
    return _page(visit, shown, detail, reason, around)


def _stamp(tree: Tree) -> object:
    """Return what is another one whenever the report of a session may be."""
    return tuple(tree.roots), tree.scanned_at, tree.prices.label()


class _Last:
    """The last detail of a session that was read: it is shown while a newer one is."""

    value: SessionDetail | None = None


def _detail(visit: Visit, tree: Tree, report: dict[str, Any]) -> tuple[SessionDetail | None, str]:
    """Return the detail of a session, None while it is read, and why it cannot be had."""
    session, settings = report["session"], visit.desk.settings
    if report["source"] != _CLAUDE:
        return None, visit.telling.text("Only transcripts of Claude Code tell of them.")
    last = visit.desk.kept(("session detail shown", session), None, _Last)
    work = partial(session_detail, tuple(tree.roots), settings.data_dir, session)
    try:
        found = visit.desk.later(("session detail", session), _stamp(tree), work)
    except FileRefused as error:
        return None, str(error)
    if not isinstance(found, Pending):
        last.value = found
    return last.value, ""


def _around(visit: Visit, tree: Tree, report: dict[str, Any]) -> dict[str, str]:
    """Return where the project leads, and its sessions before and after this one, as far as there are any."""
    session = report["session"]
    project = report["projects"][0] if report["projects"] else ""
    before, after = visit.desk.kept(
        "session beside", (_stamp(tree), session), lambda: beside(tree, session, project)
    )
    return {
        "project": State("/usage").link(days="all", project=project) if project else "",
        "before": "" if before is None else session_address(before),
        "after": "" if after is None else session_address(after),
    }


def _page(
    visit: Visit,
    seen: Seen,
    detail: SessionDetail | None,
    reason: str,
    around: dict[str, str],
) -> Screen:
    report, told = seen.report, visit.telling
    total, responses = report["total"], list(reversed(report["responses"]))
    pages = max(1, -(-len(responses) // PAGE_ROWS))
    page = min(visit.state.count("page", 1), pages)
    listed = responses[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    if visit.figure == "each":
        listed = report["responses"]
    work = () if detail is None else work_figures(seen, detail)
    figures = (
        costs(seen),
        context(seen),
        cached(seen),
        models(seen),
        agents(seen),
        kinds(seen),
        *work,
        each(seen, listed, "each", told.text("Responses, the latest first")),
        each(seen, report["refused"], "refused", told.text("Refused attempts")),
        record(seen),
    )
    share, cost, agents_count = delegated(seen)
    return Screen(
        "session",
        told.text("Session {id}", id=_short(report["session"])),
        tuple(figure for figure in figures if figure.rows or figure.name == "each"),
        context={
            "seen": seen,
            "report": report,
            "around": around,
            "total": total,
            "notes": notes(seen),
            "share": share,
            "delegated": told.usd(cost),
            "agents_count": agents_count,
            "project": report["projects"][0] if report["projects"] else "",
            "branches": [branch for branch in report["branches"] if branch],
            "pending": detail is None and not reason,
            "reason": reason,
            "work": tuple(figure.name for figure in work),
            "pages_of": (page, pages),
            "every": visit.state.link(page=None, hide=None),
        },
        manual="session",
        live=State(LIVE).link(session=report["session"]),
    )


def _short(session: str) -> str:
    return session if len(session) <= _SHORTEST + 4 else f"{session[:_SHORTEST]}…"


def _latest(visit: Visit, tree: Tree) -> Screen:
    text = visit.telling.text
    report = visit.desk.kept(
        "sessions", _stamp(tree), lambda: sessions_report(tree, visit.moment.zone, _LISTED)
    )
    rows = report["sessions"]
    if not rows:
        return _list(visit, text("Sessions"), text("No session has been found yet."), {}, 200)
    names = project_labels({row["project"] for row in rows})
    said = {row["session"]: _said(visit, row, names[row["project"]]) for row in rows}
    return _list(visit, text("Sessions"), text("The latest ones."), said, 200)


def _said(visit: Visit, row: dict[str, Any], project: str) -> str:
    """Return what tells a session from others: its project, its last response and its cost."""
    told = visit.telling
    cost = told.usd(row["cost_usd"])
    if row["partial"] and row["cost_usd"] is not None:
        cost = f"≥\u00a0{cost}"
    parts = project, told.instant(row["last"], visit.moment.zone), cost
    return " · ".join(part for part in parts if part)


def _unknown(visit: Visit, begin: str) -> Screen:
    text = visit.telling.text
    told = text("No session begins with {id}. Its transcript may have been deleted, or lie below another root.", id=begin)  # fmt: skip
    return _list(visit, text("There is no such session"), told, {}, 404)


def _several(visit: Visit, begin: str, found: list[str]) -> Screen:
    told = visit.telling.plural(
        "{count} session begins with {id}.",
        "{count} sessions begin with {id}. Which one do you mean?",
        len(found),
        id=begin,
    )
    several = dict.fromkeys(found[:_LISTED], "")
    return _list(visit, visit.telling.text("Several sessions"), told, several, 300)


def _list(visit: Visit, title: str, told: str, said: Mapping[str, str], status: int) -> Screen:
    return Screen(
        "session",
        title,
        context={
            "seen": None,
            "told": told,
            "links": [(name, session_address(name), one) for name, one in said.items()],
        },
        manual="session",
        status=status,
    )
