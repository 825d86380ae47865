"""What a schema holds against a call, in one sentence of our own: where in the arguments, and what no longer goes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from econome.contract.mentions import ruling
from econome.contract.readings import key_of
from econome.lean.pointers import pointer_to

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

__all__ = ["complaint"]

_LONGEST_VALUE = 40
_DEEPEST = 12
_KINDS = {
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_BOUNDS = {
    "exclusiveMaximum": "must now be below {}",
    "exclusiveMinimum": "must now be above {}",
    "maxItems": "may no longer have more than {} items",
    "maxLength": "may no longer be longer than {} characters",
    "maxProperties": "may no longer have more than {} fields",
    "maximum": "may no longer be above {}",
    "minItems": "must now have at least {} items",
    "minLength": "may no longer be shorter than {} characters",
    "minProperties": "must now have at least {} fields",
    "minimum": "may no longer be below {}",
    "multipleOf": "must now be a multiple of {}",
    "divisibleBy": "must now be a multiple of {}",
}
_CLOSING = ("additionalProperties", "unevaluatedProperties")


def complaint(
    errors: Sequence[ValidationError],
    *,
    named: Iterable[str] = (),
    said: Collection[tuple[str, str, str]] = (),
) -> tuple[str, str]:
    """Return the place in the arguments that is complained about, as a JSON pointer, and the reason in one sentence.

    *named* are the fields, as pointers, that the old schema named: of these one says that they are gone. *said* are its rules,
    each with place, keyword and value as text: what it said already is no reason, as long as there is another.
    """
    if not errors:
        return "", "the call is refused now"
    ranks = _Ranks(said)
    error = ranks.telling(min(errors, key=ranks.of))
    path = list(error.absolute_path)
    keyword, rule, held = error.validator, error.validator_value, error.instance
    if keyword == "required":
        return _missing(path, rule, held)
    if keyword in ("dependentRequired", "dependencies"):
        return _missing_beside(path, rule, held)
    if keyword in _CLOSING and isinstance(held, dict):
        return _unnamed(path, error, frozenset(named))
    if _is_of_name(error):
        inside = f"in {_called(path)}, " if path else ""
        told = f"{inside}a name of a field {_rule(error, keyword, rule, held)}: {_shown(held)}"
        return pointer_to(*path), told
    return pointer_to(*path), f"{_called(path)} {_rule(error, keyword, rule, held)}"


def _type_of(value: object) -> str:
    """Return what JSON Schema calls a value, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "an integer" if isinstance(value, int) or value.is_integer() else "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


class _Ranks:
    """Which complaint says most: one about a rule that is new, then by its keyword and place."""

    def __init__(self, said: Collection[tuple[str, str, str]]) -> None:
        self._said = said

    def of(self, error: ValidationError) -> tuple[bool, int, str, str]:
        keyword = str(error.validator)
        order = ("required", "enum", "const", "type")
        nth = order.index(keyword) if keyword in order else len(order)
        return self.is_old(error), nth, pointer_to(*error.absolute_path), keyword

    def is_old(self, error: ValidationError) -> bool:
        """Return whether the old schema ruled the same at the same place."""
        path, rule = list(error.absolute_path), key_of(error.validator_value)
        places = (pointer_to(*path), _in_general(path))
        return any((place, str(error.validator), rule) in self._said for place in places)

    def telling(self, error: ValidationError, depth: int = 0) -> ValidationError:
        """Return the complaint inside one about branches that says most: of a rule that is new, in the branch that fits best."""
        inside = error.context if error.validator in ("anyOf", "oneOf", "allOf", "if") else ()
        branches: dict[Any, list[ValidationError]] = {}
        for one in inside or ():
            branches.setdefault(one.schema_path[0] if one.schema_path else None, []).append(one)
        fresh = [
            (_misfit(held, error), len(held), -len(one.absolute_path), self.of(one), nth)
            for nth, (held, one) in enumerate((b, one) for b in branches.values() for one in b)
            if not self.is_old(one)
        ]
        if not fresh or depth > _DEEPEST:
            return error
        flat = [one for held in branches.values() for one in held]
        return self.telling(flat[min(fresh)[-1]], depth + 1)


def _misfit(errors: Sequence[ValidationError], outer: ValidationError) -> bool:
    """Return whether a branch is about another kind of value altogether, or tells itself apart by a constant."""
    kinds = [(one.validator, len(one.absolute_path) - len(outer.absolute_path)) for one in errors]
    return any((kind == "type" and not more) or (kind == "const" and more) for kind, more in kinds)


def _is_of_name(error: ValidationError) -> bool:
    """Return whether a complaint is about the name of a field and not about what it holds."""
    steps = list(error.absolute_schema_path)
    return any(
        step == "propertyNames" and steps[nth - 1 : nth] != ["properties"]
        for nth, step in enumerate(steps)
    )


