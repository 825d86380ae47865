"""The page of what was consumed (V)."""

from __future__ import annotations

from econome.server.screens.visit import Screen, Visit

__all__ = ["screen"]


def screen(visit: Visit) -> Screen:
    """Return the page of the period that the address names."""
    return Screen("usage", visit.telling.text("Usage"), manual="usage")
