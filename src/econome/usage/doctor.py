"""What may be wrong with what was read, and how much that matters.

Pure: it judges facts that others gathered and says nothing in words; a face words findings and remedies.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from econome.times import day_text, parse_day

__all__ = ["SCHEMA", "Check", "Facts", "State", "examine"]

SCHEMA = "econome.doctor/1"
State = Literal["ok", "note", "problem"]

_OLD_PRICES_DAYS = 90
_RETENTION_DAYS = 30
"""For how long Claude Code keeps transcripts unless it is told otherwise (its setting `cleanupPeriodDays`)."""

_NOTED_SHARE = 100  # one response in so many without its final output is worth a note


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found out: the report over everything, and the state of the things around it.

    `places` are where transcripts are looked for and whether something is there. `index` is `ok`, `absent`,
    `damaged` or `unused`; `*_error` is the line of an expected failure, or None; `flaws` are the files with
    malformed, rejected and pending lines, and how many of each.
    """

    today: int
    places: tuple[tuple[str, bool], ...]
    report: dict[str, Any] | None
    roots_error: str | None
    zone: str
    zone_error: str | None
    settings_file: str
    settings_there: bool
    settings_error: str | None
    history: bool
    index: Literal["ok", "absent", "damaged", "unused"]
    index_path: str
    index_bytes: int
    prices_version: str
    prices_checked: str
    overridden: tuple[str, ...]
    flaws: tuple[tuple[str, int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; *facts* are what its words are made from."""

    name: str
    state: State
    facts: dict[str, Any] = field(default_factory=dict)


def examine(facts: Facts) -> list[Check]:
    """Return every check, in the order in which a person would go through them."""
    return [
        *_roots(facts),
        *(() if facts.report is None else _reading(facts.report, facts.flaws)),
        *(() if facts.report is None else _figures(facts.report)),
        *(() if facts.report is None else _retention(facts, facts.report["coverage"])),
        _index(facts),
        *_prices(facts),
        *_surroundings(facts),
    ]


def _roots(facts: Facts) -> Iterable[Check]:
    if facts.roots_error is not None:
        yield Check("roots_missing", "problem", {"error": facts.roots_error})
    found = [path for path, there in facts.places if there]
    listed = [path for path, _ in facts.places]
    if found:
        yield Check("roots", "ok", {"found": found, "looked": listed})
    elif facts.roots_error is None:
        yield Check("roots_none", "problem", {"looked": listed})


def _reading(
    report: dict[str, Any], flaws: tuple[tuple[str, int, int, int], ...]
) -> Iterable[Check]:
    coverage = report["coverage"]
    names = ("files", "lines", "usage_lines", "responses", "folded", "replayed")
    yield Check("read", "ok", {name: coverage[name] for name in names})
    for entry in coverage["unreadable"]:
        yield Check("unreadable", "problem", dict(entry))
    for place, name in enumerate(("malformed", "rejected", "pending"), 1):
        if coverage[name]:
            files = [flaw[0] for flaw in flaws if flaw[place]]
            yield Check(name, "note", {"count": coverage[name], "files": files})
    if coverage["undated"]:
        yield Check("undated", "note", {"count": coverage["undated"]})


def _figures(report: dict[str, Any]) -> Iterable[Check]:
    total = report["total"]
    incomplete, responses = total["output_incomplete"], total["responses"]
    if incomplete * _NOTED_SHARE >= max(1, responses):
        yield Check("incomplete", "note", {"count": incomplete, "responses": responses})
    for entry in report["unpriced"]:
        yield Check("unpriced", "problem", dict(entry))


def _retention(facts: Facts, coverage: dict[str, Any]) -> Iterable[Check]:
    first = parse_day(coverage["first_day"] or "")
    if first is None:
        return
    days = facts.today - first + 1
    kept = facts.history or days > _RETENTION_DAYS + 1
    name = "history" if facts.history else "retention"
    yield Check(name, "ok" if kept else "note", {"first_day": day_text(first), "days": days})


def _index(facts: Facts) -> Check:
    state: State = "problem" if facts.index == "damaged" else "ok"
    known = {"path": facts.index_path, "bytes": facts.index_bytes}
    return Check(f"index_{facts.index}", state, known)


def _prices(facts: Facts) -> Iterable[Check]:
    age = facts.today - (parse_day(facts.prices_checked) or facts.today)
    old = age > _OLD_PRICES_DAYS
    known = {"version": facts.prices_version, "checked": facts.prices_checked, "age_days": age}
    yield Check("prices_old" if old else "prices", "problem" if old else "ok", known)
    if facts.overridden:
        yield Check("overrides", "ok", {"models": list(facts.overridden)})


def _surroundings(facts: Facts) -> Iterable[Check]:
    if facts.zone_error is not None:
        yield Check("zone_unknown", "problem", {"error": facts.zone_error})
    else:
        yield Check("zone", "ok", {"zone": facts.zone})
    known = {"path": facts.settings_file}
    if facts.settings_error is not None:
        yield Check("settings_wrong", "problem", {**known, "error": facts.settings_error})
    else:
        yield Check("settings" if facts.settings_there else "settings_none", "ok", known)
