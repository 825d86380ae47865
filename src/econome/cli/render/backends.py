"""The models that work can be handed to, as a table."""

from __future__ import annotations

from typing import Any

from econome.cli.backends_texts import BACKENDS, BACKENDS_COLUMNS, ORIGINS
from econome.cli.render.below import show_with_below
from econome.cli.render.figures import plain
from econome.cli.render.screen import ACCENT, FAINT, LOUD, Screen
from econome.cli.render.table import Column

__all__ = ["show"]


def show(screen: Screen, report: dict[str, Any]) -> None:
    """Print what there is, and what would be used."""
    rows = report["backends"]
    models = [plain(row["reason"] or ", ".join(row["models"])) for row in rows]
    addresses = [plain(row["url"] or BACKENDS["no_address"]) for row in rows]
    columns = [
        Column(BACKENDS_COLUMNS["name"], [plain(row["name"]) for row in rows], style=ACCENT, name=True),
        Column(BACKENDS_COLUMNS["origin"], [ORIGINS[row["origin"]] for row in rows], left=True),
        Column(BACKENDS_COLUMNS["url"], addresses, left=True, yields=1),
        Column(BACKENDS_COLUMNS["models"], models, name=True, least=20),
    ]  # fmt: skip
    show_with_below(screen, columns, BACKENDS_COLUMNS["models"], models)
    screen.line()
    if not report["detect"]:
        screen.prose(BACKENDS["not_looked"], style=FAINT)
    if report["usual"] is None:
        screen.prose(BACKENDS["none"].format(reason=plain(report["usual_reason"])), style=LOUD)
    else:
        facts = {"name": plain(report["usual"]), "model": plain(report["usual_model"])}
        screen.prose(BACKENDS["usual"].format(**facts))
    coder = report["coder"]
    if coder["ready"]:
        facts = {"path": plain(coder["path"]), "usual": plain(report["usual"])}
        screen.prose(BACKENDS["coder"].format(**facts))
    else:
        screen.prose(BACKENDS["no_coder"].format(reason=plain(coder["reason"])), style=FAINT)
