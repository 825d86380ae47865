"""What the prompt cache cost in vain: rebuilt after a pause, or kept for an hour that nobody used.

Pure. Positions are places in the context, counted in tokens from its beginning. A response reads the cache up to some
position and writes on from there: first what is kept for an hour, then what is kept for five minutes. A read keeps what
it reads alive for as long again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from econome.diagnosis.findings import (
    Claim,
    Finding,
    Judgement,
    evidence,
    found,
    nothing,
)
from econome.diagnosis.norms import needed
from econome.diagnosis.spending import Spent, Thread, chains
from econome.prices.amounts import usd
from econome.usage.detail import LONG_PAUSE_NS, PAUSE_NS
from econome.usage.session import time_text

__all__ = ["cache_rebuilt", "hour_unread"]

_REBUILT, _UNREAD = "cache-rebuilt-after-pause", "hour-writes-unread"

_REBUILT_FLOOR = 10_000
_UNREAD_FLOOR = 10_000
_ROWS_FROM = 50
_FIVE_MINUTES, _HOUR = 300, 3600
_NS = 10**9


@dataclass(frozen=True, slots=True)
class _Rebuild:
    """A response that wrote again what had lapsed."""

    spent: Spent
    pause_ns: int
    lifetime: int
    context: int
    tokens: int
    atto: int | None


def _rebuild(before: Spent, after: Spent, hour_end: int) -> _Rebuild | None:
    """Return what *after* wrote again of what *before* had left in the cache, up to *hour_end* for an hour."""
    pause = after.time_ns - before.time_ns
    if pause <= PAUSE_NS:
        return None
    read = after.response.cache_read_tokens
    context = before.response.cache_read_tokens + before.written
    if after.prompt < context:  # cut down: nothing says what could have been read
        return None
    kept, lifetime = hour_end, _FIVE_MINUTES
    if pause > LONG_PAUSE_NS:
        kept, lifetime = 0, _HOUR if hour_end else _FIVE_MINUTES
    tokens = min(after.written, context - max(read, kept))
    if tokens < _REBUILT_FLOOR:
        return None
    return _Rebuild(after, pause, lifetime, context, tokens, _difference(after, tokens))


def _difference(spent: Spent, tokens: int) -> int | None:
    """Return what writing the first *tokens* of a response's writes cost beyond reading them."""
    if spent.rates is None:
        return None
    _, _, read, five, hour, _ = spent.rates
    long = min(tokens, spent.response.cache_write_1h_tokens)
    return max(0, long * (hour - read)) + max(0, (tokens - long) * (five - read))


def _hour_end(spent: Spent, known: int) -> int:
    """Return up to where the context is kept for an hour after a response.

    A write whose split is not told may be kept as long as any.
    """
    response = spent.response
    begin = response.cache_read_tokens
    long = response.cache_write_1h_tokens + response.unsplit_write_tokens
    return begin + long if long else min(known, begin)


def cache_rebuilt(
    threads: dict[Thread, list[Spent]], cuts: Mapping[Thread, Sequence[int]]
) -> Judgement:
    """Judge pauses longer than what was cached lived, after which it was written again (rule 1)."""
    rebuilds: list[_Rebuild] = []
    for chain in chains(threads):
        hour_end = 0
        of_thread = cuts.get(chain[0].thread, ())
        for before, after in pairwise(chain):
            hour_end = _hour_end(before, hour_end)
            was_cut = any(before.time_ns <= at <= after.time_ns for at in of_thread)
            one = None if was_cut or not after.within else _rebuild(before, after, hour_end)
            if one is not None:
                rebuilds.append(one)
    sizes = [one.tokens for one in rebuilds]
    used, threshold = needed(
        "tokens-of-a-rebuild", _ROWS_FROM, sizes, _REBUILT_FLOOR, decides="rows"
    )
    if not rebuilds:
        return nothing(_REBUILT, threshold)
    rebuilds.sort(key=lambda one: (-(one.atto or 0), -one.tokens, one.spent.place))
    rows = [
        (
            one.spent.response.session, one.spent.response.project, one.spent.response.agent, one.spent.response.model,
            time_text(one.spent.response.time_ns), one.pause_ns // _NS, one.lifetime, one.context, one.tokens,
            None if one.atto is None else usd(one.atto),
        )
        for one in rebuilds if one.tokens >= used
    ]  # fmt: skip
    columns = (
        ("session", "session"), ("project", "project"), ("agent", "agent"), ("model", "model"), ("at", "instant"),
        ("pause", "seconds"), ("lifetime", "seconds"), ("context", "tokens"), ("rebuilt", "tokens"), ("usd", "usd"),
    )  # fmt: skip
    finding = Finding(
        _REBUILT,
        "measured",
        "high",
        {one.spent.place: Claim(one.tokens, one.atto) for one in rebuilds},
        {
            "rebuilds": len(rebuilds),
            "sessions": len({one.spent.response.session for one in rebuilds}),
            "longest_pause_seconds": max(one.pause_ns for one in rebuilds) // _NS,
        },
        (evidence("pauses", columns, rows, len(rebuilds) - len(rows)),),
    )
    return found(finding, threshold)


