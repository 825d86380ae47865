"""The short sentences that all reports of a comparison with a lock share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from econome.cli.lock_texts import LOCK
from econome.cli.render.figures import full
from econome.cli.render.strangers import call, value
from econome.contract.findings import SEVERITIES, WORDS, Finding
from econome.unseen import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from econome.cli.lock_report import LockReport
    from econome.contract.ceilings import Over

__all__ = [
    "counted_with",
    "counts_of",
    "held_in",
    "many",
    "next_lines",
    "over_line",
    "place_of",
    "said_in",
    "shown_by",
    "signature_line",
    "stray_line",
    "tokens_of",
    "witness_of",
]

_CALLS = {
    "call-refused": "refused",
    "tool-removed": "refused",
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


def counted_with(tokenizer: str, estimate: bool) -> str:
    """Return how tokens are counted, in a few words."""
    return LOCK["counted"].format(tokenizer=tokenizer) if estimate else tokenizer


def many(what: str, count: int) -> str:
    """Return a number with the noun for it: `1 tool`, `2 tools`."""
    return f"{full(count)} {what}{'' if count == 1 else 's'}"


def place_of(one: Finding) -> str:
    """Return what a difference is about: `shop, tool search, /inputSchema/properties/limit`."""
    parts = [visible(one.server)]
    if one.subject != "server":
        parts.append(f"{one.subject} {visible(one.name)}")
    if one.where:
        parts.append(visible(one.where))
    return ", ".join(parts)


def said_in(report: LockReport, one: Finding) -> str:
    """Return the sentence of a difference; of a text that reads otherwise not what another of the same place quotes."""
    if one.kind == "text-reworded" and _told_above(report, one):
        return LOCK["reworded"].format(where=visible(one.where))
    return visible(one.text)


def held_in(report: LockReport, one: Finding, most: int) -> list[tuple[str, str]]:
    """Return what was and what is now, by the names of `LOCK`, but for what its sentence or another one quotes whole."""
    if one.kind == "text-reworded" and _told_above(report, one):
        return []
    said = visible(one.text)
    told = ((name, held) for name, held in (("was", one.old), ("now", one.new)) if held is not None)
    return [
        (name, value(held, most)) for name, held in told if not _quoted(value(held, None), said)
    ]


def _told_above(report: LockReport, one: Finding) -> bool:
    place = (one.server, one.subject, one.name, one.where)
    return any(
        other.kind in WORDS and (other.server, other.subject, other.name, other.where) == place
        for other in report.drift.findings
    )


def _quoted(held: str, said: str) -> bool:
    """Tell whether a sentence quotes a value whole, and not as a part of another word or number."""
    return any(f"{before}{held}{after}" in said for before, after in ("``", "“”"))


def signature_line(report: LockReport, shown: Callable[[str], str] = visible) -> str:
    """Return what is known of the signature of a lock; empty where it has none."""
    held = report.signature
    if held is None:
        return ""
    name = "signed_unasked" if not held.signers else "signed_by" if held.asked else "signed_by_any"
    facts = {"signature": held.path, "signer": held.signer, "signers": held.signers}
    return LOCK[name].format(**{key: shown(text) for key, text in facts.items()})


def next_lines(report: LockReport, shown: Callable[[str], str] = visible) -> list[str]:
    """Return what to do beside locking anew."""
    lines = []
    if report.failing_overs:
        lines.append(LOCK["budget_step"].format(files=" or ".join(map(shown, report.budget_files))))
    if report.signature is not None and report.next_command:
        lines.append(LOCK["accept_signed"])
    return lines


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
