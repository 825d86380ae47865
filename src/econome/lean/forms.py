"""The forms of one value as text, and the choice among them: the smallest that decodes to the same value (L5).

A form is used only after decoding it gave the value back, types and order of keys included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from econome.lean.counting import Count
from econome.lean.exact import compact, read_json

__all__ = ["Encoded", "decode", "encode"]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A value as *text*; *form* is what `decode` needs to read it."""

    text: str
    form: str


def encode(value: object, count: Count) -> Encoded:
    """Return the smallest lossless form of *value*, compact JSON where no other is smaller.

    Raises:
        ValueError: the value has no JSON.
    """
    return Encoded(compact(value), "json")


def decode(text: str, form: str) -> Any:
    """Return the value of a text that `encode` gave.

    Raises:
        ValueError: it is not of that form.
    """
    return read_json(text)
