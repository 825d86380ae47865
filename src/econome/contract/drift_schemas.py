"""What a changed schema means: for callers, by calls that one of both refuses, and for readers of answers the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from econome.contract.about import About
from econome.contract.entries import Parts, mapping, parts_of, place_in, same
from econome.contract.filled import filled_in, loosened
from econome.contract.findings import Finding
from econome.contract.shown import listed, shown
from econome.contract.witness import compare

__all__ = ["input_drift", "output_drift"]

_INPUT: Final = "/inputSchema"
_OUTPUT: Final = "/outputSchema"
_NOTHING: Final = object()


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
        where = place_in(new, found.where, _INPUT)
        if where == _INPUT:
            where = place_in(old, found.where, _INPUT)
        text = f"A call that was accepted is refused: {shown(found.reason, 200)}."
        if found.dropped:
            verb = "is" if len(found.dropped) == 1 else "are"
            text += f" {listed(_fields(found.dropped))} {verb} no longer named."
        yield about.tells("call-refused", text, where, witness=found.refused)
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
    field = place.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
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
