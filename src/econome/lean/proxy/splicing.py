"""Arguments and results whose parts stay the bytes they were, where the values are still the ones that were read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Raw

from econome.lean.proxy.wire import joined, json_of, members, value_of

__all__ = ["Read", "read", "read_in_part"]

_DEEPEST = 2


class Read:
    """An object that was read: its values, and the bytes that each of them was."""

    __slots__ = ("_members", "_raw", "values")

    def __init__(self, raw: bytes | Raw, values: Mapping[str, Any]) -> None:
        self._raw, self.values = raw, values
        self._members: Mapping[str, Raw] | None = None

    @property
    def raw(self) -> Mapping[str, Raw]:
        """Return the bytes of each member."""
        if self._members is None:
            self._members = members(self._raw) or {}
        return self._members

    def without(self, name: str) -> bytes:
        """Return the object as it was but for one member."""
        return joined({key: raw for key, raw in self.raw.items() if key != name})

    def bytes_of(self, wanted: Mapping[str, Any]) -> bytes:
        """Return *wanted* as JSON: a value that is one of these, or one of the values within one, keeps its bytes."""
        for name, value in self.values.items():
            if value is wanted:
                return bytes(self.raw[name])
        for name, value in self.values.items():
            if isinstance(value, dict) and wanted and _all_from(wanted, value):
                inner = members(self.raw[name])
                if inner is not None and not _all_from(wanted, self.values):
                    return joined({key: inner[key] for key in wanted})
        if not any(self.values.get(name) is value for name, value in wanted.items()):
            return json_of(wanted)
        held = {
            name: self.raw[name]
            if name in self.raw and value is self.values[name]
            else json_of(value)
            for name, value in wanted.items()
        }
        return joined(held)


def _all_from(wanted: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    return all(name in values and value is values[name] for name, value in wanted.items())


def read(raw: bytes | Raw) -> Read:
    """Read an object.

    Raises:
        ValueError: it is none.
    """
    values = value_of(raw)
    if not isinstance(values, dict):
        raise ValueError("no object")
    return Read(raw, values)


def read_in_part(raw: bytes | Raw) -> Read:
    """Read an object; what no strict reader takes in it (NaN, 1e400, what is too deep) is a `Raw` in the place of a value.

    Raises:
        ValueError: it is no object.
    """
    try:
        return read(raw)
    except ValueError:
        values = _in_part(raw, 0)
    if not isinstance(values, dict):
        raise ValueError("no object")
    return Read(raw, values)


def _in_part(raw: bytes | Raw, depth: int) -> object:
    try:
        return value_of(raw)
    except ValueError:
        held = members(raw) if depth < _DEEPEST else None
    if held is None:
        return Raw(bytes(raw))
    return {name: _in_part(value, depth + 1) for name, value in held.items()}
