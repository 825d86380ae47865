"""The responses of one session, or of all, one by one: what cells have added up is folded again from occurrences."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from econome.usage import fold
from econome.usage.occurrences import UNDATED, Groups

__all__ = ["Kept", "Response", "recall", "recall_all"]


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of one file: its facts, the sessions it names, its group ids, and how to load its groups."""

    facts: fold.FileFacts
    sessions: tuple[str, ...]
    gids: Iterable[int]
    load: Callable[[], Groups]


@dataclass(frozen=True, slots=True)
class Response:
    """One answer of a model, folded. Times are nanoseconds since 1970, None when undated; counters are tokens.

    `agent_file` is the owner's path below its root; `kind` is "" or "refused" (F6); `unsplit_write_tokens` are
    the cache writes no split vouches for (P5).
    """

    time_ns: int | None
    source: str
    model: str
    speed: str
    tier: str
    geo: str
    project: str
    session: str
    branch: str
    agent: str
    agent_file: str
    kind: str
    output_incomplete: bool
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_5m_tokens: int
    cache_write_1h_tokens: int
    web_searches: int
    unsplit_write_tokens: int


def _response(values: fold.Response) -> Response:
    time, facts, lead, own, agent, kind, incomplete, *counters = values
    model, speed, tier, geo = lead
    return Response(
        None if time == UNDATED else time,
        facts.source,
        model,
        speed,
        tier,
        geo,
        own[1] or facts.slug,
        own[0],
        own[2],
        agent,
        os.fsdecode(facts.order[1]),
        kind,
        bool(incomplete),
        *counters,
    )


def recall(files: Iterable[Kept], session: str) -> list[Response]:
    """Return the responses that *session* owns, refused attempts among them, by time, undated ones last."""
    kept = list(files)
    wanted: set[int] = set()
    for file in kept:
        if session in file.sessions:
            wanted.update(file.gids)
    members: dict[int, list[fold.Member]] = {}
    for file in kept:
        here = wanted.intersection(file.gids)
        if here:
            groups = file.load()
            for gid in here:
                members.setdefault(gid, []).extend((file.facts, o) for o in groups[gid])
    tally = fold.Tally()
    found = [
        _response(values)
        for gid, of_group in members.items()
        for values in fold.fold_group(gid, of_group, tally)
        if values[fold.OWN][0] == session
    ]
    return sorted(
        found,
        key=lambda r: (
            UNDATED if r.time_ns is None else r.time_ns,
            r.agent_file,
            r.model,
            r.output_tokens,
        ),
    )


def recall_all(files: Iterable[Kept]) -> Iterator[Response]:
    """Yield every response once, refused attempts among them, in no order that means anything.

    One file's groups are loaded at a time; only what another file holds too waits for that one.
    """
    kept = list(files)
    left: Counter[int] = Counter()
    once: set[int] = set()
    for file in kept:
        for gid in file.gids:
            if gid in once:
                left[gid] += 1
            else:
                once.add(gid)
    del once
    waiting: dict[int, list[fold.Member]] = {}
    tally = fold.Tally()
    for file in kept:
        for gid, occurrences in file.load().items():
            members = [(file.facts, o) for o in occurrences]
            if gid in left or gid in waiting:
                waiting.setdefault(gid, []).extend(members)
                if left[gid]:
                    left[gid] -= 1
                    continue
                del left[gid]
                members = waiting.pop(gid)
            yield from map(_response, fold.fold_group(gid, members, tally))
