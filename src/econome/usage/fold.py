"""From occurrences to responses: which are one, who owns it, what it counted (F2 to F6, F10, F13, P5).

A response is a tuple whose layout is the constants below. Nothing here reads a file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from econome.usage import occurrences as o
from econome.usage.cells import UNDATED_SLOT, Cells, Dims, slot_of
from econome.usage.occurrences import Occurrence

__all__ = [
    "AGENT", "CACHE_READ", "FACTS", "HELPERS", "INCOMPLETE", "INPUT", "KIND", "LEAD", "OUTPUT",
    "OWN", "SEARCHES", "TIME", "UNSPLIT", "WRITE_1H", "WRITE_5M", "FileFacts", "Member", "Response",
    "Tally", "alone_cells", "fold_group", "response_cells",
]  # fmt: skip

Member: TypeAlias = "tuple[FileFacts, Occurrence]"
Response: TypeAlias = tuple[Any, ...]

# The layout of a response.
TIME, FACTS, LEAD, OWN, AGENT, KIND, INCOMPLETE = range(7)
INPUT, OUTPUT, CACHE_READ, WRITE_5M, WRITE_1H, SEARCHES, UNSPLIT = range(7, 14)

# Seconds between which `slot_of` is a quarter of an hour.
_SURE_FROM, _SURE_TO = 1_000_000_000, 10_000_000_000

HELPERS = (
    ("agent-acompact-", "compaction"),
    ("agent-aside_question-", "side question"),
    ("agent-aprompt_suggestion-", "suggestion"),
)
"""Agents that Claude Code starts for itself and whose files repeat their parent's lines (F5)."""


class FileFacts:
    """What ownership and attribution need to know of a file (F5, F9, F10)."""

    __slots__ = ("agent", "first", "helper", "order", "slug", "source")

    def __init__(
        self, source: str, order: tuple[int, bytes], slug: str, stem: str, agent: str, first: int
    ) -> None:
        self.source, self.order, self.slug = source, order, slug
        self.agent, self.first = agent, first
        self.helper = ""
        for prefix, label in HELPERS:
            if stem.startswith(prefix):
                self.helper = label


class Tally:
    """How the rows of folded groups were used: answers of their own, and replays left out (F4, R6)."""

    __slots__ = ("replayed", "responses")

    def __init__(self) -> None:
        self.responses = self.replayed = 0


def _keys(gid: int, members: Sequence[Member]) -> list[list[Member]]:
    """Part the occurrences of a group into responses (F2)."""
    if len(members) == 1 or not o.identified(gid):
        return [list(members)]
    by_request: dict[str, list[Member]] = {}
    by_triple: dict[tuple[int, int, int], list[Member]] = {}
    for member in members:
        request = member[1][o.REQUEST]
        if isinstance(request, str):
            by_request.setdefault(request, []).append(member)
        else:
            by_triple.setdefault(request, []).append(member)
    keys = list(by_request.values())
    if not by_triple:
        return keys
    if not keys and len(by_triple) >= 3:
        return list(by_triple.values())
    loose = [member for key in by_triple.values() for member in key]
    return [loose + keys[0]] if len(keys) == 1 else [loose, *keys]


def _replays(keys: list[list[Member]]) -> list[list[Member]]:
    """The responses among *keys* that only repeat, in a side chain, a message of the main one (F4)."""
    if len(keys) < 2 or not any(
        isinstance(member[1][o.REQUEST], str) for key in keys for member in key
    ):
        return []  # in the second case a gateway's one id stands for many responses and identifies none
    side = [key for key in keys if all(member[1][o.RANK] >= 2 for member in key)]
    return side if len(side) < len(keys) else []


def _owner_key(member: Member) -> tuple[bool, int, int, tuple[int, bytes], int]:
    facts, occurrence = member
    return (
        facts.helper != "",
        occurrence[o.RANK],
        facts.first,
        facts.order,
        occurrence[o.OFFSET],
    )


def _agent(facts: FileFacts, occurrence: Occurrence) -> str:
    """The sub-agent type, from the owning row (F10)."""
    if occurrence[o.RANK] < 2:
        return "main"
    return facts.helper or occurrence[o.OWN][3] or facts.agent or "unknown"


def _split_write(written: int, five: int, hour: int) -> tuple[int, int, int]:
    """The 5-minute part, the 1-hour part, and how much of the first no split vouches for (P5)."""
    total = five + hour if written < 0 else written
    long = min(hour, total)
    return total - long, long, max(0, total - five - hour)


def _extra_responses(facts: FileFacts, folded: Occurrence, time: int) -> Iterable[Response]:
    model, *rest = folded[o.LEAD]
    for (kind, _), (own_model, counters, _, _) in folded[o.EXTRAS].items():
        five, hour, unsplit = _split_write(*counters[3:6])
        lead = (own_model or model, *rest)
        agent, label = ("advisor", "") if kind == "advisor" else (_agent(facts, folded), kind)
        # fmt: off
        yield (
            time, facts, lead, folded[o.OWN], agent, label, False,
            *counters[:3], five, hour, 0, unsplit,
        )
        # fmt: on


