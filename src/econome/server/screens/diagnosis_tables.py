"""The evidence of a diagnosis as figures of a page: what its tables and columns are called, and where their names lead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from econome.server.screens.diagnosis_amounts import length
from econome.server.screens.diagnosis_words import economies
from econome.server.screens.figure import Column, Figure, Kind, Row, Value
from econome.server.screens.state import State, address_of
from econome.usage.labels import model_labels, project_labels

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = ["KINDS", "columns", "evidence", "tables"]

KINDS: Final[Mapping[str, Kind]] = {
    "session": "text", "project": "text", "model": "text", "agent": "text", "tool": "text", "server": "text",
    "preset": "text", "hash": "text", "economy": "text", "day": "day", "instant": "instant", "seconds": "number",
    "count": "count", "tokens": "count", "characters": "count", "usd": "usd", "share": "share",
}  # fmt: skip
"""What kind of value of a page stands in each kind of column of a report."""

_Labels = dict[tuple[str, str], str]

_SHORT = 8
_FILTERS = ("project", "model", "agent")


def tables(told: Telling) -> Mapping[str, str]:
    """Return what the tables of evidence are called."""
    return {
        "pauses": told.text("Pauses after which the cache was rebuilt"),
        "sessions": told.text("Sessions"),
        "agents": told.text("Types of sub-agents"),
        "tools": told.text("Tools"),
        "files": told.text("Files, by a hash of their path"),
        "days": told.text("Days"),
        "models": told.text("Models of these days"),
        "projects": told.text("Projects of these days"),
        "presets": told.text("Presets"),
        "servers": told.text("Servers"),
    }


def columns(told: Telling) -> Mapping[str, str]:
    """Return the titles of columns by key; by `rule.key` where one means something of its own there."""
    paid = told.text("cost")
    return {
        "above_usd": told.text("above the limit"),
        "after": told.text("tokens after"),
        "again": told.text("again"),
        "agent": told.text("agent"),
        "agents": told.text("sub-agents"),
        "answers": told.text("answers"),
        "at": told.text("first response after"),
        "avoided": told.text("avoided"),
        "before": told.text("tokens before"),
        "carried": told.text("tokens carried on"),
        "characters": told.text("characters"),
        "compactions": told.text("compactions"),
        "context": told.text("context"),
        "corrections": told.text("corrections"),
        "day": told.text("day"),
        "delegations": told.text("delegations"),
        "economy": told.text("cheaper by"),
        "file": told.text("file"),
        "largest": told.text("longest prompt"),
        "lifetime": told.text("cache lived"),
        "limit": told.text("dearer above"),
        "menu": told.text("menu"),
        "model": told.text("model"),
        "net": told.text("net"),
        "net_usd": told.text("net, USD"),
        "other_model": told.text("cheaper model"),
        "other_usd": told.text("at its price"),
        "pause": told.text("pause"),
        "preset": told.text("preset"),
        "project": told.text("project"),
        "reads": told.text("reads"),
        "rebuilt": told.text("written again"),
        "responses": told.text("responses"),
        "rework_rate": told.text("rework"),
        "runs": told.text("runs"),
        "saved": told.text("would have saved"),
        "server": told.text("server"),
        "session": told.text("session"),
        "sessions": told.text("sessions"),
        "share": told.text("share"),
        "short": told.text("read within 5 minutes only"),
        "steering": told.text("steering"),
        "tokens": told.text("tokens"),
        "tool": told.text("tool"),
        "turns": told.text("turns"),
        "unread": told.text("never read"),
        "usd": told.text("worth"),
        "usual_usd": told.text("usual"),
        "written": told.text("written"),
        "dear-model-in-sub-agents.usd": paid,
        "fan-out-above-norm.share": told.text("share of sub-agents"),
        "mcp-answers-dominate.share": told.text("share of all answers"),
        "fan-out-above-norm.usd": paid,
        "unusual-day.usd": paid,
    }


def evidence(told: Telling, finding: Mapping[str, Any], within: State) -> list[Figure]:
    """Return the tables that a finding rests on; *within* is the page of what was consumed, in the same period."""
    return [_figure(told, finding["rule"], table, within) for table in finding["evidence"]]


def _figure(told: Telling, rule: str, table: Mapping[str, Any], within: State) -> Figure:
    titles, heads = columns(told), table["columns"]
    made = [
        Column(
            head["key"],
            titles.get(f"{rule}.{head['key']}") or titles[head["key"]],
            KINDS[head["kind"]],
        )
        for head in heads
    ]
    left_out = table["left_out"]
    note = (
        told.plural("{count} row more is not shown.", "{count} rows more are not shown.", left_out)
        if left_out
        else ""
    )
    labels = _labels(told, heads, table["rows"])
    rows = tuple(_row(told, heads, values, labels, within) for values in table["rows"])
    return Figure(
        f"{rule}-{table['name']}", tables(told)[table["name"]], tuple(made), rows, note=note
    )


def _row(
    told: Telling, heads: list[dict[str, str]], values: list[Value], labels: _Labels, within: State
) -> Row:
    shown, links = {}, {}
    for head, value in zip(heads, values, strict=True):
        key, kind = head["key"], head["kind"]
        if kind == "seconds" and isinstance(value, int | None):
            shown[key] = length(told, value)
        if not isinstance(value, str):
            continue
        label = labels.get((kind, value), value)
        if label != value:
            shown[key] = label
        link = _link(kind, value, within)
        if link:
            links[key] = link
    return Row(tuple(values), shown, links)


def _labels(told: Telling, heads: list[dict[str, str]], rows: list[list[Value]]) -> _Labels:
    """Return what is shown in place of sessions, hashes, models, projects and economies, by kind and text."""
    found: dict[str, set[str]] = {}
    for at, head in enumerate(heads):
        found.setdefault(head["kind"], set()).update(
            str(row[at]) for row in rows if row[at] is not None
        )
    short = {
        (kind, text): text[:_SHORT] for kind in ("session", "hash") for text in found.get(kind, ())
    }
    for kind, labels in (
        ("model", model_labels(found.get("model", ()))),
        ("project", project_labels(found.get("project", set()))),
    ):
        short |= {(kind, text): label for text, label in labels.items() if label}
    return short | {("economy", name): text for name, text in economies(told).items()}


def _link(kind: str, text: str, within: State) -> str:
    if kind == "session":
        return address_of("session", text)
    if kind in _FILTERS:
        return within.link(**{kind: text})
    if kind == "day":
        return within.link(days=None, since=text, until=text)
    return ""
