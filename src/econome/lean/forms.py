"""The forms of one value as text, and the choice among them: the smallest that decodes to the same value (L5).

A form is used only after decoding it gave the value back, types and order of keys included, and only where it is smaller both
in tokens, as counted, and in bytes: an estimate errs. Time is bounded: above a million characters only compact JSON is
considered, TOON only for small values, since it is slow to write and a table is smaller where there are rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from econome.lean.counting import Count
from econome.lean.exact import compact, read_json, same
from econome.lean.rows import Unfit
from econome.lean.tables import BELOW, SAME, table
from econome.lean.untables import untable

__all__ = ["Encoded", "decode", "encode", "toon"]

_LARGEST_TABLE = 1_000_000
_LARGEST_TOON = 4_000
_LARGEST_VARIANTS = 60_000
_DELIMITERS = {"toon": ",", "toon-tab": "\t", "toon-pipe": "|"}


@dataclass(frozen=True, slots=True)
class Encoded:
    """A value as *text*; *form* (`json`, `table`, `toon`, `toon-tab`, `toon-pipe`) is what `decode` needs to read it."""

    text: str
    form: str


def toon(value: object, delimiter: str = ",") -> str:
    """Return *value* in TOON, as the official codec writes it."""
    from toon_format import dumps

    return str(dumps(value, delimiter=delimiter))


def encode(value: object, count: Count) -> Encoded:
    """Return the smallest lossless form of *value*, compact JSON where no other is smaller.

    Raises:
        ValueError: the value has no JSON.
    """
    best = Encoded(compact(value), "json")
    if type(value) not in (dict, list) or not value:
        return best
    size = len(best.text.encode())
    ranked = [(count(best.text), 0, best)]
    for place, other in enumerate(_others(value, len(best.text)), start=1):
        if len(other.text.encode()) < size:
            ranked.append((count(other.text), place, other))
    for _, _, form in sorted(ranked, key=lambda one: one[:2]):
        if form is best or _holds(form, value):
            return form
    return best


def _others(value: object, size: int) -> Iterator[Encoded]:
    if size > _LARGEST_TABLE:
        return
    for rich in (True, False) if size <= _LARGEST_VARIANTS else (True,):
        for blocks in (True, False):
            try:
                text = table(value, rich=rich, blocks=blocks)
            except Unfit:
                continue
            yield Encoded(text, "table")
            if BELOW not in text and SAME not in text:
                break  # nothing goes beneath a row, so the other way is the same
    if size <= _LARGEST_TOON:
        for form, delimiter in _DELIMITERS.items():
            try:
                yield Encoded(toon(value, delimiter), form)
            except (ValueError, RecursionError):
                continue


def _holds(form: Encoded, value: object) -> bool:
    try:
        return same(decode(form.text, form.form), value)
    except ValueError:
        return False


def decode(text: str, form: str) -> Any:
    """Return the value of a text that `encode` gave.

    Raises:
        ValueError: it is not of that form.
    """
    if form == "json":
        return read_json(text)
    if form == "table":
        return untable(text)
    if form not in _DELIMITERS:
        raise ValueError(f"{form}: no form")
    from toon_format import loads

    try:
        return loads(text)
    except (IndexError, KeyError, TypeError, RecursionError) as fault:
        raise ValueError("no TOON") from fault
