"""The responses that are judged, each with what it cost, and the threads that they form.

Pure. A thread is what one agent of a session did: its responses share a context, which grows from one to the next. The
cache is kept by model, so what was written by another model is not looked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from econome.usage.session import agent_id, rates_of

if TYPE_CHECKING:
    from econome.diagnosis.norms import Period
    from econome.prices.table import PriceTable
    from econome.usage.detail import Compaction
    from econome.usage.recall import Response

__all__ = [
    "BESIDE",
    "Rates",
    "Spent",
    "Thread",
    "chains",
    "charge",
    "cuts_of",
    "is_sub_agent",
    "select",
    "threads",
]

Thread = tuple[str, str]
"""A session and the id of its agent, "" for the main conversation."""

Rates = tuple[int, int, int, int, int, int]
"""Atto-dollars for a token of input, output, cache read, 5-minute and 1-hour write, and for a search."""

BESIDE = frozenset({"main", "compaction", "suggestion", "side question", "advisor"})
"""The agents that are no sub-agents: the main conversation, and what Claude Code starts for itself."""

_UNDATED = 1 << 70


@dataclass(frozen=True, slots=True)
class Spent:
    """One response: its place among all that are judged, its local day, its rates and its cost, None without a price.

    One that is not `within` the period is there for what it says of the others, and nothing is claimed of it.
    """

    place: int
    response: Response
    day: int | None
    within: bool
    rates: Rates | None
    cost: int | None
    prompt: int
    """The tokens it was given."""
    thread: Thread

    @property
    def time_ns(self) -> int:
        """Its time, after every other one where it is undated."""
        return _UNDATED if self.response.time_ns is None else self.response.time_ns

    @property
    def written(self) -> int:
        """The tokens it wrote to the cache."""
        return self.response.cache_write_5m_tokens + self.response.cache_write_1h_tokens

    @property
    def tokens(self) -> int:
        """All its tokens."""
        return self.prompt + self.response.output_tokens


def is_sub_agent(response: Response) -> bool:
    """Say whether a response is of a sub-agent that the user's work started."""
    return response.agent not in BESIDE


def charge(rates: Rates, response: Response) -> int:
    """Return what a response costs at some rates, in atto-dollars."""
    return (
        response.input_tokens * rates[0]
        + response.output_tokens * rates[1]
        + response.cache_read_tokens * rates[2]
        + response.cache_write_5m_tokens * rates[3]
        + response.cache_write_1h_tokens * rates[4]
        + response.web_searches * rates[5]
    )


def _order(response: Response) -> tuple[int | str, ...]:
    """An order that only what a response says decides."""
    return (
        _UNDATED if response.time_ns is None else response.time_ns, response.session, response.agent_file,
        response.agent, response.model, response.cache_read_tokens, response.output_tokens, response.input_tokens,
        response.cache_write_5m_tokens, response.cache_write_1h_tokens, response.project, response.branch,
    )  # fmt: skip


def select(
    responses: Iterable[Response], period: Period, prices: PriceTable
) -> tuple[list[Spent], int]:
    """Return the responses of a period by time, and the last moment of any response, in nanoseconds.

    Beside them are those that say what came before and what read after: the last one of each thread and model before
    the period, and those of the day after it. Refused attempts are none (F6).
    """
    kept: list[tuple[Response, int | None, bool]] = []
    before: dict[tuple[str, str, str], tuple[Response, int]] = {}
    horizon = 0
    for response in responses:
        if response.kind:
            continue
        horizon = max(horizon, response.time_ns or 0)
        day = period.day(response.time_ns)
        if period.holds(day):
            kept.append((response, day, True))
        elif day is not None and period.until is not None and day > period.until:
            if day == period.until + 1:
                kept.append((response, day, False))
        elif day is not None:
            key = response.session, response.agent_file, response.model
            known = before.get(key)
            if known is None or _order(known[0]) < _order(response):
                before[key] = response, day
    kept += [(response, day, False) for response, day in before.values()]
    kept.sort(key=lambda one: _order(one[0]))
    ids: dict[str, str] = {}
    return [_spent(place, *one, prices, ids) for place, one in enumerate(kept)], horizon


def _spent(
    place: int,
    response: Response,
    day: int | None,
    within: bool,
    prices: PriceTable,
    ids: dict[str, str],
) -> Spent:
    prompt = (
        response.input_tokens
        + response.cache_read_tokens
        + response.cache_write_5m_tokens
        + response.cache_write_1h_tokens
    )
    rates = rates_of(prices, response, response.model, prompt)
    cost = None if rates is None else charge(rates, response)
    file = response.agent_file
    agent = ids.get(file)
    if agent is None:
        agent = ids[file] = agent_id(file)
    return Spent(place, response, day, within, rates, cost, prompt, (response.session, agent))


def threads(spent: Iterable[Spent]) -> dict[Thread, list[Spent]]:
    """Return the dated responses of each thread in time.

    Advisors are left out, which have a context of their own, and so are sub-agents of old versions whose lines stand in
    the main transcript, where nothing tells one from the other.
    """
    found: dict[Thread, list[Spent]] = {}
    for one in spent:
        response = one.response
        inline = not one.thread[1] and response.agent != "main"
        if response.time_ns is not None and response.agent != "advisor" and not inline:
            found.setdefault(one.thread, []).append(one)
    return found


def cuts_of(compactions: Iterable[Compaction]) -> dict[Thread, list[int]]:
    """Return the instants at which the context of each thread was cut down, as far as they are known."""
    cuts: dict[Thread, list[int]] = {}
    for cut in compactions:
        if cut.at_ns is not None:
            cuts.setdefault((cut.session, cut.agent), []).append(cut.at_ns)
    return cuts


def chains(of_threads: dict[Thread, list[Spent]]) -> Iterator[list[Spent]]:
    """Yield the responses of each thread that can read each other's cache: of one model, at one speed."""
    for responses in of_threads.values():
        parts: dict[tuple[str, bool], list[Spent]] = {}
        for one in responses:
            # some lines leave the usual speed out
            key = one.response.model, one.response.speed == "fast"
            parts.setdefault(key, []).append(one)
        yield from parts.values()
