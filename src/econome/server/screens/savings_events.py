"""The events behind a figure of the page of savings, the latest first, page by page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from econome.savings.asking import name_to_ask
from econome.savings.question import KINDS
from econome.server.screens.figure import Column, Figure, Row
from econome.server.screens.savings_asked import asked_of, events_at, filters_of
from econome.server.screens.state import State
from econome.server.screens.usage_asked import PERIOD
from econome.server.screens.visit import LIVE, Screen, Visit

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = ["events"]

_LONGEST: Final = 20
_SHOWN: Final = 25
_COPIED: Final = 10_000
"""So many events are on a page, and so many, the latest, in a copy."""

_NAMES: Final = ("preset", "format", "model", "client", "session", "id")


def events(visit: Visit) -> Screen:
    """Return the page of the events that the address asks for.

    Raises:
        UsageError: the address asks for something that cannot be.
    """
    told, state = visit.telling, visit.state
    asked = asked_of(state, events=True)
    if visit.figure:
        asked = replace(asked, page=1, limit=_COPIED)
    elif not state.get("limit"):
        asked = replace(asked, limit=_SHOWN)
    report = visit.desk.events_now(asked)
    kinds = _kinds(told)
    page = report["page"]
    number = page["number"]
    context: dict[str, Any] = {
        "listing": report,
        "kinds": [
            (title, state.link(kind=kind or None, page=None), state.get("kind") == kind)
            for kind, title in (("", told.text("All kinds")), *kinds.items())
        ],
        "filters": filters_of(state, told, events=True),
        "newer": state.link(page=str(number - 1)) if number > 1 else "",
        "older": state.link(page=str(number + 1)) if number < page["pages"] else "",
        "back": State("/savings", tuple(pair for pair in state.pairs if pair[0] in PERIOD)).link(),
        "conflicts": report["filters"]["kind"] == "conflict",
    }
    figure = Figure(
        "events",
        told.text("Events"),
        _columns(told),
        tuple(_row(visit, row) for row in report["events"]),
        note=told.text("A copy holds the latest {count}.", count=told.count(_COPIED))
        if report["figures"]["events"] > _COPIED
        else "",
    )
    title = told.text("Events behind the savings")
    return Screen("savings", title, (figure,), context, manual="savings", live=LIVE)


def _kinds(told: Telling) -> Mapping[str, str]:
    names = (
        told.text("Delegations"),
        told.text("Steering"),
        told.text("Corrections"),
        told.text("Conflicts"),
    )
    return dict(zip(KINDS, names, strict=True))


def _columns(told: Telling) -> tuple[Column, ...]:
    text = told.text
    return (
        Column("date", text("Date"), "instant"),
        Column("kind", text("Kind"), "text"),
        Column("counted", text("Counts here")),
        Column("tokens", text("Of")),
        Column("requests", text("Request"), "text"),
        Column("attached", text("Attached"), "text"),
        Column("preset", text("Preset"), "text"),
        Column("format", text("Format"), "text"),
        Column("model", text("Local model"), "text"),
        Column("client", text("Client"), "text"),
        Column("by", text("Model or tool"), "text"),
        Column("read", text("Read")),
        Column("written", text("Written")),
        Column("session", text("Session"), "text"),
        Column("id", text("Event"), "text"),
    )


def _row(visit: Visit, row: Mapping[str, Any]) -> Row:
    told, state = visit.telling, visit.state
    kinds = {
        "delegation": told.text("Delegation"),
        "steering": told.text("Steering"),
        "correction": told.text("Correction"),
    }
    names: Sequence[str] = row["requests"]
    more = row["request_count"] - 1
    request = _short(names[0])
    if more:
        request = told.plural(
            "{request} and {count} more", "{request} and {count} more", more, request=request
        )
    by = row["by"] or row["tool"]
    shown = {
        "date": _date(visit, row),
        "kind": kinds[row["kind"]],
        "attached": told.text("yes") if row["attached"] else told.text("no"),
        "requests": request,
    }
    shown |= {key: _short(row[key]) for key in _NAMES if len(row[key] or "") > _LONGEST}
    if not by or len(by) > _LONGEST:
        shown["by"] = _short(by or "–")
    links = {
        "requests": events_at(state, request=names[0]),
        "client": events_at(state, client=row["client"]),
    }
    for key in ("preset", "format", "model"):
        if row["attached"]:
            links[key] = events_at(state, **{key: name_to_ask(row[key])})
        if row[key] is None:
            shown[key] = told.text("(none)") if row["attached"] else "–"
    return Row(
        (
            row["date"], row["kind"], row["counted"], row["tokens"], ", ".join(names),
            "yes" if row["attached"] else "no", row["preset"], row["format"], row["model"], row["client"], by,
            row["read"], row["written"], row["session"], row["id"],
        ),
        shown,
        links,
    )  # fmt: skip


def _date(visit: Visit, row: Mapping[str, Any]) -> str:
    """Return when an event was, by the clocks of here; as it came where no calendar of ours has it."""
    try:
        return visit.telling.instant(row["at"], visit.moment.zone, "short")
    except (ValueError, OverflowError):
        return str(row["date"])


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
