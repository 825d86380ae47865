"""What `econome presets` says, apart from the failures."""

from __future__ import annotations

__all__ = ["PRESETS", "PRESETS_COLUMNS", "PRESETS_HELP", "PRESETS_OPTIONS", "PRESETS_TEST_HELP"]

PRESETS_HELP = (
    "The presets: named ways to ask a model, those that econome brings and your own.\n\n"
    "Your own stand in presets.toml beside config.toml; one of the same name takes the place of ours."
)

PRESETS_TEST_HELP = (
    "Run the own checks of presets on a model, and keep the score.\n\n"
    "NAME is a preset; without one, all that have checks. A score is no pass: it says how far a model can be trusted with "
    "a preset, beside what the balance says. The first answer counts."
)

PRESETS_OPTIONS = {
    "backend": "The backend to run on, instead of the preset's or the usual one.",
    "json": "Print JSON, see docs/json.md.",
}

PRESETS = {
    "own": "yours",
    "shipped": "econome",
    "outdated": "{score}, outdated",
    "no_score": "-",
    "any": "usual",
    "where": "Your own presets: {path}",
    "next": "`econome presets test` runs the checks of a preset on a model and keeps the score.",
    "unknown": "{name}: no such preset; there are {known}",
    "no_checks": "{name} has no checks",
    "trial": "{preset} on {backend}",
    "held": "held    {brief}",
    "missed": "missed  {brief} — {reasons}",
    "score": "{preset}: {passed} of {total} on {backend} ({model})",
    "no_model": "{preset}: no answer from {backend}; no score is kept",
}

PRESETS_COLUMNS = {
    "name": "preset",
    "format": "format",
    "backend": "backend",
    "origin": "from",
    "score": "score",
    "model": "model",
    "description": "for",
}
