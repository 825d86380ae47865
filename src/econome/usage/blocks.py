"""The 5-hour windows of a subscription, as far as transcripts show them: an estimate.

A block begins at the full UTC hour of its first response and lasts five hours; the next one begins
with the first response after its end. Cells know the quarter of an hour of a response, and a full
hour is a whole number of quarters, so the hour a block begins at and the block a response falls into
are exact; only the last activity inside a block is known to the quarter.

Pure: the tree and the moment are arguments. It is read by the status line, so it imports nothing heavy.
"""

from __future__ import annotations

from econome.times import instant_text
from econome.usage.cells import KIND, MODEL, SESSION, SOURCE, UNDATED_DAY, day_of
from econome.usage.sums import Sum, Unpriced, cell_rates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from econome.clock import Zone
    from econome.usage.tree import Tree

__all__ = ["HOURS", "SCHEMA", "Block", "blocks", "blocks_report", "latest_block"]

SCHEMA = "econome.blocks/1"
HOURS = 5
_LENGTH = HOURS * 3600


class Block:
    """One window: its first second in UTC, the quarter of its last response, its sums by model."""

    __slots__ = ("last", "models", "start", "total", "unpriced")

    def __init__(self, start: int) -> None:
        self.start = self.last = start
        self.total = Sum()
        self.models: dict[str, Sum] = {}
        self.unpriced: list[tuple[str, list[int]]] = []

    @property
    def end(self) -> int:
        """The first second after it."""
        return self.start + _LENGTH


def _entries(tree: Tree, first: int | None, source: str) -> Iterator[tuple[int, Any, list[int]]]:
    """Yield (slot, dims, counters) of what counts, in the order of time, from a UTC day on."""
    for day, (dims, rows) in tree.days(first):
        if day == UNDATED_DAY:
            continue
        wanted = [d[SOURCE] == source and not d[KIND] for d in dims]
        for slot, place, *counters in rows:
            if wanted[place]:
                yield slot, dims[place], counters


def blocks(tree: Tree, source: str = "claude", first: int | None = None) -> list[Block]:
    """Return the blocks of one source in order, of responses from the UTC day *first* on."""
    found: list[Block] = []
    for slot, dims, counters in _entries(tree, first, source):
        if not found or slot >= found[-1].end:
            found.append(Block(slot - slot % 3600))
        block = found[-1]
        block.last = slot
        rates = cell_rates(tree.prices, day_of(slot), dims)
        model = block.models.get(dims[MODEL])
        if model is None:
            model = block.models[dims[MODEL]] = Sum()
        for sums in (block.total, model):
            sums.add(counters, dims[SESSION])
            sums.charge(rates, counters)
        if rates is None:
            block.unpriced.append((dims[MODEL], counters))
    return found


def latest_block(tree: Tree, now: float, source: str = "claude") -> Block | None:
    """Return the block that *now* falls into, or None; reads no more days than it must.

    Where the blocks before it begin depends on what came before them, back to the last pause of five
    hours, after which any response begins a block.
    """
    today = int(now // 86400)
    for days in (2, 8, None):
        first = None if days is None else today - days
        found = blocks(tree, source, first)
        if first is None or not found or _settled(found, first * 86400):
            last = found[-1] if found else None
            return last if last is not None and last.start <= now < last.end else None
    return None


def _settled(found: list[Block], begun: int) -> bool:
    """Say whether a pause of five hours lies between the second *begun* and the last block."""
    if found[0].start >= begun + _LENGTH:
        return True
    rests = (block.last - block.last % 3600 + _LENGTH for block in found)
    return any(block.start >= rested for block, rested in zip(found[1:], rests, strict=False))


def blocks_report(
    tree: Tree,
    zone: Zone,
    now: float,
    *,
    source: str = "claude",
    since: int | None = None,
    until: int | None = None,
    limit: int | None = None,
) -> dict[str, Any]:
    """Return the blocks that begin in a period of local days, the latest first: schema `econome.blocks/1`.

    With *limit*, the latest so many. `active` is the only figure that depends on *now*.
    """
    rows = []
    total, unpriced = Sum(), Unpriced()
    for block in reversed(blocks(tree, source)):
        day = (block.start + zone.offset(block.start)) // 86400
        if (since is not None and day < since) or (until is not None and day > until):
            continue
        total.merge(block.total)
        for model, counters in block.unpriced:
            unpriced.add(model, counters)
        rows.append(_row(block, now))
    return {
        "schema": SCHEMA,
        "estimate": True,
        "hours": HOURS,
        "source": source,
        "blocks": rows[:limit],
        "total": total.row({}),
        "unpriced": unpriced.rows(),
        "coverage": tree.coverage(zone),
        "prices": tree.prices.label(),
    }


def _row(block: Block, now: float) -> dict[str, Any]:
    models = sorted(block.models.items(), key=lambda pair: (-pair[1].cost, pair[0]))
    key = {
        "start": instant_text(block.start),
        "end": instant_text(block.end),
        "last": instant_text(block.last),
        "active": block.start <= now < block.end,
        "models": [model for model, _ in models],
    }
    return block.total.row(key)