def fold_group(gid: int, members: Sequence[Member], tally: Tally) -> list[Response]:
    """Fold the occurrences of one group, from all files, into its responses."""
    keys = _keys(gid, members)
    replays = _replays(keys)
    tally.replayed += len(replays)
    found: list[Response] = []
    for key in keys:
        if key in replays:
            continue
        if len(key) == 1:
            facts, folded = key[0]
        else:
            facts, owner = min(key, key=_owner_key)
            folded = owner[:]
            for _, occurrence in key:
                if occurrence is not owner:
                    o.merge(folded, occurrence, keep_owner=True)
        tally.responses += 1
        five, hour, unsplit = _split_write(folded[3], folded[4], folded[5])
        # fmt: off
        found.append((
            folded[o.TIME], facts, folded[o.LEAD], folded[o.OWN], _agent(facts, folded), "",
            not folded[o.FINAL], folded[0], folded[1], folded[2], five, hour, folded[6], unsplit,
        ))
        # fmt: on
        if folded[o.EXTRAS]:
            found.extend(_extra_responses(facts, folded, folded[o.TIME]))
    return found


def alone_cells(
    facts: FileFacts, groups: o.Groups, thresholds: tuple[int, ...], cells: Cells, tally: Tally
) -> None:
    """Add the responses of a file's groups to cells, as if no other file held them.

    Nineteen in twenty groups are one occurrence, whose response is plain: those take a short way to what
    `fold_group` and `response_cells` would come to, since every line of a first scan goes by here.
    """
    short: dict[tuple[int, int, int, int, bool], list[int]] = {}
    named: list[tuple[int, o.Lead, int, o.Owner, bool]] = []
    plain = 0
    for gid, occurrences in groups.items():
        if len(occurrences) > 1 or occurrences[0][o.EXTRAS]:
            members = [(facts, occurrence) for occurrence in occurrences]
            response_cells(fold_group(gid, members, tally), thresholds, cells)
            continue
        plain += 1
        # fmt: off
        fresh, output, read, written, five, hour, found, _, time, lead, _, final, _, rank, _, own, _, _ = (
            occurrences[0]
        )
        # fmt: on
        if written < 0:
            written = five + hour
        unsplit = written - five - hour
        if hour > written:
            hour = written
        slot = UNDATED_SLOT if time == o.UNDATED else slot_of(time // 1_000_000_000)
        bucket = bisect_left(thresholds, fresh + read + written)
        key = (
            slot,
            id(lead),
            bucket,
            id(own),
            rank > 1,
        )  # a file's leads and owners are shared objects
        known = short.get(key)
        if known is None:
            named.append((slot, lead, bucket, own, rank > 1))
            # fmt: off
            short[key] = [
                1, fresh, output, read, written - hour, hour, found, not final, unsplit if unsplit > 0 else 0,
            ]
            # fmt: on
        else:
            known[0] += 1
            known[1] += fresh
            known[2] += output
            known[3] += read
            known[4] += written - hour
            known[5] += hour
            known[6] += found
            known[7] += not final
            if unsplit > 0:
                known[8] += unsplit
    tally.responses += plain
    for (slot, lead, bucket, own, side), counters in zip(named, short.values(), strict=True):
        agent = facts.helper or own[3] or facts.agent or "unknown" if side else "main"
        project = own[1] or facts.slug
        dims = (facts.source, *lead, bucket, project, own[0], agent, own[2], "")
        counters[7] = int(counters[7])
        _add(cells, (slot, dims), counters)


def _add(cells: Cells, key: tuple[int, Dims], counters: list[int]) -> None:
    known = cells.get(key)
    if known is None:
        cells[key] = counters
    else:
        for at, value in enumerate(counters):
            known[at] += value


def response_cells(
    responses: Iterable[Response], thresholds: tuple[int, ...], cells: Cells
) -> None:
    """Add responses to the cells they fall in; *thresholds* are the long-prompt limits of all prices (P6)."""
    for response in responses:
        # fmt: off
        time, facts, lead, own, agent, kind, incomplete, fresh, output, read, five, hour, found, unsplit = response
        # fmt: on
        slot = UNDATED_SLOT if time == o.UNDATED else slot_of(time // 1_000_000_000)
        bucket = bisect_left(thresholds, fresh + read + five + hour)
        key = (
            slot,
            (facts.source, *lead, bucket, own[1] or facts.slug, own[0], agent, own[2], kind),
        )
        counters = [1, fresh, output, read, five, hour, found, int(incomplete), unsplit]
        _add(cells, key, counters)
