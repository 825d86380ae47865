"""What is said where there is no transcript at all (R1)."""

from __future__ import annotations

from typing import Any

from econome.cli.render.figures import plain
from econome.cli.render.screen import ACCENT, FAINT, Screen
from econome.cli.texts import NOTES
from econome.settings import Settings

__all__ = ["anything", "nothing_found", "nowhere"]


def nothing_found(
    screen: Screen, report: dict[str, Any], settings: Settings, roots: list[str] | None
) -> bool:
    """Say where was looked and what to do, if no transcript was there; return whether that is so."""
    if anything(report):
        return False
    nowhere(screen, settings, roots)
    return True


def anything(report: dict[str, Any]) -> bool:
    """Say whether a report rests on any transcript, on disk or in history."""
    return any(report["coverage"][name] for name in ("files", "unreadable", "responses"))


def nowhere(screen: Screen, settings: Settings, roots: list[str] | None) -> None:
    """Say where transcripts were looked for and what to do."""
    screen.line(NOTES["nothing"])
    for place in roots or settings.places():
        screen.line(f"  {plain(place)}", style=ACCENT)
    screen.line(NOTES["nothing_next"], style=FAINT)
