"""Whether a schema accepts a value: the library decides, and is kept from running long, from the network and from raising.

Formats are not judged. JSON Schema takes `format` for a note unless a validator is told otherwise, so a call that is not of
one is no call that the schema refuses; what a server does about it is not known from its schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from econome.contract.patterns import longest_judged
from econome.contract.readings import Reading, Schema

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

__all__ = ["Judge", "Work"]

_MOST_STEPS = 20_000
"""Rules that are looked at for one value; a schema that needs more doubles at each reference."""

_TRIPS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What the library raises over rules that contradict their dialect or refer to nothing, beside errors of its own."""


@dataclass(slots=True)
class Work:
    """How much may still be looked at, in rules of schemas: counted and not timed, so that every machine stops at the same place."""

    left: int

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0


class _Unsettled(ValueError):
    """A value cannot be judged within the work that is allowed."""


_STEPS: ContextVar[Work] = ContextVar("steps")


class Judge:
    """Judges values by one schema or by a part of it; *work* is shared by all that should end together."""

    def __init__(self, reading: Reading, work: Work) -> None:
        from referencing import Registry

        self._work = work
        # With a registry of its own, the library fetches no address that a schema names.
        self._root: Any = _counting(reading.dialect)(reading.schema, registry=Registry())
        self._parts: dict[int, tuple[Schema, Any]] = {}

    @property
    def spent(self) -> bool:
        """Whether nothing more can be told, since its work is done."""
        return self._work.spent

    def accepts(self, value: object, parts: Sequence[Schema] | None = None) -> bool | None:
        """Return whether the schema takes *value*, or each of its *parts* does; None where that cannot be told."""
        judges = [self._root] if parts is None else [self._part(one) for one in parts]
        told = self._judged(lambda: all(judge.is_valid(value) for judge in judges))
        return None if told is None else bool(told)

    def complaints(self, value: object) -> list[ValidationError]:
        """Return what the schema holds against *value*, nothing where that cannot be told."""
        return list(self._judged(lambda: list(self._root.iter_errors(value))) or ())

    def _part(self, schema: Schema) -> Any:
        kept = self._parts.get(id(schema))
        if kept is None:
            kept = self._parts[id(schema)] = (schema, self._root.evolve(schema=schema))
        return kept[1]

    def _judged(self, question: Callable[[], Any]) -> Any:
        from jsonschema.exceptions import UnknownType
        from referencing.exceptions import Unresolvable

        if self._work.spent:
            return None
        steps = Work(min(_MOST_STEPS, self._work.left))
        allowed, token = steps.left, _STEPS.set(steps)
        try:
            return question()
        except (Unresolvable, UnknownType, *_TRIPS):
            return None
        finally:
            _STEPS.reset(token)
            self._work.left -= allowed - steps.left


@cache
def _counting(dialect: str) -> Any:
    """Return the library's validator of a dialect, with each rule counted and long texts kept from slow patterns."""
    from jsonschema import validators

    classes = {
        "draft-03": validators.Draft3Validator,
        "draft-04": validators.Draft4Validator,
        "draft-06": validators.Draft6Validator,
        "draft-07": validators.Draft7Validator,
        "2019-09": validators.Draft201909Validator,
        "2020-12": validators.Draft202012Validator,
    }
    known = classes[dialect]
    rules = {name: _counted(rule) for name, rule in known.VALIDATORS.items()}
    rules["items"] = _once(rules["items"], dialect)
    return validators.extend(known, {**rules, "pattern": _pattern})


def _once(rule: Callable[..., Any], dialect: str) -> Callable[..., Any]:
    """Return the rule for items, kept from judging one value again at each place where it stands in a long array."""

    def once(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        if not (isinstance(value, dict) and isinstance(instance, list)):
            return rule(validator, value, instance, schema)
        start = len(schema.get("prefixItems", ())) if dialect == "2020-12" else 0
        first = {id(instance[nth]): nth for nth in range(len(instance) - 1, start - 1, -1)}
        return (
            error
            for nth in sorted(first.values())
            for error in validator.descend(instance[nth], value, path=nth)
        )

    return once


def _counted(rule: Callable[..., Any]) -> Callable[..., Any]:
    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        steps = _STEPS.get()
        steps.left -= 1 + (len(value) // 8 if isinstance(value, dict | list) else 0)
        if steps.left < 0:
            raise _Unsettled
        return rule(validator, value, instance, schema)

    return counted


def _pattern(validator: Any, value: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str):
        if len(instance) > longest_judged(value):
            raise _Unsettled
        if not re.search(value, instance):
            yield ValidationError("no match")
