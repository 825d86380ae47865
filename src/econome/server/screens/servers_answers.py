"""The figures of what answers of one server weighed: in recordings, and in transcripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from econome.contract.measured import Answered
from econome.server.charts.values import Group, Head, Series
from econome.server.charts.worths import worths
from econome.server.screens.figure import Column, Entry, Figure, Row
from econome.server.screens.legends import hidden, legend
from econome.server.screens.servers_seen import Counts
from econome.server.screens.servers_words import Words, short

if TYPE_CHECKING:
    from econome.server.screens.state import State
    from econome.server.telling import Telling

__all__ = ["answers", "called"]

_DRAWN = 10
"""So many tools are drawn, each with two bars."""


def answers(found: Answered, telling: Telling, words: Words, state: State) -> Figure:
    """Return what recorded answers of each tool weighed, in tokens."""
    text = telling.text
    title = text("What recorded answers weighed")
    groups = [
        bar
        for one in found.tools[:_DRAWN]
        if one.p95
        for bar in _bars(
            one.tool,
            one.p50,
            one.p95,
            words.tokens,
            words,
        )
    ]
    note = text(
        "Tokens by {method}.", method=words.method(found.tokenizer, estimate=found.estimate)
    )
    if any(one.estimated for one in found.tools):
        note += " " + text("Images, sounds and files among them are estimates.")
    desc = text(
        "Two bars a tool: what half of its answers are within, and what 95 in a hundred are within."
    )
    drawn, entries = _drawn(groups, Head("answers", title, desc), words, state)
    return Figure(
        "answers",
        title,
        (
            Column("tool", text("Tool"), "text"),
            Column("calls", text("Calls")),
            Column("unanswered", text("Unanswered")),
            Column("errors", text("Failed")),
            Column("p50", text("p50, tokens")),
            Column("p95", text("p95, tokens")),
            Column("max", text("Largest, tokens")),
            Column("total", text("All, tokens")),
        ),
        tuple(
            Row((one.tool, one.calls, one.unanswered, one.errors, one.p50, one.p95, one.max, one.total), short(tool=one.tool))
            for one in found.tools
        ),
        drawn,
        note,
        entries,
    )  # fmt: skip


def called(tools: Counts, telling: Telling, words: Words, state: State) -> Figure:
    """Return what transcripts show of each tool, in characters."""
    text = telling.text
    title = text("What your sessions show")
    groups = [
        bar
        for tool, own in list(tools.items())[:_DRAWN]
        if own["characters"]["p95"]
        for bar in _bars(
            tool,
            own["characters"]["p50"],
            own["characters"]["p95"],
            words.characters,
            words,
        )
    ]
    desc = text(
        "Two bars a tool: what half of its answers are within, and what 95 in a hundred are within."
    )
    drawn, entries = _drawn(groups, Head("called", title, desc), words, state)
    return Figure(
        "called",
        title,
        (
            Column("tool", text("Tool"), "text"),
            Column("calls", text("Calls")),
            Column("unanswered", text("Unanswered")),
            Column("failures", text("Failed")),
            Column("p50", text("p50, characters")),
            Column("p95", text("p95, characters")),
            Column("max", text("Largest, characters")),
            Column("total", text("All, characters")),
            Column("tokens", text("All, tokens by length")),
            Column("last_day", text("Last called"), "day"),
        ),
        tuple(
            Row(
                (
                    tool,
                    own["calls"],
                    own["unanswered"],
                    own["failures"],
                    own["characters"]["p50"],
                    own["characters"]["p95"],
                    own["characters"]["max"],
                    own["characters"]["total"],
                    own["tokens"]["total"],
                    own["last_day"],
                ),
                short(tool=tool),
            )
            for tool, own in tools.items()
        ),
        drawn,
        text("From the transcripts of Claude Code, which hold no tokens of an answer: sizes are characters, and tokens a guess by length, n/a where an answer holds more than text."),
        entries,
    )  # fmt: skip


def _bars(
    tool: str, p50: int | None, p95: int | None, told: Callable[[int | None], str], words: Words
) -> tuple[Group, Group]:
    """Return the two bars of a tool: percentiles are not parts of anything, so neither stands on the other."""
    half, most = words.percentiles
    return (
        Group(tool, (p50 or 0, 0), f"{half} {told(p50)}"),
        Group(tool, (0, p95 or 0), f"{most} {told(p95)}"),
    )


def _drawn(
    groups: Sequence[Group], head: Head, words: Words, state: State
) -> tuple[str, tuple[Entry, ...]]:
    """Return the drawing of bars that come in twos, without those that are hidden, and its legend."""
    if not groups:
        return "", ()
    named = zip(("half", "most"), words.percentiles, strict=True)
    series = {f"{head.name}:{key}": Series(name, at) for at, (key, name) in enumerate(named)}
    seen = [at for at, key in enumerate(series) if key not in hidden(state)]
    bars = [group for number, group in enumerate(groups) if number % len(series) in seen]
    return worths(bars, tuple(series.values()), head), legend(state, series)
