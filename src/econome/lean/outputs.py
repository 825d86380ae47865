"""The root fields of what a tool answers, by name, and whether it is rows of them, from the type it is annotated with (L8).

It reads pydantic models, dataclasses, typed dictionaries and msgspec structs without importing the libraries they are made
with, and looks through lists, optional values and unions. A type it does not know has no fields; that is never an error.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin

from econome.lean.selects import root_fields

__all__ = ["DEEPEST", "Output", "fields_of_type", "is_rows", "return_type"]

DEEPEST: Final = 20
"""How many layers of lists, options and references are looked through."""


class Output(NamedTuple):
    """What is known of the data of a tool: its root fields, and whether they are those of rows."""

    fields: tuple[str, ...] = ()
    rows: bool = False

    @classmethod
    def of(cls, kind: Any) -> Output:
        """Return what a type, or an output schema, tells."""
        return cls(fields_of_type(kind), is_rows(kind))


def return_type(function: Callable[..., object]) -> Any:
    """Return what *function* is annotated to return, None where that is nothing or cannot be known."""
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError, AttributeError):
        return None
    return hints.get("return")


def fields_of_type(kind: Any, depth: int = DEEPEST) -> tuple[str, ...]:
    """Return the names of the root fields of a type as they are on the wire, in their order."""
    if depth < 1 or kind is None:
        return ()
    if isinstance(kind, Mapping):
        return root_fields(kind)
    inner = _inner(kind)
    if inner is not None:
        found = (name for one in inner for name in fields_of_type(one, depth - 1))
        return tuple(dict.fromkeys(found))
    return _own_fields(kind)


def is_rows(kind: Any) -> bool:
    """Tell whether the values of a type, or of an output schema, are lists."""
    if isinstance(kind, Mapping):
        inside = kind.get("properties")
        if isinstance(inside, Mapping) and set(inside) == {"result"}:
            return is_rows(inside["result"])
        return kind.get("type") == "array"
    origin = get_origin(kind)
    if isinstance(origin, type) and not hasattr(kind, "__value__"):
        if origin not in (Annotated, types.UnionType):
            return hasattr(origin, "__iter__") and not issubclass(origin, Mapping)
    return any(map(is_rows, _inner(kind) or ()))


def _inner(kind: Any) -> tuple[Any, ...] | None:
    """Return the types that *kind* is but a layer around, None where it is none."""
    origin, arguments = get_origin(kind), get_args(kind)
    if hasattr(kind, "__value__"):  # an alias made by `type X = …`
        return (kind.__value__,)
    if origin is Annotated:
        return (arguments[0],)
    if origin in (typing.Union, types.UnionType):
        return tuple(one for one in arguments if one is not type(None))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return ()
    if origin is not None and arguments and hasattr(origin, "__iter__"):
        return tuple(one for one in arguments if one is not ...)
    return (origin,) if origin is not None else None


def _own_fields(kind: Any) -> tuple[str, ...]:
    encoded = getattr(kind, "__struct_encode_fields__", None)
    if isinstance(encoded, tuple):
        return encoded
    models = getattr(kind, "model_fields", None)
    if isinstance(models, Mapping):
        return _of_model(kind, models)
    if dataclasses.is_dataclass(kind):
        return tuple(one.name for one in dataclasses.fields(kind))
    if typing.is_typeddict(kind) or hasattr(kind, "__total__"):
        return tuple(getattr(kind, "__annotations__", ()))
    return ()


def _of_model(kind: Any, fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names under which a pydantic model dumps its fields, those it computes last."""
    names = [
        field.serialization_alias or field.alias or name
        for name, field in fields.items()
        if field.exclude is not True
    ]
    computed = getattr(kind, "model_computed_fields", {})
    return (*names, *(field.alias or name for name, field in computed.items()))
