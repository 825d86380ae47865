"""The figures of a session that come from the detail pass: tools, MCP servers, pauses, compactions. Names and sizes only."""

from __future__ import annotations

from econome.server.charts.values import PLAIN, Group, Head, Series
from econome.server.charts.worths import worths
from econome.server.screens.figure import Column, Figure, Row
from econome.server.screens.session_seen import Seen
from econome.usage.detail import ToolWeight
from econome.usage.session import time_text
from econome.usage.session_detail import SessionDetail

__all__ = ["work_figures"]

_DRAWN = 12
_MINUTE_NS = 60 * 10**9


def work_figures(seen: Seen, detail: SessionDetail) -> tuple[Figure, ...]:
    """Return the figures; those without a row are left out."""
    made = (
        _tools(seen, detail),
        _servers(seen, detail),
        _pauses(seen, detail),
        _compactions(seen, detail),
    )
    return tuple(figure for figure in made if figure.rows)


def _characters(tool: ToolWeight) -> int:
    return sum(part.characters for part in tool.parts)


def _tools(seen: Seen, detail: SessionDetail) -> Figure:
    text, telling = seen.telling.text, seen.telling
    title = text("Tools")
    weights = [(tool, _characters(tool)) for tool in detail.tools]
    groups = [
        Group(
            tool.name,
            (float(size),),
            text("{tokens} characters", tokens=telling.count(size)),
        )
        for tool, size in weights[:_DRAWN]
        if size
    ]
    desc = text("One bar a tool, as long as its answers have characters together.")
    note = text("Sizes are characters of whole answers, an image as it is encoded; no transcript says what an answer cost in tokens.")  # fmt: skip
    chart = ""
    if groups:
        series = (Series(text("Characters of answers"), PLAIN),)
        chart = worths(groups, series, Head("tools", title, desc))
    return Figure(
        "tools",
        title,
        (
            Column("name", text("Tool"), "text"),
            Column("calls", text("Calls")),
            Column("failures", text("Failed")),
            Column("unanswered", text("Without an answer")),
            Column("p50", text("Half of the answers up to")),
            Column("p95", text("95 % of them up to")),
            Column("largest", text("Largest answer")),
            Column("characters", text("Characters of answers")),
            Column("server", text("MCP server"), "text"),
            Column("tool", text("Its tool"), "text"),
        ),
        tuple(
            Row(
                (
                    tool.name, tool.calls, tool.failures, tool.unanswered, tool.p50, tool.p95, tool.largest,
                    size, tool.server or None, tool.tool or None,
                ),
                {} if tool.server else {"server": "–", "tool": "–"},
            )
            for tool, size in weights
        ),
        chart,
        note,
    )  # fmt: skip


def _servers(seen: Seen, detail: SessionDetail) -> Figure:
    text = seen.telling.text
    found: dict[str, list[int]] = {}
    for tool in detail.tools:
        if tool.server:
            sums = found.setdefault(tool.server, [0] * 4)
            for at, value in enumerate((1, tool.calls, tool.failures, _characters(tool))):
                sums[at] += value
    return Figure(
        "servers",
        text("MCP servers"),
        (
            Column("server", text("MCP server"), "text"),
            Column("tools", text("Tools called")),
            Column("calls", text("Calls")),
            Column("failures", text("Failed")),
            Column("characters", text("Characters of answers")),
        ),
        tuple(
            Row((name, *sums))
            for name, sums in sorted(found.items(), key=lambda one: (-one[1][3], one[0]))
        ),
    )


def _pauses(seen: Seen, detail: SessionDetail) -> Figure:
    text = seen.telling.text
    rows = []
    for pause in detail.pauses:
        first, last = time_text(pause.from_ns), time_text(pause.until_ns)
        minutes = (pause.until_ns - pause.from_ns) // _MINUTE_NS
        lost = text("both") if pause.over_an_hour else text("the five-minute one")
        shown = {"from": seen.time(first), "until": seen.time(last), "outlived_minutes": lost}
        rows.append(Row((first, last, minutes, 60 if pause.over_an_hour else 5), shown))
    return Figure(
        "pauses",
        text("Pauses"),
        (
            Column("from", text("From"), "instant"),
            Column("until", text("To"), "instant"),
            Column("minutes", text("Minutes")),
            Column("outlived_minutes", text("Outlived cache")),
        ),
        tuple(rows),
        note=text("More than five minutes without a line: longer than the short prompt cache lives, or, above an hour, than the long one."),
    )  # fmt: skip


def _compactions(seen: Seen, detail: SessionDetail) -> Figure:
    text = seen.telling.text
    rows = []
    for one in detail.compactions:
        time = time_text(one.at_ns)
        sizes = one.before_tokens, one.after_tokens
        rows.append(Row((time, one.trigger or None, *sizes), {"time": seen.time(time)}))
    return Figure(
        "compactions",
        text("Compactions"),
        (
            Column("time", text("Time"), "instant"),
            Column("trigger", text("Trigger"), "text"),
            Column("before_tokens", text("Tokens before")),
            Column("after_tokens", text("Tokens after")),
        ),
        tuple(rows),
        note=text("The conversation was cut down to a summary."),
    )
