"""The presets as a table."""

from __future__ import annotations

from typing import Any

from econome.cli.presets_texts import PRESETS, PRESETS_COLUMNS
from econome.cli.render.below import show_with_below
from econome.cli.render.figures import plain
from econome.cli.render.screen import ACCENT, FAINT, Screen
from econome.cli.render.table import Column

__all__ = ["score_text", "show"]


def show(screen: Screen, report: dict[str, Any]) -> None:
    """Print the presets, and where one's own belong."""
    rows = report["presets"]
    cells = {
        "name": [plain(row["name"]) for row in rows],
        "format": [row["format"] for row in rows],
        "backend": [plain(row["backend"] or PRESETS["any"]) for row in rows],
        "origin": [PRESETS["own" if row["own"] else "shipped"] for row in rows],
        "score": [score_text(row["score"]) for row in rows],
        "model": [_model(row["score"]) for row in rows],
        "description": [plain(row["description"]) for row in rows],
    }
    looks: dict[str, dict[str, Any]] = {
        "name": {"name": True, "style": ACCENT},
        "backend": {"left": True, "yields": 3},
        "origin": {"left": True, "yields": 4},
        "model": {"name": True, "yields": 1},
        "description": {"name": True, "least": 20, "yields": 2},
    }
    columns = [
        Column(PRESETS_COLUMNS[name], texts, **looks.get(name, {"left": True}))
        for name, texts in cells.items()
    ]
    show_with_below(screen, columns, PRESETS_COLUMNS["description"], cells["description"])
    screen.line()
    screen.line(PRESETS["where"].format(path=plain(report["own_file"])), style=FAINT)
    screen.prose(PRESETS["next"], style=FAINT)


def score_text(score: dict[str, Any] | None) -> str:
    """Return a score in words: ``2 of 3``, and whether it is of an earlier state of the preset."""
    if score is None:
        return PRESETS["no_score"]
    text = f"{score['passed']} of {score['total']}"
    return text if score["current"] else PRESETS["outdated"].format(score=text)


def _model(score: dict[str, Any] | None) -> str:
    return PRESETS["no_score"] if score is None else plain(score["model"])
