"""What answers weighed, on a terminal: those of a recording in tokens, those of transcripts in characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from econome.cli.profile_texts import PROFILE, PROFILE_COLUMNS
from econome.cli.render.figures import NOT_AVAILABLE, full, plain
from econome.cli.render.notes import counted
from econome.cli.render.profile_rows import (
    Report,
    failures,
    figure,
    method_of,
    of_all_servers,
    weighed_read,
)
from econome.cli.render.profile_table import show_table
from econome.cli.render.screen import ACCENT, FAINT, TITLE, Screen
from econome.cli.render.table import Column

__all__ = ["show_answers", "show_transcripts", "show_weighed"]

_SPREAD = ("p50", "p95", "max", "total")
_YIELDS = {"total": 2, "p50": 0, "p95": 0, "max": 0}


def show_answers(screen: Screen, answers: Mapping[str, Report], limit: int) -> None:
    """Print the answers of a recording, tool by tool; of a tool with several kinds of blocks, each kind below it."""
    screen.line()
    screen.prose(PROFILE["answers"], style=TITLE)
    if not answers:
        screen.prose(PROFILE["no_answers"], style=FAINT)
        return
    names, calls, failed, unanswered, classes = [], [], [], [], []
    spreads: list[Report] = []
    for name, own in list(answers.items())[:limit]:
        names.append(plain(name))
        calls.append(full(own["calls"]))
        failed.append(failures(own, "errors"))
        unanswered.append(full(own["unanswered"]))
        classes.append(own["class"] or NOT_AVAILABLE)
        spreads.append(own)
        kinds = own["by_kind"]
        for kind, part in kinds.items() if len(kinds) > 1 else ():
            names.append(f"  {plain(kind)}")
            calls.append(full(part["answers"]))
            failed.append("")
            unanswered.append("")
            classes.append("")
            spreads.append(part)
    columns = [
        Column(PROFILE_COLUMNS["tool"], names, name=True, least=16, style=ACCENT),
        Column(PROFILE_COLUMNS["calls"], calls, yields=3),
        Column(PROFILE_COLUMNS["failed"], failed, yields=4),
        Column(PROFILE_COLUMNS["unanswered"], unanswered, yields=5),
        *_spread(spreads),
        Column(PROFILE_COLUMNS["class"], classes, left=True, yields=1),
    ]
    show_table(screen, columns)
    _rest(screen, len(answers) - limit)


def show_transcripts(screen: Screen, answers: Mapping[str, Report], limit: int) -> None:
    """Print what transcripts say of the answers of one server's tools."""
    screen.line()
    if not answers:
        screen.prose(PROFILE["no_transcripts"], style=FAINT)
        return
    _weights(screen, dict(answers), "transcripts", limit)


def show_weighed(screen: Screen, weighed: Report, limit: int) -> None:
    """Print what transcripts say of the answers of all MCP tools, each with its server."""
    rows = of_all_servers(weighed)
    if not rows:
        screen.prose(PROFILE["weighed_none"], style=TITLE)
    else:
        heading = PROFILE["weighed"].format(sessions=counted("sessions", weighed["sessions"]))
        screen.prose(heading, style=TITLE)
        _weights(screen, rows, None, limit)
    screen.prose(weighed_read(weighed, rows), style=FAINT)


def _weights(screen: Screen, rows: Mapping[str, Report], title: str | None, limit: int) -> None:
    shown = list(rows.items())[:limit]
    if title is not None:
        screen.prose(PROFILE[title].format(method=method_of(rows)), style=TITLE)
    columns = [
        Column(PROFILE_COLUMNS["tool"], [plain(name) for name, _ in shown], name=True, least=16, style=ACCENT),
        Column(PROFILE_COLUMNS["calls"], [full(own["calls"]) for _, own in shown], yields=2),
        Column(PROFILE_COLUMNS["failed"], [failures(own, "failures") for _, own in shown], yields=5),
        Column(PROFILE_COLUMNS["unanswered"], [full(own["unanswered"]) for _, own in shown], yields=6),
        *_spread([own["characters"] for _, own in shown]),
        Column(PROFILE_COLUMNS["guess"], [figure(own["tokens"]["p50"]) for _, own in shown], yields=3),
        Column(PROFILE_COLUMNS["last"], [own["last_day"] or NOT_AVAILABLE for _, own in shown], left=True, yields=4),
    ]  # fmt: skip
    show_table(screen, columns)
    _rest(screen, len(rows) - limit)


def _spread(rows: Sequence[Report]) -> list[Column]:
    return [
        Column(PROFILE_COLUMNS[name], [figure(row[name]) for row in rows], yields=_YIELDS[name])
        for name in _SPREAD
    ]


def _rest(screen: Screen, more: int) -> None:
    if more > 0:
        screen.prose(PROFILE["more_rows"].format(count=full(more)), style=FAINT)
