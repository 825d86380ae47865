"""The figures of a session that are in time: cost, context, cache, and its responses one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from econome.server.charts.lines import lines
from econome.server.charts.stacks import stacks
from econome.server.charts.values import PLAIN, Group, Head, Point, Series
from econome.server.screens.figure import Column, Entry, Figure, Row, Value
from econome.server.screens.session_seen import MAIN, PROMPT, Run, Seen, runs, tokens

__all__ = ["PAGE_ROWS", "cached", "context", "costs", "each"]

PAGE_ROWS: Final = 25

_BARS, _SHARES = 150, 60


def costs(seen: Seen) -> Figure:
    """Return what each response cost, one bar a response or a run of them; tokens where nothing has a price."""
    text, telling = seen.telling.text, seen.telling
    models = [row["model"] for row in seen.report["models"]]
    hidden = set(seen.state.all("hide"))
    drawn = [model for model in models if model not in hidden]
    found = list(runs(seen.report["responses"], _BARS))
    say: Callable[[float], str] = (
        (lambda value: telling.usd(Decimal(str(value))))
        if seen.priced
        else (lambda value: telling.brief(int(value)))
    )
    groups = [
        Group(
            seen.label(run.first),
            tuple(_height(seen, run, model) for model in drawn),
            _told(seen, run),
        )
        for run in found
    ]
    title = text("Cost of the responses") if seen.priced else text("Tokens of the responses")
    long = len(found[0].rows) if found else 1
    desc = (
        text("One bar a response, in the order of time, one segment a model.")
        if long == 1
        else text("One bar for {count} responses that follow each other, one segment a model.", count=long)
    )  # fmt: skip
    several = models if len(models) > 1 else []
    columns = (
        Column("time", text("From"), "instant"),
        Column("until", text("To"), "instant"),
        Column("responses", text("Responses")),
        Column("cost_usd", text("Cost"), "usd"),
        *(
            Column(f"{'cost_usd' if seen.priced else 'tokens'}:{model}", seen.series(model).name, "usd" if seen.priced else "count")
            for model in several
        ),
    )  # fmt: skip
    rows = tuple(
        Row(
            (
                run.first,
                run.last,
                len(run.rows),
                run.cost(),
                *(run.cost(model) if seen.priced else run.tokens(model) for model in several),
            ),
            {"time": seen.time(run.first), "until": seen.time(run.last)},
        )
        for run in found
    )
    chart = ""
    if found:
        series = [seen.series(model) for model in drawn]
        chart = stacks(groups, series, Head("responses", title, desc), say)
    return Figure("responses", title, columns, rows, chart, desc, _legend(seen, models, hidden))


def _height(seen: Seen, run: Run, model: str) -> float:
    return float(run.cost(model) or 0) if seen.priced else float(run.tokens(model))


def _told(seen: Seen, run: Run) -> str:
    names = list(dict.fromkeys(seen.series(row["model"]).name for row in run.rows))
    when = seen.time(run.first)
    cost = seen.telling.usd(run.cost())
    if len(run.rows) == 1:
        return seen.telling.text("{when}: {models}, {cost}", when=when, models=names[0], cost=cost)
    return seen.telling.plural(
        "{when}: {count} response, {models}, {cost}",
        "{when}: {count} responses, {models}, {cost}",
        len(run.rows),
        when=when,
        models=", ".join(names),
        cost=cost,
    )


def _legend(seen: Seen, models: Sequence[str], hidden: set[str]) -> tuple[Entry, ...]:
    entries = []
    for model in models:
        one = seen.series(model)
        link = seen.state.link(hide=sorted(hidden ^ {model}))
        entries.append(Entry(one.name, one.place, link, model in hidden))
    return tuple(entries)


def context(seen: Seen) -> Figure:
    """Return how large the context of the main thread was at each of its responses, the largest of a run."""
    text, telling = seen.telling.text, seen.telling
    rows = [row for row in seen.report["responses"] if row["agent"] == MAIN]
    found = [
        (run, max(tokens(row, PROMPT) for row in run.rows))
        for run in runs(rows, _BARS)
    ]  # fmt: skip
    title = text("Context of the main thread")
    note = text("Tokens that a response read: input, cache read and cache written. A fall is a compaction or a new beginning.")  # fmt: skip
    points = [
        Point(
            seen.label(run.first),
            size,
            text("{when}: {tokens} tokens", when=seen.time(run.first), tokens=telling.count(size)),
        )
        for run, size in found
    ]
    chart = ""
    if found:
        head = Head("context", title, text("One line over the responses of the main thread."))
        chart = lines(
            [points], [Series(title, PLAIN)], head, lambda value: telling.brief(int(value))
        )
    return Figure(
        "context",
        title,
        (
            Column("time", text("From"), "instant"),
            Column("responses", text("Responses")),
            Column("context_tokens", text("Largest context")),
        ),
        tuple(
            Row((run.first, len(run.rows), size), {"time": seen.time(run.first)})
            for run, size in found
        ),
        chart,
        note,
    )


def cached(seen: Seen) -> Figure:
    """Return the share of what responses read that came from the cache, over the session."""
    text, telling = seen.telling.text, seen.telling
    found = [(run, run.cached()) for run in runs(seen.report["responses"], _SHARES)]
    title = text("Cache efficiency")
    points = [
        Point(
            seen.label(run.first),
            share,
            text("{when}: {share}", when=seen.time(run.first), share=telling.share(share)),
        )
        for run, share in found
    ]
    note = text("Cache read, as a share of all that responses read. A fall means that the cache was made anew, for instance after a pause.")  # fmt: skip
    chart = ""
    if found:
        head = Head("cache", title, text("One line over the responses, from 0 to 100 %."))
        chart = lines([points], [Series(title, PLAIN)], head, telling.share, whole=1.0)
    return Figure(
        "cache",
        title,
        (
            Column("time", text("From"), "instant"),
            Column("responses", text("Responses")),
            Column("cache_read_tokens", text("Cache read")),
            Column("read_tokens", text("All that was read")),
            Column("share", text("Share"), "share"),
        ),
        tuple(
            Row(
                (
                    run.first,
                    len(run.rows),
                    sum(row["cache_read_tokens"] for row in run.rows),
                    sum(tokens(row, PROMPT) for row in run.rows),
                    share,
                ),
                {"time": seen.time(run.first)},
            )
            for run, share in found
        ),
        chart,
        note,
    )


def each(seen: Seen, rows: Sequence[Mapping[str, Any]], name: str, title: str) -> Figure:
    """Return responses one by one, as a table."""
    text = seen.telling.text
    columns = (
        Column("time", text("Time"), "instant"),
        Column("model", text("Model"), "text"),
        Column("agent", text("Agent"), "text"),
        Column("input_tokens", text("Tokens in")),
        Column("output_tokens", text("Tokens out")),
        Column("cache_read_tokens", text("Cache read")),
        Column("cache_write_5m_tokens", text("Written for 5 minutes")),
        Column("cache_write_1h_tokens", text("Written for an hour")),
        Column("cost_usd", text("Cost"), "usd"),
    )
    return Figure(name, title, columns, tuple(_one(seen, row) for row in rows))


def _one(seen: Seen, row: Mapping[str, Any]) -> Row:
    cost = row["cost_usd"]
    values: tuple[Value, ...] = (
        row["time"], row["model"], row["agent"], row["input_tokens"], row["output_tokens"],
        row["cache_read_tokens"], row["cache_write_5m_tokens"], row["cache_write_1h_tokens"],
        None if cost is None else Decimal(cost),
    )  # fmt: skip
    shown = {
        "time": seen.time(row["time"]),
        "model": seen.series(row["model"]).name,
        "agent": seen.agent(row["agent"]),
    }
    if row["output_incomplete"]:
        shown["output_tokens"] = f"≥ {seen.telling.count(row['output_tokens'])}"
    return Row(values, shown)
