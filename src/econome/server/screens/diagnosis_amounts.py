"""Figures of a diagnosis as words: lengths of time, and a worth with what is missing in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = ["amount", "length"]

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def length(told: Telling, seconds: int | None) -> str:
    """Return a length of time in its two greatest units."""
    if seconds is None:
        return told.text("n/a")
    if seconds < _MINUTE:
        return told.text("{seconds} s", seconds=seconds)
    if seconds < _HOUR:
        return told.text("{minutes} min", minutes=seconds // _MINUTE)
    if seconds < _DAY:
        hours, rest = divmod(seconds, _HOUR)
        return told.text("{hours} h {minutes} min", hours=hours, minutes=rest // _MINUTE)
    days, rest = divmod(seconds, _DAY)
    return told.text("{days} d {hours} h", days=told.count(days), hours=rest // _HOUR)


def amount(told: Telling, worth: Mapping[str, Any]) -> str:
    """Return an amount of USD; where something of it has no price, that it is at least so much (P4)."""
    text = told.usd(worth["usd"])
    return f"≥ {text}" if worth["partial"] and worth["usd"] is not None else text
