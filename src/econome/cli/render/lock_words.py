"""The short sentences that all reports of a comparison with a lock share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from econome.cli.lock_texts import LOCK
from econome.cli.render.figures import full
from econome.cli.render.strangers import call, value
from econome.contract.findings import SEVERITIES, Finding
from econome.unseen import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from econome.cli.lock_report import LockReport
    from econome.contract.ceilings import Over

__all__ = [
    "counts_of",
    "holds",
    "over_line",
    "place_of",
    "shown_by",
    "stray_line",
    "tokens_of",
    "witness_of",
]

_CALLS = {
    "call-refused": "refused",
    "call-unproven": "unsure",
    "call-widened": "accepted",
    "call-opened": "accepted",
}


def counts_of(findings: Iterable[Finding]) -> str:
    """Return how many differences there are of each severity: `1 breaking, 2 safe`."""
    found = Counter(one.severity for one in findings)
    return ", ".join(
        LOCK["count"].format(count=full(found[each]), severity=each.lower())
        for each in SEVERITIES
        if found[each]
    )


def holds(report: LockReport) -> str:
    """Return the line that says that a lock holds."""
    return LOCK["holds"].format(
        path=visible(report.path),
        servers=_many("server", len(report.kept)),
        tools=_many("tool", sum(one.tools for one in report.kept)),
        tokens=full(sum(one.tokens for one in report.kept)),
    )


def _many(what: str, count: int) -> str:
    return f"{full(count)} {what}{'' if count == 1 else 's'}"


def place_of(one: Finding) -> str:
    """Return what a difference is about: `shop, tool search, /inputSchema/properties/limit`."""
    parts = [visible(one.server)]
    if one.subject != "server":
        parts.append(f"{one.subject} {visible(one.name)}")
    if one.where:
        parts.append(visible(one.where))
    return ", ".join(parts)


def witness_of(one: Finding, most: int | None) -> str:
    """Return the witness of a difference in one line, a call as it would be made; empty where there is none."""
    if one.witness is None:
        return ""
    if one.subject == "tool" and isinstance(one.witness, dict) and one.kind in _CALLS:
        return call(one.name, one.witness, most)
    return value(one.witness, most)


def shown_by(one: Finding, most: int | None) -> str:
    """Return the witness with what it is: `refused now: search({})`; empty where there is none."""
    witness = witness_of(one, most)
    if not witness:
        return ""
    return f"{LOCK[_CALLS.get(one.kind, 'shows')]}: {witness}"


def tokens_of(one: Finding) -> str:
    """Return what the entry of a tool took in a menu and takes now; empty where it has none."""
    old, new = one.old_tokens, one.new_tokens
    if old is None:
        return "" if new is None else LOCK["tokens_new"].format(count=full(new))
    if new is None:
        return LOCK["tokens_gone"].format(count=full(old))
    if old == new:
        return LOCK["token_count"].format(count=full(new))
    return LOCK["tokens"].format(old=full(old), new=full(new))


def stray_line(name: str, near: str) -> str:
    """Return that a budget is for no server; *near* is the name of one that may have been meant."""
    like = LOCK["near"].format(name=visible(near)) if near else ""
    return LOCK["stray_budget"].format(name=visible(name), near=like)


def over_line(one: Over) -> str:
    """Return that a budget does not hold, with both figures."""
    facts = {
        "what": LOCK[f"scope_{one.scope}"].format(name=visible(one.name)),
        "server": visible(one.server),
        "ceiling": full(one.ceiling),
    }
    if one.tokens is None:
        return LOCK["over_nothing"].format(**facts)
    name = "over_estimate" if one.estimated else f"over_{one.level}"
    line = LOCK[name].format(**facts, tokens=full(one.tokens))
    return line[0].upper() + line[1:]
