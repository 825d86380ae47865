"""What charts are drawn from: values with the words that say them. Nothing here is drawn.

Every function of this room takes such values and returns an SVG as text, in which every text was made harmless; lengths
are shares of the width, so that a drawing fills what holds it while its letters keep their size.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["NEUTRAL", "PLACES", "PLAIN", "Group", "Head", "Node", "Point", "Series"]

PLACES = 8
"""So many colours, each with a pattern of its own, can be told apart."""

NEUTRAL = -1
"""The place of the ink that all share who have none of those."""

PLAIN = -2
"""The place of the ink of a drawing with one series, which no model has: no colour means anything in it."""


@dataclass(frozen=True, slots=True)
class Head:
    """The name of a drawing in its document, its title, and what it shows in a sentence."""

    name: str
    title: str
    desc: str


@dataclass(frozen=True, slots=True)
class Series:
    """One series: what it is called and the place of its colour."""

    name: str
    place: int = NEUTRAL


@dataclass(frozen=True, slots=True)
class Group:
    """One bar, or one stack of them: its label, a value for each series, and what is said of it; *link* is where it leads.

    *whole* is its label in full, where that is a short one.
    """

    label: str
    values: tuple[float, ...]
    told: str
    link: str = ""
    whole: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """One place of a grid or a line: its value, None where there is none, and what is said of it."""

    label: str
    value: float | None
    told: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """One part of a tree: its own value and those below it are in *value*."""

    label: str
    value: float
    told: str
    place: int = NEUTRAL
    children: tuple[Node, ...] = field(default_factory=tuple)
