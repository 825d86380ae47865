"""The page `session`."""

from __future__ import annotations

from econome.server.screens.visit import Screen, Visit

__all__ = ["screen"]


def screen(visit: Visit) -> Screen:
    """Return the page."""
    return Screen("session", visit.telling.text("Session"), manual="session")
