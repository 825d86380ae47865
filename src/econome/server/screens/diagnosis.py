"""The page `diagnosis`."""

from __future__ import annotations

from econome.server.screens.visit import Screen, Visit

__all__ = ["screen"]


def screen(visit: Visit) -> Screen:
    """Return the page."""
    return Screen("diagnosis", visit.telling.text("Diagnosis"), manual="diagnosis")
