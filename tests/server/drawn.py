"""Reads drawings as one who knows nothing of how they were made."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

from econome.server.charts.bars import Bar, bars
from econome.server.charts.calendar import calendar
from econome.server.charts.grid import grid
from econome.server.charts.lines import lines
from econome.server.charts.ring import ring
from econome.server.charts.stacks import stacks
from econome.server.charts.tree import tree
from econome.server.charts.values import Group, Head, Node, Point, Series

__all__ = ["DRAWINGS", "HOSTILE", "SVG", "heights", "read", "spans", "titles"]

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "\"><script>alert(1)</script>\u202e&<b x='y'>]]>\x1b[31m\U0001f4a5" + "x" * 500

_MONTHS = [str(month) for month in range(1, 13)]


def read(drawing: str) -> ElementTree.Element:
    """Return a drawing, or say that it is none."""
    return ElementTree.fromstring(drawing)


def titles(drawing: str) -> list[str]:
    """Return what is told of a drawing's marks, the drawing's own title first."""
    return [node.text or "" for node in read(drawing).iter(f"{SVG}title")]


def heights(drawing: str) -> list[float]:
    """Return how high the filled parts are, those of names aside."""
    return [
        float(node.attrib["height"])
        for node in read(drawing).iter(f"{SVG}rect")
        if "%" in node.attrib.get("x", "") and node.get("class") != "hit"
    ]


def spans(drawing: str) -> list[tuple[float, float]]:
    """Return where marks begin and end, of those whose place is a share of the width, in hundredths."""
    found = []
    for node in read(drawing).iter():
        for left, width in (("x", "width"), ("cx", "")):
            if node.get(left, "").endswith("%"):
                begun = float(node.attrib[left][:-1])
                found.append((begun, begun + float(node.get(width, "0%").rstrip("%") or 0)))
    return found


def _stacks(text: str, values: list[float]) -> str:
    groups = [Group(text, (value, value / 2), text, "/a?b=1&c=2") for value in values]
    return stacks(groups, (Series(text, 0), Series(text, 9)), Head(text, text, text), str)


def _lines(text: str, values: list[float]) -> str:
    points = [Point(text, value, text, text) for value in values]
    return lines([points, points[::-1]], (Series(text, 1), Series(text)), _head(text), str)


def _ring(text: str, values: list[float]) -> str:
    return ring([(Series(text, at), v, text) for at, v in enumerate(values)], _head(text), text)


def _calendar(text: str, values: list[float]) -> str:
    days = [
        Point(f"{2026 + at // 336}-{at % 336 // 28 + 1:02}-{at % 28 + 1:02}", value, text, text)
        for at, value in enumerate(values)
    ]
    return calendar(days, _head(text), [text] * 7, _MONTHS, axis=lambda value: text)


def _grid(text: str, values: list[float]) -> str:
    cells = [[Point(text, value, text, text) for value in values]] * 2
    return grid([text, text], [text] * len(values), cells, _head(text))


def _tree(text: str, values: list[float]) -> str:
    node = Node(text, 1, text)
    for at, value in enumerate(values):
        node = Node(text, value, text, at, (Node(text, 0.5, text), node))
    return tree([node, Node(text, 2, text)], _head(text))


def _bars(text: str, values: list[float]) -> str:
    made = bars(
        [Bar(text, (value, value), text, link=text) for value in values], (text, text),
        name=text, title=text, desc=text, places=(3, -1),
    )  # fmt: skip
    return made.replace("<svg ", f'<svg xmlns="{SVG[1:-1]}" ', 1)


def _head(text: str) -> Head:
    return Head(text, text, text)


DRAWINGS: dict[str, Callable[[str, list[float]], str]] = {
    "bars": _bars, "calendar": _calendar, "grid": _grid, "lines": _lines, "ring": _ring,
    "stacks": _stacks, "tree": _tree,
}  # fmt: skip
"""What makes each drawing of a text, which is all that it says, and of some values."""
