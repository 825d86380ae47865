"""The forms of one value as text, and the choice among them: the smallest that decodes to the same value (L5).

A form is used only after decoding it gave the value back, types and order of keys included, and only where it is smaller in
tokens as counted, in bytes, and by a second measure (`caution.py`): an estimate errs. Time is bounded: above a million
characters only compact JSON is considered. TOON, which is slow to write, is for small values: where there are rows, a table is
its form without the indentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from econome.lean.caution import cheaper
from econome.lean.counting import Count
from econome.lean.exact import compact, read_json, same
from econome.lean.rows import Unfit
from econome.lean.tables import BELOW, SAME, table
from econome.lean.untables import untable

__all__ = ["Encoded", "decode", "encode", "toon"]

_SMALLEST = 60  # characters below which a form could spare a token or two, or cost them
_LARGEST_TABLE = 1_000_000
_LARGEST_TOON = 4_000
_LARGEST_VARIANTS = 60_000
_ROWS = re.compile(r"^ *[^\t:]*[\]}](?: |$)", re.MULTILINE)
_DELIMITERS = {"toon": ",", "toon-tab": "\t", "toon-pipe": "|"}


@dataclass(frozen=True, slots=True)
class Encoded:
    """A value as *text*; *form* (`json`, `table`, `toon`, `toon-tab`, `toon-pipe`) is what `decode` needs to read it."""

    text: str
    form: str


def toon(value: object, delimiter: str = ",") -> str:
    """Return *value* in TOON, by the faster of its codecs that is installed; the official one checks what is sent.

    Raises:
        ValueError: it has no such form.
    """
    dumps: Callable[..., str]
    try:
        from toons import dumps
    except ImportError:
        from toon_format import dumps
    try:
        return dumps(value, delimiter=delimiter)
    except (OverflowError, RecursionError, TypeError) as fault:
        raise ValueError("no TOON") from fault


def encode(value: object, count: Count) -> Encoded:
    """Return the smallest lossless form of *value*, compact JSON where no other is smaller.

    Raises:
        ValueError: the value has no JSON.
    """
    best = Encoded(compact(value), "json")
    if type(value) not in (dict, list) or len(best.text) < _SMALLEST:
        return best
    tokens = count(best.text)
    ranked: list[tuple[int, int, Encoded]] = []
    for place, other in enumerate(_others(value, len(best.text))):
        own = count(other.text)
        if own < tokens:
            ranked.append((own, place, other))
    for _, _, form in sorted(ranked, key=lambda one: one[:2]):
        if cheaper(form.text, best.text, _share(form)) and _holds(form, value):
            return form
    return best


def _share(form: Encoded) -> float:
    """Return the share of its JSON that a form may cost: what has no rows spares only quotes, which cost little."""
    if form.form == "table":
        return 0.93 if _ROWS.search(form.text) else 0.85
    return 0.8 if form.form == "toon-pipe" else 0.88


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
            except ValueError:
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
