"""Readers of the forms that answers come in, written from their descriptions and not from what writes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from toon_format import decode as read_toon

from bench.lean.tables import read_table

__all__ = ["readings"]


def _json(text: str) -> Any:
    return json.loads(text)


def _toon(text: str) -> Any:
    return read_toon(text)


_READERS: tuple[tuple[str, Callable[[str], Any]], ...] = (
    ("json", _json),
    ("table", read_table),
    ("toon", _toon),
)


def readings(text: str) -> Iterator[tuple[str, Any]]:
    """Yield each form that *text* can be read as, with the value it then holds."""
    for form, read in _READERS:
        try:
            value = read(text)
        except Exception:
            continue
        yield form, value
