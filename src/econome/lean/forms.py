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
_LARGEST_VARIANTS = (
    1_000  # above, the line that explains marks and the heads of nested rows do not matter
)
_ROWS = re.compile(r"^ *[^\t:]*[\]}](?: |$)", re.MULTILINE)
_DEEPEST = 24
_NESTED = {dict, list}
_DELIMITERS = {"toon": ",", "toon-tab": "\t", "toon-pipe": "|"}


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
    others = [(text, form) for text, form in _others(value, len(plain)) if len(text) < len(plain)]
    if not others:
        return Encoded(plain, "json")
    tokens = count(plain)
    ranked = sorted(
        (Encoded(text, form, count(text)) for text, form in others), key=lambda one: one.tokens or 0
    )
    for form in ranked:
        smaller = form.tokens is not None and form.tokens < tokens
        if smaller and cheaper(form.text, plain, _share(form)) and _holds(form, value):
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
    if _has_rows(value):
        yield from _tables(value, size)
    elif size <= _LARGEST_TOON:
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


def _has_rows(value: object, deeper: int = _DEEPEST) -> bool:
    """Tell whether lines under one head could hold any of *value*: several objects or lists that stand side by side."""
    kids: Collection[object]
    if type(value) is dict:
        kids, fewest = value.values(), 3
    elif type(value) is list:
        kids, fewest = value, 2
    else:
        return False
    kinds = set(map(type, kids))
    if kinds.isdisjoint(_NESTED) or not deeper:
        return False
    if len(kids) >= fewest and (kinds == {dict} or (kinds == {list} and type(value) is list)):
        return True
    return any(_has_rows(kid, deeper - 1) for kid in kids)


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
