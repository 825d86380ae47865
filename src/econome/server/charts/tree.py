"""Draws a tree as rows of blocks, each as wide as its value, children below their parent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from econome.server.charts.axis import known
from econome.server.charts.drawing import drawing
from econome.server.charts.inks import ink
from econome.server.charts.labels import cut, fitting
from econome.server.charts.marks import written
from econome.server.charts.values import Head, Node

__all__ = ["tree"]

_ROW, _TALL, _STRIP = 36, 32, 7
_LONGEST: Final = 60
_SOME: Final = 8
"""A name of which so many letters fit is begun; the block ends it."""


def tree(
    roots: Sequence[Node],
    head: Head,
) -> str:
    """Return a tree as rows of blocks, each as wide as its value, children below their parent.

    A block says what it is called where it has room for some letters. Children that are more than their parent share its width.
    """
    marks: list[str] = []
    deepest = -1
    whole = sum(map(_value, roots))
    # A tree may be deeper than calls may be: what is left to draw stands in a list.
    left = [(roots, 0.0, 100.0, whole, 0)]
    while left:
        nodes, begun, width, value, depth = left.pop()
        of = max(value, sum(map(_value, nodes)))
        for node in nodes:
            share = _value(node)
            if not share:
                continue
            deepest = max(deepest, depth)
            own = width * (share / of)
            marks.append(_block(node, begun, own, depth * _ROW))
            left.append((node.children, begun, own, share, depth + 1))
            begun += own
    return drawing(head, "tree", (deepest + 1) * _ROW or 1, "".join(marks))


def _value(node: Node) -> float:
    return max(0.0, known(node.value) or 0.0)


def _block(node: Node, begun: float, width: float, top: int) -> str:
    """Return a frame with a strip of its colour, and its name below that in the ink of texts."""
    name = cut(node.label, _LONGEST)
    level = fitting(name[:_SOME], width / 100)
    text = ""
    if level is not None:
        text = f'<text x="6" y="24" class="name{level}">{written(name)}</text>'
    return (
        f'<svg x="{begun:.4f}%" y="{top}" width="{width:.4f}%" height="{_TALL}">'
        f"<title>{written(node.label)}: {written(node.told)}</title>"
        f'<rect width="100%" height="{_TALL}" class="frame"/>'
        f'<rect width="100%" height="{_STRIP}" fill="url(#part-{ink(node.place)})"/>{text}</svg>'
    )
