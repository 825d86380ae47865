"""A witness made small: fewest fields and items, then the simplest values, as long as it still shows what it shows.

Of simple values those come first that people send: a server may refuse an empty text or a zero for reasons of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from econome.contract.readings import key_of

__all__ = ["shrunk"]

_MOST_TRIED = 400
_TEXT = "a"
_NUMBERS = (1, 2, 0, -1)
_LONGEST_SIMPLE = 8


def shrunk(value: Any, shows: Callable[[Any], bool]) -> Any:
    """Return the smallest that *value* can be made, step by step, while it *shows* what it did."""
    tried = 0
    smaller = True
    while smaller:
        smaller = False
        for other in _steps(value):
            tried += 1
            if tried > _MOST_TRIED:
                return value
            if shows(other):
                value, smaller = other, True
                break
    return value


def _steps(value: Any) -> Iterator[Any]:
    """Yield values that are a step simpler, the largest steps first."""
    yield from _fewer(value)
    if isinstance(value, dict):
        for name, held in value.items():
            for simpler in _simpler(held):
                yield {**value, name: simpler}
    elif isinstance(value, list):
        for nth, held in enumerate(value[:_LONGEST_SIMPLE]):
            for simpler in _simpler(held):
                yield [*value[:nth], simpler, *value[nth + 1 :]]


def _fewer(value: Any) -> Iterator[Any]:
    """Yield the objects that an object holds, then objects and arrays with half of their parts, a quarter, ... one less."""
    if isinstance(value, dict):
        yield from (held for held in value.values() if isinstance(held, dict))
    if isinstance(value, dict | list) and value:
        size = len(value)
        while size:
            for start in range(0, len(value), size):
                if isinstance(value, list):
                    yield value[:start] + value[start + size :]
                else:
                    gone = list(value)[start : start + size]
                    yield {name: held for name, held in value.items() if name not in gone}
            size //= 2


def _simpler(value: Any) -> Iterator[Any]:
    """Yield values that are simpler and of the same kind, or what is simpler inside."""
    if isinstance(value, dict | list):
        if value:
            yield from _steps(value)
    elif isinstance(value, str):
        if len(value) > 1:
            yield from (value[: len(value) // 2], value[:-1])
        if value != _TEXT:
            yield _TEXT
    elif isinstance(value, int | float) and not isinstance(value, bool):
        whole = int(value) if abs(value) < 1 << 60 else 0
        for one in (*_NUMBERS, whole // 2, whole):
            if _plainness(one) < _plainness(value):
                yield one
    elif value is True:
        yield False


def _plainness(number: int | float) -> tuple[int, float, bool, bool, str]:
    nth = _NUMBERS.index(int(number)) if number in _NUMBERS else len(_NUMBERS)
    size = min(abs(number), 1 << 60)
    return nth, size, number < 0, isinstance(number, float), key_of(number)
