"""What presets there are, where each comes from, and how well it did last: for the pages and the balance (D6)."""

from __future__ import annotations

import os
from typing import Any

from econome.delegation.scores import FILE, latest, read_scores
from econome.delegation.shipped import load_presets, presets_path, shipped_presets
from econome.errors import PresetError
from econome.settings import Settings

__all__ = ["list_presets", "scores_by_preset"]


def list_presets(settings: Settings) -> dict[str, Any]:
    """Return the report `econome.presets/1`: each preset with its last score.

    Raises:
        PresetError: the user's presets cannot be used.
    """
    path = presets_path(settings)
    shipped, scores = shipped_presets(), scores_by_preset(settings)
    return {
        "schema": "econome.presets/1",
        "own_file": path,
        "presets": [
            {
                "name": preset.name,
                "description": preset.description,
                "own": shipped.get(preset.name) != preset,
                "backend": preset.backend,
                "model": preset.model,
                "format": preset.format.name,
                "checks": len(preset.checks),
                "score": scores.get(preset.name),
            }
            for preset in load_presets(path).values()
        ],
    }


def scores_by_preset(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return the last score of each preset; `current` is false where the preset is not as it was then.

    A presets file that cannot be used makes none of them current, and is no failure here.
    """
    scores = latest(read_scores(os.path.join(settings.data_dir, FILE)))
    if not scores:
        return {}
    try:
        presets = load_presets(presets_path(settings))
    except PresetError:
        presets = {}
    return {
        name: {
            "passed": score.passed,
            "total": score.total,
            "backend": score.backend,
            "model": score.model,
            "date": score.date,
            "current": name in presets and presets[name].digest == score.digest,
        }
        for name, score in scores.items()
    }
