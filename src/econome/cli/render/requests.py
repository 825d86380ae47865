"""The requests to local models as tables, and one of them in full."""

from __future__ import annotations

from typing import Any

from econome.cli.render.below import show_with_below
from econome.cli.render.figures import full, plain
from econome.cli.render.screen import ACCENT, FAINT, LOUD, Screen
from econome.cli.render.table import Column
from econome.cli.requests_texts import REQUESTS, REQUESTS_COLUMNS, STATUS_WORDS
from econome.cli.wire import spoken
from econome.delegation.wire import DONE, TO_REVIEW

__all__ = ["show", "show_one", "status_word"]

_LOOKS: dict[str, dict[str, Any]] = {
    "date": {"left": True, "yields": 1},
    "request_id": {"left": True, "style": ACCENT},
    "status": {"left": True},
    "preset": {"name": True, "yields": 2},
    "model": {"name": True, "yields": 3},
    "tokens_in": {"yields": 4},
    "tokens_out": {"yields": 4},
    "duration_s": {"yields": 5},
    "output": {"name": True, "yields": 6, "tail": True},
    "error": {"name": True, "least": 20, "yields": 1},
}


def show(screen: Screen, report: dict[str, Any]) -> None:
    """Print what is open, then what ended, in one table."""
    rows = [*report["open"], *report["ended"]]
    if not rows:
        screen.line(REQUESTS["none"])
        return
    columns = [
        Column(REQUESTS_COLUMNS[name], [_cell(row, name) for row in rows], **looks)
        for name, looks in _LOOKS.items()
        if any(row[name] is not None for row in rows)
    ]
    whys = ["" if row["error"] is None else plain(spoken(row["error"])) for row in rows]
    show_with_below(screen, columns, REQUESTS_COLUMNS["error"], whys)
    if report["open"] and report["held_by"] is None:
        screen.prose(REQUESTS["left"], style=LOUD)
    elif any(row["status"] == TO_REVIEW for row in report["open"]):
        screen.prose(REQUESTS["review"], style=FAINT)


def status_word(status: str) -> str:
    """Return a status in English; one that this version does not know as it stands."""
    return STATUS_WORDS.get(status) or plain(status)


def _cell(row: dict[str, Any], name: str) -> str:
    value = row[name]
    if value is None:
        return REQUESTS["unknown"]
    if name == "date":
        return plain(value)[:16].replace("T", " ")
    if name == "status":
        return status_word(value)
    if name in ("tokens_in", "tokens_out"):
        return _tokens(row, name)
    if name == "error":
        return plain(spoken(value))
    return f"{value:.1f}" if name == "duration_s" else plain(value)


def _tokens(row: dict[str, Any], name: str) -> str:
    if row[name] is None:
        return REQUESTS["unknown"]
    shown = full(row[name])
    return REQUESTS["estimated"].format(tokens=shown) if row["tokens_estimated"] else shown


def show_one(screen: Screen, report: dict[str, Any]) -> None:
    """Print what is known of a request, but for its answer and its diff."""
    row = report["request"]
    status = status_word(row["status"])
    screen.line(REQUESTS["head"].format(request_id=plain(row["request_id"]), status=status))
    facts = [plain(row["date"])]
    facts += [
        REQUESTS[name].format(name=plain(row[name]))
        for name in ("preset", "format", "model", "backend", "client")
        if row[name] is not None
    ]
    if row["tokens_in"] is not None or row["duration_s"] is not None:
        figures = {name: _tokens(row, name) for name in ("tokens_in", "tokens_out")}
        seconds = REQUESTS["unknown"] if row["duration_s"] is None else f"{row['duration_s']:.1f}"
        facts.append(REQUESTS["figures"].format(**figures, seconds=seconds))
    screen.facts(facts, style=FAINT)
    if row["error"] is not None:
        screen.prose(plain(spoken(row["error"])), style=LOUD)
    if row["cut"]:
        screen.prose(REQUESTS["cut"], style=LOUD)
    if row["status"] == DONE:
        _show_where(screen, report)
    _show_what_it_needs(screen, report)


def _show_where(screen: Screen, report: dict[str, Any]) -> None:
    output, kept = report["request"]["output"], report["answer_path"]
    if output is not None:
        screen.line(REQUESTS["output"].format(path=plain(output)))
    if kept is not None:
        screen.line(REQUESTS["kept"].format(path=plain(kept)), style=FAINT)
    elif output is None:
        screen.line(REQUESTS["not_kept"], style=FAINT)


def _show_what_it_needs(screen: Screen, report: dict[str, Any]) -> None:
    request_id = plain(report["request"]["request_id"])
    question = report["question"]
    if question is not None:
        facts = {name: plain(text) for name, text in question.items()}
        screen.line(REQUESTS["asks"].format(**facts))
        screen.line(REQUESTS["answer_it"].format(request_id=request_id), style=FAINT)
    for change in report["changes"] or ():
        mark = REQUESTS["runs_code"] if change["runs_code"] else ""
        facts = {name: change[name] for name in ("added_lines", "removed_lines")}
        screen.line(REQUESTS["changed"].format(path=plain(change["path"]), mark=mark, **facts))
    if report["changes"]:
        screen.line(REQUESTS["review_it"].format(request_id=request_id), style=FAINT)
