"""What marks look like: classes, each with the properties that it has, and the inks of the light theme.

A page takes them from `charts.css`, in the theme of its reader; a drawing that stands alone is written with them, since
no policy of a page and no program that shows pictures takes attributes away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from econome.server.charts.values import PLACES, PLAIN

__all__ = ["CLASSES", "DASHES", "INKS", "STEPS", "ink", "patterns", "written_out"]

STEPS: Final = 5
"""So many steps has a scale from little to much."""

INKS: Final[Mapping[str, str]] = {
    "ground": "#faf9f6",
    "text": "#22282a",
    "quiet": "#5c6668",
    "line": "#dcdad2",
    "edge": "#8b8f88",
    "ink": "#faf9f6",
    "track": "#efede6",
    "part-0": "#326e5f",
    "part-1": "#b9840c",
    "part-2": "#4f8dd7",
    "part-3": "#5d1a2e",
    "part-4": "#a95304",
    "part-5": "#054867",
    "part-6": "#7556ab",
    "part-7": "#594606",
    "part-rest": "#818789",
    "part-plain": "#5f758c",
    "heat-0": "#efede6",
    "heat-1": "#c2d9cf",
    "heat-2": "#9dc3b4",
    "heat-3": "#689f8b",
    "heat-4": "#357662",
    "heat-5": "#0f4436",
}
"""The inks of the light theme, named like the custom properties of `charts.css`."""

DASHES: Final = ("none", "7 3", "2 3", "9 3 2 3", "4 4", "12 4", "1 4", "6 3 1 3 1 3")
"""How the line of each place is broken; the neutral one is whole, and thin."""

_TEXT: Final = {"fill": "text", "font-size": "12px"}
_QUIET: Final = {"fill": "quiet", "font-size": "12px"}
_PLACES: Final = (*map(str, range(PLACES)), "rest", "plain")

CLASSES: Final[Mapping[str, Mapping[str, str]]] = {
    "chart": _TEXT,
    "label": {**_QUIET, "text-anchor": "middle"},
    "start": {"text-anchor": "start"},
    "end": {"text-anchor": "end"},
    "tick": {**_QUIET, "text-anchor": "end"},
    "name": _TEXT,
    "centre": {"fill": "text", "font-size": "20px", "text-anchor": "middle"},
    "smaller": {"font-size": "15px"},
    "rule": {"stroke": "line", "stroke-width": "1px"},
    "zero": {"stroke": "edge", "stroke-width": "1px"},
    "hit": {"fill": "none", "stroke": "none", "pointer-events": "all"},
    "cut": {"stroke": "ground", "stroke-width": "1px"},
    "frame": {"fill": "ground", "stroke": "line", "stroke-width": "1px"},
    "none": {"fill": "none", "stroke": "line", "stroke-width": "1px"},
    "ink": {"fill": "none", "stroke": "ink", "stroke-width": "1.5px"},
    "ink-dot": {"fill": "ink"},
    "track": {"fill": "track"},
    "told": {
        "text-anchor": "end", "paint-order": "stroke", "stroke": "ground", "stroke-width": "6px",
    },
    **{f"part-{place}": {"fill": f"part-{place}"} for place in _PLACES},
    **{
        f"line-{place}": {
            "fill": "none", "stroke": f"part-{place}", "stroke-width": "2px" if dash else "1px",
            "stroke-dasharray": dash or "none",
        }
        for place, dash in zip(_PLACES, (*DASHES, "", "none"), strict=True)
    },
    **{f"dot-{place}": {"fill": f"part-{place}"} for place in _PLACES},
    **{f"heat-{step}": {"fill": f"heat-{step}"} for step in range(STEPS + 1)},
}  # fmt: skip
"""What each class of a mark stands for; a value that names an ink is that ink."""

_TURNED: Final = ' patternTransform="rotate(45)"'
_PATTERNS: Final = (
    ("", ""),
    ('<path d="M0 0V8" class="ink"/>', _TURNED),
    ('<circle cx="2" cy="2" r="1.2" class="ink-dot"/><circle cx="6" cy="6" r="1.2" class="ink-dot"/>', ""),
    ('<path d="M0 0V8M0 4H8" class="ink"/>', ""),
    ('<path d="M0 4H8" class="ink"/>', ""),
    ('<path d="M0 0V8" class="ink"/>', ' patternTransform="rotate(-45)"'),
    ('<path d="M4 0V8" class="ink"/>', ""),
    ('<path d="M0 0V8M0 4H8" class="ink"/>', _TURNED),
    ('<circle cx="4" cy="4" r="1.4" class="ink-dot"/>', ""),
    ("", ""),
)  # fmt: skip


def ink(place: int) -> str:
    """Return the ending of the classes and of the pattern of a place: its number, `rest` for the neutral one, `plain`."""
    if place == PLAIN:
        return "plain"
    return _PLACES[place] if 0 <= place < PLACES else "rest"


def patterns() -> str:
    """Return the patterns of all places, `part-0` and on, `part-rest` and `part-plain`."""
    return "".join(
        f'<pattern id="part-{place}" width="8" height="8" patternUnits="userSpaceOnUse"{turned}>'
        f'<rect width="8" height="8" class="part-{place}"/>{drawn}</pattern>'
        for place, (drawn, turned) in zip(_PLACES, _PATTERNS, strict=True)
    )


def written_out(names: str) -> str:
    """Return the properties of some classes as attributes, in the light theme; what is not known says nothing."""
    found: dict[str, str] = {}
    for name in names.split():
        found.update(CLASSES.get(name, {}))
    return "".join(f' {name}="{INKS.get(value, value)}"' for name, value in found.items())
