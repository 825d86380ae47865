"""The cases of a schema: what holds together at one place, for each way of choosing among what it offers.

It follows references inside the schema and takes `allOf`, `anyOf`, `oneOf`, `if` and dependent schemas apart. It says what to
try and never what is accepted: where a schema has more cases than are followed, some are missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from econome.contract.readings import Reading, Schema, key_of, reread
from econome.lean.pointers import steps_of, value_at

__all__ = ["Case", "Cases", "gathered"]

Case = tuple[dict[str, Any], ...]
"""Schemas that hold together; their own combinations are taken apart, their fields and items are not."""

_MOST_CASES = 256
_MANY = 32
"""Branches from which on those come first that the other schema does not have."""
_MOST_TOGETHER = 48
_MOST_STEPS = 4_000
_DEEPEST = 60


class Cases:
    """The cases of one schema, at any of its places; each place is taken apart once. *other* is what it is compared with."""

    def __init__(self, reading: Reading, other: Reading | None = None) -> None:
        self._reading = reading
        self._elsewhere = frozenset() if other is None else frozenset(_many_branches(other.schema))
        self._known: dict[int, tuple[Schema, tuple[Case, ...]]] = {}
        self._targets: dict[str, Schema | None] = {}
        self._steps = 0

    def of(self, schemas: Sequence[Schema]) -> tuple[Case, ...]:
        """Return the cases of schemas that hold together; none where one takes nothing."""
        together: tuple[Case, ...] = ((),)
        for schema in schemas:
            together = _joined(together, self._cases(schema, frozenset(), 0))
        return together

    def target(self, reference: str) -> Schema | None:
        """Return what a reference leads to, None where that is not inside the schema."""
        if reference not in self._targets:
            found = self._found(reference)
            self._targets[reference] = None if found is None else reread(found, self._reading)
        return self._targets[reference]

    def _cases(self, schema: Schema, trail: frozenset[str], depth: int) -> tuple[Case, ...]:
        if isinstance(schema, bool):
            return ((),) if schema else ()
        known = self._known.get(id(schema))
        if known is not None:
            return known[1]
        self._steps += 1
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            return ((schema,),)
        cases: tuple[Case, ...] = ((schema,),)
        for offered in self._offers(schema, trail, depth + 1):
            cases = _joined(cases, offered)
        if not trail:
            self._known[id(schema)] = (schema, cases)
        return cases

    def _offers(
        self, schema: dict[str, Any], trail: frozenset[str], depth: int
    ) -> Iterator[tuple[Case, ...]]:
        reference = schema.get("$ref", schema.get("$dynamicRef", schema.get("$recursiveRef")))
        if isinstance(reference, str) and reference not in trail:
            target = self.target(reference)
            if target is not None:
                yield self._cases(target, trail | {reference}, depth)
        for part in _listed(schema, "allOf"):
            yield self._cases(part, trail, depth)
        for keyword in ("anyOf", "oneOf"):
            branches = _listed(schema, keyword)
            if branches:
                if len(branches) > _MANY:
                    branches.sort(key=lambda one: key_of(one) in self._elsewhere)
                cases = [case for one in branches for case in self._cases(one, trail, depth)]
                yield tuple(cases[:_MOST_CASES])
        if "if" in schema:
            then, other = schema.get("then", True), schema.get("else", True)
            met = _joined(self._cases(schema["if"], trail, depth), self._cases(then, trail, depth))
            yield (*met, *self._cases(other, trail, depth))
        for keyword in ("dependentSchemas", "dependencies"):
            for name, part in _map(schema, keyword).items():
                if not isinstance(part, list):
                    present: Case = ({"required": [name]},)
                    yield ((), *_joined((present,), self._cases(part, trail, depth)))

    def _found(self, reference: str) -> Schema | None:
        head, _, pointer = reference.partition("#")
        root = self._reading.schema
        if isinstance(root, bool) or head not in ("", root.get("$id")):
            return None
        if not pointer.startswith("/"):
            return root if not pointer else _anchored(root, pointer)
        found = value_at(root, [step.replace("%25", "%") for step in steps_of(pointer)])
        return found if isinstance(found, dict | bool) else None


def gathered(nodes: Iterable[dict[str, Any]], keyword: str) -> list[Any]:
    """Return what each of some schemas says under a keyword, each value once."""
    return list(
        {key_of(node[keyword]): node[keyword] for node in nodes if keyword in node}.values()
    )


def _joined(some: tuple[Case, ...], others: tuple[Case, ...]) -> tuple[Case, ...]:
    """Return every case of one with every case of the other, or, where those are many, each case at least once."""
    if not some or not others:
        return ()
    if len(some) * len(others) <= 16:
        pairs = [(one, other) for one in some for other in others]
    else:
        count = min(max(len(some), len(others)), _MOST_CASES)
        pairs = [(some[nth % len(some)], others[nth % len(others)]) for nth in range(count)]
    return tuple(_merged(one, other) for one, other in pairs)


def _merged(one: Case, other: Case) -> Case:
    return tuple({id(node): node for node in (*one, *other)}.values())[:_MOST_TOGETHER]


def _many_branches(value: object) -> Iterator[str]:
    """Yield, as texts, the branches of choices among many."""
    if isinstance(value, dict):
        for keyword, held in value.items():
            if keyword in ("anyOf", "oneOf") and isinstance(held, list) and len(held) > _MANY // 2:
                yield from map(key_of, held)
            yield from _many_branches(held)
    elif isinstance(value, list):
        for held in value:
            yield from _many_branches(held)


def _listed(schema: dict[str, Any], keyword: str) -> list[Schema]:
    held = schema.get(keyword)
    return [one for one in held if isinstance(one, dict | bool)] if isinstance(held, list) else []


def _map(schema: dict[str, Any], keyword: str) -> dict[str, Any]:
    held = schema.get(keyword)
    return held if isinstance(held, dict) else {}


def _anchored(schema: Any, name: str) -> Schema | None:
    if isinstance(schema, dict):
        if name in (schema.get("$anchor"), schema.get("$dynamicAnchor")):
            return schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for held in schema:
            found = _anchored(held, name)
            if found is not None:
                return found
    return None
