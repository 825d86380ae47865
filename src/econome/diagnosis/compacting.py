"""Sessions that were compacted several times: what the compactions themselves cost.

Pure. A compaction is a request of its own that reads the whole conversation; where its transcript is missing its cost is
not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from econome.diagnosis.findings import (
    Claim,
    Finding,
    Judgement,
    evidence,
    found,
    nothing,
)
from econome.diagnosis.norms import needed
from econome.diagnosis.spending import Spent
from econome.prices.amounts import usd
from econome.usage.detail import Compaction

__all__ = ["compaction_again"]

_AGAIN = "compaction-again"

_FLOOR = 2
_ROWS_FROM = 50


def compaction_again(compactions: Iterable[Compaction], spent: Sequence[Spent]) -> Judgement:
    """Judge sessions that were compacted more than once (rule 7)."""
    sessions: dict[str, list[Compaction]] = {}
    for cut in _once(compactions, spent):
        sessions.setdefault(cut.session, []).append(cut)
    several = {name: cuts for name, cuts in sessions.items() if len(cuts) >= _FLOOR}
    counts = list(map(len, several.values()))
    used, threshold = needed("compactions-of-a-session", _ROWS_FROM, counts, _FLOOR, decides="rows")
    if not several:
        return nothing(_AGAIN, threshold)
    responses: dict[str, list[Spent]] = {name: [] for name in several}
    for one in spent:
        if one.within and one.response.agent == "compaction" and one.response.session in several:
            responses[one.response.session].append(one)
    rows = []
    for name, cuts in several.items():
        ones = responses[name]
        priced = [one.cost for one in ones if one.cost is not None]
        if len(cuts) >= used:
            told = (
                name, cuts[0].project, len(cuts), _sum(cut.before_tokens for cut in cuts),
                _sum(cut.after_tokens for cut in cuts), len(ones), sum(one.tokens for one in ones) if ones else None,
                usd(sum(priced)) if priced else None,
            )  # fmt: skip
            rows.append(((-sum(priced), -len(cuts), name), told))
    columns = (
        ("session", "session"), ("project", "project"), ("compactions", "count"), ("before", "tokens"),
        ("after", "tokens"), ("responses", "count"), ("tokens", "tokens"), ("usd", "usd"),
    )  # fmt: skip
    every = [one for ones in responses.values() for one in ones]
    finding = Finding(
        _AGAIN,
        "measured",
        "high" if all(responses.values()) else "medium",
        {one.place: Claim(one.tokens, one.cost) for one in every},
        {
            "sessions": len(several),
            "compactions": sum(map(len, several.values())),
            "responses": len(every),
        },
        (
            evidence(
                "sessions", columns, [row for _, row in sorted(rows)], len(several) - len(rows)
            ),
        ),
    )
    return found(finding, threshold)


def _once(compactions: Iterable[Compaction], spent: Sequence[Spent]) -> list[Compaction]:
    """Return each compaction once: a session that went on from a copy of another repeats those of the other.

    Of two at one instant, with one size before, that of the session that answered first counts.
    """
    begun: dict[str, int] = {}
    for place, one in enumerate(spent):
        begun.setdefault(one.response.session, place)
    known: dict[tuple[int, int], Compaction] = {}
    found = []
    for cut in sorted(
        compactions, key=lambda cut: (begun.get(cut.session, len(spent)), cut.session)
    ):
        if (
            cut.at_ns is None
            or cut.before_tokens is None
            or known.setdefault((cut.at_ns, cut.before_tokens), cut) is cut
        ):
            found.append(cut)
    return found


def _sum(values: Iterable[int | None]) -> int | None:
    """Return the sum of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
