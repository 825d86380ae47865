"""Reading JSON, and Python literals, so that nothing is lost; compact JSON as the one sign of sameness.

A text that cannot be read without loss (a key twice, a number that no float holds, a lone surrogate) is refused, never repaired.
What is written again byte for byte was read without loss: so most texts need no second look.
"""

from __future__ import annotations

import json
import re
from ast import literal_eval
from decimal import Decimal
from typing import Any

import msgspec

__all__ = ["LONGEST", "compact", "read_compact", "read_json", "read_literal", "same", "written"]

LONGEST = 16_000_000
"""Texts of more characters are not read at all: they pass as they are."""

_LONGEST_LITERAL = 500_000
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_READ = msgspec.json.Decoder().decode
_WRITE = msgspec.json.Encoder().encode
_FAULTS = (msgspec.MsgspecError, TypeError, ValueError, RecursionError)

_MINUS_ZERO = re.compile(r"-0\s*[,\]}]|-0\s*\Z")
_STRINGS = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|None|True|False""", re.DOTALL)
_CONSTANTS = {"None": "null", "True": "true", "False": "false"}


def compact(value: object) -> str:
    """Return *value* as compact JSON; two values have one text exactly where types and order agree too.

    Raises:
        ValueError: it has no such text: not finite, or too deep.
        TypeError: it holds what JSON does not know.
    """
    try:
        return _encode(value)
    except RecursionError:
        raise ValueError("nested too deep") from None


def written(value: object) -> str:
    """Return what was read from JSON as compact JSON: quicker than `compact`, since nothing in it is beyond JSON.

    Very small and very large floats are written as JavaScript writes them.

    Raises:
        ValueError: it holds a lone surrogate, or is nested too deep.
    """
    try:
        return _WRITE(value).decode()
    except RecursionError:
        raise ValueError("nested too deep") from None


def same(one: object, other: object) -> bool:
    """Tell whether both are the same value: `1` is not `1.0`, and the order of keys counts."""
    try:
        if _WRITE(one) != _WRITE(other):
            return False
        if one == other:  # what JSON does not know may be written alike
            return True
    except _FAULTS:
        pass
    try:
        return compact(one) == compact(other)
    except (TypeError, ValueError):
        return False


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def _float(text: str) -> float:
    number = float(text)
    if repr(number) != text and Decimal(repr(number)) != Decimal(text):
        raise ValueError("a number that no float holds")
    return number


def _constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


_decode = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=_float, parse_constant=_constant
).decode


def read_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is no JSON, is too long or too deep, or would lose something.
    """
    return read_compact(text)[0]


def read_compact(text: str) -> tuple[Any, str]:
    """Return the value of a JSON text, and its compact JSON.

    Raises:
        ValueError: it is no JSON, is too long or too deep, or would lose something.
    """
    if len(text) > LONGEST:
        raise ValueError("too long")
    try:
        value = _READ(text)
        again = _WRITE(value)
        if again == msgspec.json.format(text.encode(), indent=-1):
            return value, again.decode()
    except msgspec.ValidationError:  # a number that a double does not hold
        pass
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise ValueError("no JSON") from None
    value = _strictly(text)
    return value, written(value)


def _strictly(text: str) -> Any:
    if "-0" in text and _MINUS_ZERO.search(text):
        raise ValueError("a number that no int holds")
    try:
        value = _decode(text)
        compact(value).encode()  # a lone surrogate has no bytes
    except (RecursionError, ArithmeticError):
        raise ValueError("nested too deep, or no number") from None
    return value


def read_literal(text: str) -> Any:
    """Return the value of a Python list or dict of JSON's types, as `repr` writes it.

    Raises:
        ValueError: it is none, or `repr` would write it otherwise.
    """
    if len(text) > _LONGEST_LITERAL:
        raise ValueError("too long")
    try:
        value = _READ(_as_json(text))
        if repr(value) == text:  # however it was read
            return value
    except _FAULTS:
        pass
    try:
        value = literal_eval(text)
        if repr(value) != text or not _plain(value):
            raise ValueError("no literal of JSON's types")
        compact(value).encode()
    except (SyntaxError, RecursionError, MemoryError, TypeError):
        raise ValueError("no literal") from None
    return value


def _as_json(text: str) -> str:
    """Return a literal of Python's as JSON, where it is written as it mostly is; else as something that is no JSON."""
    if '"' in text or "\\" in text:
        return _STRINGS.sub(_one_as_json, text)
    parts = text.split("'")
    outside = "'".join(parts[::2])
    for own, other in _CONSTANTS.items():
        outside = outside.replace(own, other)
    parts[::2] = outside.split("'")
    return '"'.join(parts)


def _one_as_json(found: re.Match[str]) -> str:
    said = found[0]
    if said[0] == "'":
        inner = said[1:-1].replace('"', '\\"').replace("\\'", "'")
        return f'"{inner}"'
    return _CONSTANTS.get(said, said)


def _plain(value: object) -> bool:
    if type(value) is dict:
        return all(type(key) is str and _plain(entry) for key, entry in value.items())
    if type(value) is list:
        return all(map(_plain, value))
    return value is None or type(value) in (str, int, float, bool)
