"""What a changed schema means: for callers, by calls that one of both refuses, and for readers of answers the other way round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from econome.contract.about import About
from econome.contract.accepts import Judge, Work
from econome.contract.entries import Parts, mapping, parts_of, place_in, same
from econome.contract.filled import filled_in, loosened
from econome.contract.findings import Finding
from econome.contract.readings import read
from econome.contract.shown import listed, shown
from econome.contract.witness import Verdict, compare
from econome.lean.pointers import steps_of

__all__ = ["input_drift", "output_drift"]

_INPUT: Final = "/inputSchema"
_OUTPUT: Final = "/outputSchema"
_NOTHING: Final = object()
_MOST_TOLD: Final = 5
"""So many more refused calls are looked for once there is one."""
_WORK: Final = 30_000


def input_drift(about: About, old: Any, new: Any) -> Iterator[Finding]:
    """Yield what differs for callers between two input schemas that are not the same, but for their texts."""
    before, after = parts_of(old, _INPUT), parts_of(new, _INPUT)
    if not same(before.bare, after.bare):
        yield from _calls(about, old, new)
    elif same(before.texts, after.texts) and same(before.defaults, after.defaults):
        yield about.tells("schema-rewritten", "The schema is written otherwise.", _INPUT)
    yield from _defaults(about, before, after)


def _calls(about: About, old: Any, new: Any) -> Iterator[Finding]:
    found = compare(old, new)
    left_out = () if found.refused is None else filled_in(new, found.refused)
    if left_out:
        yield _left_to_server(about, new, left_out, found.refused)
        found = compare(old, loosened(new))
        added = tuple(one for one in found.added if one not in left_out)
        refused = None if filled_in(new, found.refused) else found.refused
        found = replace(found, added=added, refused=refused)
    if found.refused is not None:
        yield _refused(about, old, new, found, found.dropped)
        yield from _others(about, old, new, found)
    elif found.proven and (found.wider is not None or found.added):
        yield _wider(about, found.added, found.wider)
    if found.dropped and found.refused is None:
        text = f"It no longer names {listed(_fields(found.dropped))}, and calls that give it are still accepted."
        yield about.tells("field-dropped", text, place_in(old, found.dropped[0], _INPUT))
    if not found.proven:
        calls = f" by {found.tried} generated calls" if found.tried else ""
        text = f"What changed could not be settled{calls}: {shown(found.unproven, 200)}."
        if found.added:
            text += f" It names {listed(_fields(found.added))} as well."
        yield about.tells("call-unproven", text, _INPUT)
    elif not (left_out or found.refused is not None or found.wider is not None) and not (
        found.added or found.dropped
    ):
        text = (
            f"The schema is written otherwise; {found.tried} generated calls found no difference."
        )
        yield about.tells("schema-rewritten", text, _INPUT)


def _refused(
    about: About, old: Any, new: Any, found: Verdict, dropped: tuple[str, ...] = ()
) -> Finding:
    where = place_in(new, found.where, _INPUT)
    if where == _INPUT:
        where = place_in(old, found.where, _INPUT)
    text = f"A call that was accepted is refused: {shown(found.reason, 200)}."
    if dropped:
        verb = "is" if len(dropped) == 1 else "are"
        text += f" {listed(_fields(dropped))} {verb} no longer named."
    return about.tells("call-refused", text, where, witness=found.refused)


def _others(about: About, old: Any, new: Any, found: Verdict) -> Iterator[Finding]:
    """Yield what else is refused: each time with what was told of taken back, which is one root field at a time."""
    told: set[tuple[str, bool]] = set()
    eased, judge = mapping(loosened(new)), Judge(read(new), Work(_WORK))
    for _ in range(_MOST_TOLD):
        place = _at(found)
        if place is None or place in told:
            return
        told.add(place)
        eased = _eased(mapping(old), eased, *place)
        found = compare(old, eased)
        if found.refused is None or judge.accepts(found.refused) is not False:
            return
        following = _at(found)
        if following is None or following in told or filled_in(new, found.refused):
            continue
        if following[1] or following[0] in mapping(mapping(old).get("properties")):
            yield _refused(about, old, new, found)


def _at(found: Verdict) -> tuple[str, bool] | None:
    """Return the root field that a refusal is about, and whether it is that it is missing; None where it is the whole."""
    if not found.where:
        return None
    field = steps_of(found.where)[0]
    return field, field not in mapping(found.refused)


def _eased(
    old: Mapping[str, Any], new: Mapping[str, Any], field: str, missing: bool
) -> dict[str, Any]:
    """Return the new schema without what it has against a field: that it is *missing*, or what the old one says otherwise."""
    if missing:
        required = new.get("required")
        names = required if isinstance(required, list) else []
        return {**new, "required": [name for name in names if name != field]}
    before, fields = mapping(old.get("properties")), dict(mapping(new.get("properties")))
    if field in before:
        fields[field] = before[field]
    else:
        fields.pop(field, None)
    return {**new, "properties": fields}


def _left_to_server(about: About, new: Any, fields: tuple[str, ...], witness: Any) -> Finding:
    """Return what is told of fields that a call now has to give, but for a server that fills in what it declares as default."""
    has = (
        "is now required and has a default"
        if len(fields) == 1
        else "are now required and have defaults"
    )
    text = f"{listed(_fields(fields))} {has}, which the server may fill in."
    where = place_in(new, fields[0], _INPUT)
    return about.tells("call-unproven", text, where, witness=witness)


def _wider(about: About, added: tuple[str, ...], wider: Any) -> Finding:
    if added:
        text = f"It takes {listed(_fields(added))} as well; calls that name only what was known go on as before."
    else:
        text = "It accepts calls that it refused, and every old one as before."
    return about.tells("call-widened", text, _INPUT, witness=wider)


def _fields(pointers: tuple[str, ...]) -> list[str]:
    return [one.removeprefix("/") for one in pointers]


def _defaults(about: About, before: Parts, after: Parts) -> Iterator[Finding]:
    """Yield each default that changed for a field that both schemas have; of a required one it means nothing."""
    for place in sorted(before.defaults.keys() | after.defaults.keys()):
        old = before.defaults.get(place, _NOTHING)
        new = after.defaults.get(place, _NOTHING)
        if old is not _NOTHING and new is not _NOTHING and same(old, new):
            continue
        if place not in before.places or place not in after.places:
            if same(before.bare, after.bare):
                yield _default(about, "detail-changed", place, old, new)
            continue
        needed = place in before.needed and place in after.needed
        yield _default(about, "detail-changed" if needed else "default-changed", place, old, new)


def _default(about: About, kind: str, place: str, old: Any, new: Any) -> Finding:
    told = [f"`{shown(one)}`" if one is not _NOTHING else "none" for one in (old, new)]
    field = steps_of(place)[-1]
    text = f"The default of `{shown(field)}` was {told[0]} and is {told[1]}."
    given = [None if one is _NOTHING else one for one in (old, new)]
    return about.tells(kind, text, place + "/default", old=given[0], new=given[1])


def output_drift(about: About, old: Any, new: Any) -> Iterator[Finding]:
    """Yield what differs for readers of answers between two output schemas that are not the same, but for their texts.

    Where the old schema allowed nothing beside what it names, fields that come on top are still taken to disturb nobody.
    """
    if old is None:
        yield about.tells(
            "output-added", "It says what its answers look like, and did not before.", _OUTPUT
        )
        return
    if new is None:
        text = "It no longer says what its answers look like."
        yield about.tells("output-changed", text, _OUTPUT)
        return
    before, after = parts_of(old, _OUTPUT), parts_of(new, _OUTPUT)
    if same(before.bare, after.bare):
        if same(before.texts, after.texts) or not same(before.defaults, after.defaults):
            yield about.tells(
                "schema-rewritten", "The schema of its answers is written otherwise.", _OUTPUT
            )
        return
    found = compare(new, _opened(before.bare))
    if found.refused is not None:
        where = place_in(old, found.where, _OUTPUT)
        text = f"An answer may be what none was: {_reversed(found.where)}`{shown(found.refused)}`."
        yield about.tells("output-changed", text, where, witness=found.refused)
    elif found.added:  # fields that only the old schema names
        text = f"Answers are no longer said to hold {listed(_fields(found.added))}."
        yield about.tells("output-changed", text, place_in(old, found.added[0], _OUTPUT))
    elif not found.proven:
        text = f"Whether answers may hold something else could not be settled: {shown(found.unproven, 200)}."
        yield about.tells("output-changed", text, _OUTPUT)
    elif found.dropped:  # fields that only the new schema names
        text = f"Answers are said to hold {listed(_fields(found.dropped))} as well."
        yield about.tells("output-added", text, place_in(new, found.dropped[0], _OUTPUT))
    elif found.wider is not None:
        text = "Answers are said to be more narrowly what they were."
        yield about.tells("output-added", text, _OUTPUT)
    else:
        text = "The schema of its answers is written otherwise."
        yield about.tells("schema-rewritten", text, _OUTPUT)


def _reversed(where: str) -> str:
    return f"at `{shown(where)}`, as in " if where else "for one "


def _opened(schema: Any) -> Any:
    """Return a schema that allows what it does not name, at every place where it forbade it."""
    if isinstance(schema, list):
        return [_opened(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closing = ("additionalProperties", "unevaluatedProperties")
    return {
        key: value if key in ("enum", "const", "required") else _opened(value)
        for key, value in schema.items()
        if not (key in closing and value is False and mapping(schema) is schema)
    }