def _rule(error: ValidationError, keyword: Any, rule: Any, held: Any) -> str:
    if keyword == "type":
        return f"must be {_kinds([rule] if isinstance(rule, str) else rule)}, not {_kind_of(held, rule)}"
    if keyword in ("enum", "const", "not"):
        return f"no longer takes {_shown(held)}"
    if keyword in ("maximum", "minimum") and isinstance(error.schema, Mapping):
        exclusive = "exclusive" + keyword.capitalize()
        keyword = exclusive if error.schema.get(exclusive) is True else keyword
    if keyword in _BOUNDS:
        said = _BOUNDS[keyword].format(_shown(rule))
        return (
            said
            if rule != 1
            else said.replace("items", "item")
            .replace("characters", "character")
            .replace("fields", "field")
        )
    if keyword == "pattern":
        return f"must now match `{_cut(str(rule))}`"
    if keyword == "uniqueItems":
        return "may no longer repeat an item"
    if keyword in ("contains", "minContains", "maxContains"):
        return "no longer holds as many items of the kind that is asked for"
    if keyword in ("items", "additionalItems", "unevaluatedItems"):
        return "may no longer have that many items"
    if keyword is None:
        return "is no longer taken"
    if keyword == "anyOf" or (keyword == "oneOf" and error.context):
        return _of_no_branch(error, held)
    if keyword == "oneOf":
        return f"fits more than one shape now: {_shown(held)}"
    return f"no longer takes {_shown(held)}: `{keyword}`"


def _of_no_branch(error: ValidationError, held: Any) -> str:
    kinds: list[str] = []
    for one in error.context or ():
        if one.validator != "type" or len(one.absolute_path) != len(error.absolute_path):
            return f"no longer takes {_shown(held)}"
        kinds += (
            [one.validator_value] if isinstance(one.validator_value, str) else one.validator_value
        )
    return f"must be {_kinds(kinds)}, not {_kind_of(held, kinds)}"


def _missing(path: list[str | int], rule: Any, held: Any) -> tuple[str, str]:
    if isinstance(rule, list) and isinstance(held, dict):
        gone = [name for name in rule if name not in held]
        if gone:
            where = [*path, gone[0]]
            return pointer_to(*where), f"{_called(where)} is now required"
    return pointer_to(*path), f"{_called(path)} is now required"


def _missing_beside(path: list[str | int], rule: Any, held: Any) -> tuple[str, str]:
    for name, needed in sorted(rule.items()):
        if isinstance(held, dict) and name in held and isinstance(needed, list):
            for one in needed:
                if one not in held:
                    where = [*path, one]
                    return pointer_to(*where), f"{_called(where)} is now required beside `{name}`"
    return pointer_to(*path), f"{_called(path)} lacks what another field needs beside it now"


def _unnamed(
    path: list[str | int], error: ValidationError, named: frozenset[str]
) -> tuple[str, str]:
    schema: dict[str, Any] = error.schema if isinstance(error.schema, dict) else {}
    known = schema.get("properties", {})
    by_pattern = {"patternProperties": schema.get("patternProperties", {})} if schema else {}
    extra = [
        name for name in error.instance if name not in known and not ruling([by_pattern], name)
    ]
    if not extra:
        return pointer_to(*path), f"{_called(path)} no longer takes {_shown(error.instance)}"
    where = [*path, extra[0]]
    if _in_general(where) in named:
        return pointer_to(*where), f"{_called(where)} is no longer taken"
    if isinstance(error.validator_value, dict):
        said = f"{_called(where)}, which it does not name, no longer takes"
        return pointer_to(*where), f"{said} {_shown(error.instance[extra[0]])}"
    if not path:
        return pointer_to(*where), f"arguments it does not name are refused now: `{_cut(extra[0])}`"
    said = f"{_called(path)} refuses fields it does not name now: `{_cut(extra[0])}`"
    return pointer_to(*where), said


def _in_general(path: Sequence[str | int]) -> str:
    return pointer_to(*("*" if isinstance(step, int) else step for step in path))


def _called(path: Sequence[str | int]) -> str:
    """Return how a place is called in a sentence."""
    if not path:
        return "the call"
    name = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return f"`{_cut(name.removeprefix('.'))}`"


def _kinds(names: Sequence[str]) -> str:
    told = [_KINDS.get(name, name) for name in dict.fromkeys(names)]
    return told[0] if len(told) == 1 else ", ".join(told[:-1]) + " or " + told[-1]


def _kind_of(held: Any, rule: Any) -> str:
    """Return what a value is; where only its fraction is wrong, the value."""
    if "integer" in rule and isinstance(held, int | float) and not isinstance(held, bool):
        return _shown(held)
    return _type_of(held)


def _shown(value: object) -> str:
    return _cut(json.dumps(value, ensure_ascii=False, sort_keys=True))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
