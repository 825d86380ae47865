"""How large the answers of a tool may grow, as far as its output schema tells: the static class and its reason (L14).

What is a collection is told by types alone: a list, or a map of objects. A name never decides. It has seen no answer, so
its figures are estimates by `METHOD`, and of a tool without an output schema it knows nothing and says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from econome.contract.outline import Grown, Outline, outline

__all__ = [
    "CLASSES",
    "METHOD",
    "NOTHING_KNOWN",
    "THRESHOLDS",
    "FieldsProfile",
    "StaticClass",
    "classify",
    "fields_profile",
    "risk_of",
    "server_advice",
    "server_class",
    "static_class",
]

CLASSES = ("low", "medium", "high", "critical")
"""From the mildest to the worst."""

THRESHOLDS = (1_000, 4_000, 8_000)
"""Tokens of one answer up to which it is low, medium and high; above, it is critical."""

METHOD = "fields/4+6"
"""The name of the estimate: of each field, a token for four characters of its name, one for marks and five for its value."""

_MANY_FIELDS = (10, 20)
_TOO_WIDE = 15
_UNBOUNDED_ROWS = 100
"""Rows that an answer without a limit is taken to have."""

_VALUE = 6
"""Tokens of a value without a name of its own."""

_LIMIT = "set a limit: nothing bounds {what}"
_LOWER = "set a lower limit: {most:,} of {what} would be about {tokens:,} tokens"
_ROWS = "the rows of an answer"
_CAP = "cap the bytes of an answer"
_FLOOD = "{names} may flood the context: give it a limit"
_FEWER = "answer with fewer fields, or offer a selection: there are {number}"

_NOTHING_KNOWN = "no output schema, so nothing is known of its answers: profile recorded calls to see what they weigh"
_NO_FIELDS = "an output schema that names no fields, so little is known of its answers: profile recorded calls"
NOTHING_KNOWN = frozenset({_NOTHING_KNOWN, _NO_FIELDS})
"""The reasons of a class that stands for no knowledge."""


@dataclass(frozen=True, slots=True)
class StaticClass:
    """How large the answers of one tool may grow.

    *name* is one of `CLASSES`, *fields* the number of named fields that hold values, *collections* the JSON pointers, into
    an answer and with `*` for any row, of what no bound holds; the answer itself is the empty one. *reason* is one sentence.
    Tokens are estimates by `METHOD` of one record and of the largest answer, where one without a bound is taken to have a
    hundred rows, and a row without named fields is one value; None where no schema tells anything. *advice* is what would lower the class, the most useful first.
    """

    name: str
    fields: int
    collections: tuple[str, ...]
    bounded: bool
    reason: str
    min_tokens: int | None
    max_tokens: int | None
    advice: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldsProfile:
    """What an answer of some fields is estimated at: one record, the largest answer, and the risk by `THRESHOLDS`."""

    base: int
    min_tokens: int
    max_tokens: int
    bounded: bool
    risk: str
    advice: tuple[str, ...]


def classify(unbounded: bool, fields: int) -> str:
    """Return the static class of answers with so many *fields*, *unbounded* where a collection in them has no limit."""
    record, wide = _MANY_FIELDS
    if unbounded:
        return "critical" if fields > record else "high"
    return "medium" if fields > wide else "low"


def risk_of(tokens: float, thresholds: Sequence[int] = THRESHOLDS) -> str:
    """Return the class of an answer of so many tokens: each threshold is the most that its class holds."""
    return CLASSES[sum(tokens > most for most in thresholds[: len(CLASSES) - 1])]


def _base(names: Iterable[str]) -> int:
    return sum(-(-len(name) // 4) + _VALUE for name in names)


def _by_bytes(max_bytes: int) -> int:
    return -(-max_bytes * 10 // 35)


def fields_profile(
    names: Sequence[str],
    limit: int | None = None,
    max_bytes: int | None = None,
    collections: Collection[str] = (),
) -> FieldsProfile:
    """Return what rows of fields of those *names* are estimated at, under a limit of rows and a cap on bytes.

    The tighter of both counts. *collections* are the names among them that hold lists, which the caller knows by type.
    """
    base = _base(names)
    least, most = _range(base, [limit], max_bytes)
    bounded = limit is not None or max_bytes is not None
    risk = risk_of(most)
    told = [name for name in names if name in collections]
    advice = _advised(
        unbounded=[] if bounded else [_ROWS],
        risky=risk in ("high", "critical"),
        flooding=told if limit is None else [],
        fields=len(names),
    )
    return FieldsProfile(base, least, most, bounded, risk, advice)


def _range(base: int, rows: Collection[int | None], max_bytes: int | None) -> tuple[int, int]:
    """Return what one record and the largest answer are estimated at, whose collections have so many *rows*."""
    least = most = base + 20
    if rows:
        number = max(_UNBOUNDED_ROWS if one is None else one for one in rows)
        most = max(least, (base or _VALUE) * number + (0 if None in rows else 50))
    if max_bytes is None:
        return least, most
    cap = _by_bytes(max_bytes)
    most = cap if None in rows else min(most, cap)  # a hundred rows are assumed, and a cap holds
    return min(least, most), most


def _advised(
    *,
    unbounded: Sequence[str],
    risky: bool,
    fields: int,
    flooding: Sequence[str] = (),
    lower: str = "",
) -> tuple[str, ...]:
    says = [lower] if lower else []
    if unbounded:
        says.append(_LIMIT.format(what=", ".join(unbounded)))
    if risky:
        says.append(_CAP)
    if flooding:
        says.append(_FLOOD.format(names=", ".join(flooding)))
    if fields > _TOO_WIDE:
        says.append(_FEWER.format(number=fields))
    return tuple(says)


def static_class(
    tool: Mapping[str, object],
    *,
    limit: int | None = None,
    max_bytes: int | None = None,
    rows: str | None = None,
) -> StaticClass:
    """Return the static class of a tool's answers by its output schema and the limits that hold for them.

    A *limit* bounds what `econome.lean.limits` would cut: the answer, where it is a collection; the field *rows* (dotted),
    where one is named; else the lists of records under its keys, or its only list. A cap on bytes bounds all.
    Whatever is odd about the schema, nothing is raised.
    """
    seen = outline(tool.get("outputSchema"))
    if seen is None:
        return StaticClass("low", 0, (), True, _NOTHING_KNOWN, None, None)
    bounds = {one: one.most for one in seen.collections}
    if limit is not None:
        for one in _limited(seen, rows):
            bounds[one] = limit if one.most is None else min(limit, one.most)
    free = [one for one, most in bounds.items() if most is None and max_bytes is None]
    fields = len(seen.fields)
    name = classify(bool(free), fields)
    least, most = _range(_base(field[-1] for field in seen.fields), bounds.values(), max_bytes)
    known = fields > 0 or bool(seen.collections)
    return StaticClass(
        name=name,
        fields=fields,
        collections=tuple(one.pointer for one in free),
        bounded=not free,
        reason=_reason(seen, free, bounds, max_bytes) if known else _NO_FIELDS,
        min_tokens=least if known else None,
        max_tokens=most if known else None,
        advice=_advised(
            unbounded=[one.pointer or _ROWS for one in free],
            risky=name in ("high", "critical"),
            fields=fields,
            lower="" if free or max_bytes is not None else _lower(bounds, most),
        ),
    )


def _lower(bounds: Mapping[Grown, int | None], most: int) -> str:
    """Return what is said of a bound that holds next to nothing back."""
    if not bounds or risk_of(most) != "critical":
        return ""
    widest, rows = _widest(bounds)
    return _LOWER.format(most=rows, what=widest.pointer or _ROWS, tokens=most)


def _widest(bounds: Mapping[Grown, int | None]) -> tuple[Grown, int]:
    """Return the collection that may have the most rows, and how many, of those that all have a bound."""
    rows = {one: most or 0 for one, most in bounds.items()}
    widest = max(rows, key=lambda one: rows[one])
    return widest, rows[widest]


def _limited(seen: Outline, rows: str | None) -> list[Grown]:
    """Return the collections that a limit surely cuts, as `econome.lean.limits` chooses them."""
    near = [one for one in seen.collections if one.cut_at is not None]
    whole = [one for one in near if one.cut_at == ()]
    if whole:
        return whole
    if rows is not None:
        return [one for one in near if one.cut_at == tuple(rows.split("."))]
    return near if len(near) == 1 else [one for one in near if one.of_rows]


def _reason(
    seen: Outline,
    free: Sequence[Grown],
    bounds: Mapping[Grown, int | None],
    max_bytes: int | None,
) -> str:
    number = len(seen.fields)
    fields = "1 field" if number == 1 else f"{number} fields"
    part = "" if seen.whole else ", as far as it was looked through"
    if len(free) > 1:
        said = f"{len(free)} collections without a limit, the first at {free[0].pointer or 'the top'}, and {fields}"
    elif free and free[0].cut_at == ():
        said = f"{_called(free[0])} with {fields} and no limit"
    elif free:
        said = f"{_called(free[0])} without a limit, in answers of {fields}"
    elif bounds and max_bytes is not None:
        said = f"{_called(next(iter(bounds)))} with {fields}, capped at {max_bytes} bytes"
    elif bounds:
        widest, most = _widest(bounds)
        others = len(bounds) - 1
        more = f", and {others} more with a bound" if others else ""
        said = f"{_called(widest)} with {fields}, at most {most:,} of them{more}"
    else:
        said = f"one record with {fields}"
    return said + part


def _called(one: Grown) -> str:
    what = "records" if one.of_records else "lists" if one.of_rows else "values"
    at = f" at {one.pointer}" if one.cut_at != () else ""
    return f"a {one.kind} of {what}{at}"


def server_class(tools: Iterable[StaticClass]) -> str:
    """Return the class of a whole server: that of its worst tool, low where it has none."""
    return max((one.name for one in tools), key=CLASSES.index, default="low")


def server_advice(tools: Mapping[str, StaticClass]) -> tuple[str, ...]:
    """Return what would lower a server's class, each with its tool in front: of critical tools first, then of high ones.

    Tools whose bounds hold next to nothing back come last.
    """
    wide = {name for name, one in tools.items() if one.bounded and risk_of(one.max_tokens or 0) == "critical"}  # fmt: skip
    return tuple(
        f"[{name}] {text}"
        for chosen in (
            {name for name, one in tools.items() if one.name == "critical"},
            {name for name, one in tools.items() if one.name == "high"},
            wide,
        )
        for name in sorted(chosen)
        for text in tools[name].advice
    )