@dataclass(frozen=True, slots=True)
class _Hour:
    """A response's writes for an hour: how many nobody read, and how many were read in short steps only."""

    spent: Spent
    unread: int
    short: int

    @property
    def wasted(self) -> int:
        """All of those."""
        return self.unread + self.short


def _overlap(spent: Spent, until: int | None) -> int:
    """Return how many of the tokens written for an hour lie before a position."""
    if until is None:
        return 0
    written = spent.response.cache_write_1h_tokens
    return min(max(until - spent.response.cache_read_tokens, 0), written)


def _hours(line: Sequence[Spent], main: Thread, horizon: int) -> Iterable[_Hour]:
    """Yield what became of the writes for an hour, from the last one back.

    *line* holds the responses of the thread *main* and those of helpers that read the same cache.
    """
    ever: int | None = None  # up to where the next response reads what was there
    # up to where all read it, until one that came after more than five minutes
    far: int | None = None
    later: int | None = None
    for one in reversed(line):
        own = one.thread == main
        gap = None if later is None else later - one.time_ns
        if gap is None or gap > LONG_PAUSE_NS:
            ever = far = None
        elif gap > PAUSE_NS:
            far = ever
        sure = one.time_ns + LONG_PAUSE_NS < horizon
        if own and one.within and sure and one.response.cache_write_1h_tokens:
            read, long = _overlap(one, ever), _overlap(one, far)
            unread = one.response.cache_write_1h_tokens - read
            yield _Hour(one, unread, max(read - long, 0))
        reads = one.response.cache_read_tokens
        if own:
            ever, far = reads, None if far is None else min(far, reads)
        else:
            ever = reads if ever is None else max(ever, reads)
        later = one.time_ns


def _lines(threads: dict[Thread, list[Spent]]) -> Iterable[tuple[Thread, list[Spent]]]:
    """Yield each chain with, for a main conversation, the helpers' responses that may read what it wrote."""
    helpers: dict[str, list[Spent]] = {}
    for thread, responses in threads.items():
        if responses[0].response.agent in ("compaction", "suggestion", "side question"):
            helpers.setdefault(thread[0], []).extend(responses)
    for chain in chains(threads):
        thread, model = chain[0].thread, chain[0].response.model
        beside = [] if thread[1] else helpers.get(thread[0], [])
        line = [*chain, *(one for one in beside if one.response.model == model)]
        yield thread, sorted(line, key=lambda one: one.place)


def hour_unread(threads: dict[Thread, list[Spent]], horizon: int) -> Judgement:
    """Judge writes kept for an hour that five minutes would have done for (rule 2).

    *horizon* is the last moment of which anything is known: what was written less than an hour before it may still be
    read.
    """
    sessions: dict[str, list[_Hour]] = {}
    for thread, line in _lines(threads):
        for one in _hours(line, thread, horizon):
            sessions.setdefault(thread[0], []).append(one)
    sizes = {
        name: size for name, hours in sessions.items()
        if (size := sum(one.wasted for one in hours)) >= _UNREAD_FLOOR
    }  # fmt: skip
    wasted = {name: sessions[name] for name in sizes}
    used, threshold = needed(
        "tokens-of-a-session", _ROWS_FROM, list(sizes.values()), _UNREAD_FLOOR, decides="rows"
    )
    if not wasted:
        return nothing(_UNREAD, threshold)
    ordered = sorted(wasted, key=lambda name: (-_amount(wasted[name]), -sizes[name], name))
    rows = [
        (
            name, wasted[name][-1].spent.response.project,
            sum(one.spent.response.cache_write_1h_tokens for one in wasted[name]),
            sum(one.unread for one in wasted[name]), sum(one.short for one in wasted[name]),
            _told(wasted[name]),
        )
        for name in ordered if sizes[name] >= used
    ]  # fmt: skip
    columns = (
        ("session", "session"), ("project", "project"), ("written", "tokens"), ("unread", "tokens"),
        ("short", "tokens"), ("usd", "usd"),
    )  # fmt: skip
    every = [one for hours in wasted.values() for one in hours]
    finding = Finding(
        _UNREAD,
        "measured",
        "high",
        {
            one.spent.place: Claim(one.wasted, _dearer(one, one.wasted))
            for one in every
            if one.wasted
        },
        {
            "sessions": len(wasted),
            "written_tokens": sum(one.spent.response.cache_write_1h_tokens for one in every),
            "unread_tokens": sum(one.unread for one in every),
            "unread_usd": usd(sum(_dearer(one, one.unread) or 0 for one in every)),
            "short_tokens": sum(one.short for one in every),
            "short_usd": usd(sum(_dearer(one, one.short) or 0 for one in every)),
        },
        (evidence("sessions", columns, rows, len(wasted) - len(rows)),),
    )
    return found(finding, threshold)


def _dearer(one: _Hour, tokens: int) -> int | None:
    """Return what *tokens* of a write cost beyond the price of five minutes."""
    rates = one.spent.rates
    return None if rates is None else tokens * max(0, rates[4] - rates[3])


def _amount(hours: Iterable[_Hour]) -> int:
    return sum(_dearer(one, one.wasted) or 0 for one in hours)


def _told(hours: Sequence[_Hour]) -> str | None:
    return None if all(one.spent.rates is None for one in hours) else usd(_amount(hours))
