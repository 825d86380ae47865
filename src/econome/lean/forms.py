"""The forms of one value as text, and the choice among them: the smallest that decodes to the same value (L5).

A form is used only after decoding it gave the value back, types and order of keys included, and only where it is smaller in
tokens as counted, in bytes, and by a second measure (`caution.py`): an estimate errs. What cannot win is not written: where
there are rows, a table is TOON without its indentation; where there are none, a table spares no more than quotes. So TOON,
which is slow to read, is for small values without rows. Above a million characters only compact JSON is considered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from econome.lean.caution import cheaper, surely
from econome.lean.counting import Count
from econome.lean.exact import compact, read_json, same
from econome.lean.rows import Unfit
from econome.lean.tables import BELOW, SAME, table
from econome.lean.untables import untable

__all__ = ["Encoded", "decode", "encode", "has_forms", "toon"]

_SMALLEST = 60  # characters below which a form could spare a token or two, or cost them
_WORTH = 0.95  # the share of the letters above which a form is never enough of its pieces less
_FEW_CELLS = 4  # two rows of two fields: with fewer, a head costs what it spares
_LONG_LIST = 8  # entries of a list from which leaving out their quotes may show
_LARGEST_TABLE = 1_000_000
_LARGEST_TOON = 4_000
_LARGEST_VARIANTS = (
    1_000  # above, the line that explains marks and the heads of nested rows do not matter
)
_ROWS = re.compile(r"^ *[^\t:]*[\]}](?: |$)", re.MULTILINE)
_DEEPEST = 24
_NESTED = {dict, list}
_DELIMITERS = {"toon": ",", "toon-tab": "\t", "toon-pipe": "|"}


class _Shape(IntEnum):
    """What a value is made of: several objects or lists side by side, lists of scalars, or neither."""

    NEITHER = 0
    LISTS = 1
    ROWS = 2


@dataclass(frozen=True, slots=True)
class Encoded:
    """A value as *text*; *form* (`json`, `table`, `toon`, `toon-tab`, `toon-pipe`) is what `decode` needs to read it.

    *tokens* is how many it was counted to be, None where nobody had to know.
    """

    text: str
    form: str
    tokens: int | None = None


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


def encode(value: object, count: Count, json: str | None = None) -> Encoded:
    """Return the smallest lossless form of *value*, compact JSON where no other is smaller.

    *json* is its compact JSON, where that is known already.

    Raises:
        ValueError: the value has no JSON.
    """
    plain = compact(value) if json is None else json
    if type(value) not in (dict, list) or len(plain) < _SMALLEST:
        return Encoded(plain, "json")
    most = len(plain) * _WORTH
    others = [(text, form) for text, form in _others(value, len(plain)) if len(text) < most]
    if not others:
        return Encoded(plain, "json")
    tokens = count(plain)
    ranked = sorted(
        (Encoded(text, form, count(text)) for text, form in others), key=lambda one: one.tokens or 0
    )
    for form in ranked:
        if (form.tokens or 0) >= tokens:
            break
        if surely(form.text, plain) or cheaper(form.text, plain, _share(form)):
            if _holds(form, value):
                return form
    return Encoded(plain, "json", tokens)


def _share(form: Encoded) -> float:
    """Return the share of its JSON that a form may cost: what has no rows spares only quotes, which cost little."""
    if form.form == "table":
        return 0.93 if _ROWS.search(form.text) else 0.85
    return 0.8 if form.form == "toon-pipe" else 0.88


def _others(value: object, size: int) -> Iterator[tuple[str, str]]:
    if size > _LARGEST_TABLE:
        return
    shape = _shape(value)
    if shape is _Shape.ROWS:
        yield from _tables(value, size)
    elif shape is _Shape.LISTS and size <= _LARGEST_TOON:
        for form, delimiter in _DELIMITERS.items():
            try:
                yield toon(value, delimiter), form
            except ValueError:
                continue


def _tables(value: object, size: int) -> Iterator[tuple[str, str]]:
    found: list[str] = []
    for rich in (True, False):
        for blocks in (True, False):
            try:
                found.append(table(value, rich=rich, blocks=blocks))
            except Unfit:
                continue
            if size > _LARGEST_VARIANTS:
                break
            if BELOW not in found[-1] and SAME not in found[-1]:
                break  # nothing goes beneath a row, so the other way is the same
        if found and (size > _LARGEST_VARIANTS or not found[0].startswith("(")):
            break
    yield from ((text, "table") for text in dict.fromkeys(found))


def has_forms(value: object) -> bool:
    """Tell whether *value* could have another form than JSON that is smaller."""
    return _shape(value) is not _Shape.NEITHER


def _shape(value: object, deeper: int = _DEEPEST) -> _Shape:
    """Return the most of what *value* holds that could stand on lines under one head, or in one line."""
    kids: Collection[Any]
    if type(value) is dict:
        kids, fewest = value.values(), 3
    elif type(value) is list:
        kids, fewest = value, 2
    else:
        return _Shape.NEITHER
    kinds = set(map(type, kids))
    found = _Shape.NEITHER
    if type(value) is list and len(kids) >= _LONG_LIST:
        found = _Shape.LISTS
    if kinds.isdisjoint(_NESTED) or not deeper:
        return found
    alike = kinds == {dict} or (kinds == {list} and type(value) is list)
    if alike and len(kids) >= fewest and sum(map(len, kids)) >= _FEW_CELLS:
        return _Shape.ROWS
    for kid in kids:
        if type(kid) in _NESTED:
            found = max(found, _shape(kid, deeper - 1))
            if found is _Shape.ROWS:
                break
    return found


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
