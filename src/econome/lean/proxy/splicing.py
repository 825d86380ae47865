"""Arguments and results whose parts stay the bytes they were, where the values are still the ones that were read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Raw

from econome.lean.proxy.wire import compact, joined, members, value_of

__all__ = ["Read", "read"]


class Read:
    """An object that was read: its values, and the bytes that each of them was."""

    __slots__ = ("raw", "values")

    def __init__(self, raw: Mapping[str, Raw], values: Mapping[str, Any]) -> None:
        self.raw, self.values = raw, values

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
        held = {
            name: self.raw[name]
            if name in self.raw and value is self.values[name]
            else compact(value)
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
    held = members(raw)
    if held is None:
        values = value_of(raw)
        if not isinstance(values, dict):
            raise ValueError("no object")
        held = {name: Raw(compact(value)) for name, value in values.items()}
        return Read(held, values)
    return Read(held, {name: value_of(part) for name, part in held.items()})
