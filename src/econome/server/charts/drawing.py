"""The frame of every drawing, and a drawing that stands alone, outside of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from typing import Final

from econome.server.charts.inks import INKS, ink, patterns, written_out
from econome.server.charts.labels import ROOM, cut, wide
from econome.server.charts.marks import written
from econome.server.charts.values import Head, Series

__all__ = ["drawing", "framed", "identity", "names", "standalone"]

_PLAIN: Final = re.compile(r"[^A-Za-z0-9-]")
_WIDTH, _SIDE, _TOP, _LINE = 1000, 24, 56, 20
_LONGEST: Final = 100
_HEAD: Final = re.compile(
    r'<svg (?:xmlns="[^"]*" )?class="([^"]*)" width="([0-9]+%?)" height="([0-9]+)"[^>]*>'
)
_TITLE: Final = re.compile(r"<title[^>]*>([^<]*)</title>")
_DESC: Final = re.compile(r"<desc[^>]*>([^<]*)</desc>")
_NAMES: Final = re.compile(r'<svg display="none" overflow="visible" data-lines="([0-9]+)">')
_LINK: Final = re.compile(r"<a [^>]*>")
_CLASS: Final = re.compile(r' class="([^"]*)"')
_ROOM: Final = re.compile(r"\broom-([0-9]+)")
_LINKED: Final = '<g aria-hidden="true">'
_SPACE: Final = "http://www.w3.org/2000/svg"


def identity(name: str) -> str:
    """Return a name as the beginning of ids; what ids may not have in them is written as its number."""
    return _PLAIN.sub(lambda found: f"_{ord(found[0]):x}_", name)


def drawing(head: Head, kind: str, height: int, marks: str, *, width: str = "100%") -> str:
    """Return an SVG as wide as what holds it, *height* pixels high, named and described for who does not see it.

    *kind* are its classes; *width* is for a drawing that would be too wide where it could be.
    """
    opening = f'xmlns="{_SPACE}" class="chart {kind}" width="{width}" height="{height}"'
    return framed(opening, head, height, marks)


def framed(opening: str, head: Head, height: int, marks: str) -> str:
    """Return an SVG that begins with some attributes, and is one picture for who does not see it.

    Links are nothing that a picture may hold: with any in it, the picture stands beside them, and they are for a pointer
    only. The same ones are in the table of the figure.
    """
    name = identity(head.name)
    role = f'role="img" aria-labelledby="{name}-title {name}-desc"'
    told = (
        f'<title id="{name}-title">{written(head.title)}</title>'
        f'<desc id="{name}-desc">{written(head.desc)}</desc>'
    )
    if "<a " not in marks:
        return f"<svg {opening} {role}>{told}{marks}</svg>"
    area = f'<rect width="100%" height="{height}" fill="none"/>'
    return f"<svg {opening}><g {role}>{told}{area}</g>{_LINKED}{marks}</g></svg>"


def names(series: Iterable[Series], height: int) -> str:
    """Return what the series of a drawing are called, below it: a page says it in words, a picture alone must."""
    drawn, left, line = [], 0.0, 0
    for one in series:
        name = cut(one.name, 40)
        room = wide(name) + 40
        if left and left + room > _WIDTH - 5 * _SIDE:
            left, line = 0.0, line + 1
        top = height + line * _LINE
        drawn.append(
            f'<rect x="{left:.0f}" y="{top + 3}" width="12" height="12" fill="url(#part-{ink(one.place)})"/>'
            f'<text x="{left + 18:.0f}" y="{top + 13}" class="name">{written(name)}</text>'
        )
        left += room
    if not drawn:
        return ""
    return f'<svg display="none" overflow="visible" data-lines="{line + 1}">{"".join(drawn)}</svg>'


def standalone(chart: str) -> str:
    """Return a drawing as a file of its own: its size, ground and title, and its inks as attributes, in the light theme."""
    head = _HEAD.match(chart)
    title, desc = _TITLE.search(chart), _DESC.search(chart)
    if head is None or title is None or desc is None:
        raise ValueError("not a drawing of this room")
    classes, wide_as, high = head[1], head[2], int(head[3])
    room = _ROOM.search(classes)
    left = _SIDE + (int(room[1]) * ROOM if room else 0)
    named = _NAMES.search(chart)
    height = _TOP + high + (int(named[1]) * _LINE if named else 0) + _SIDE
    width = _WIDTH - left - _SIDE
    inner = width if wide_as == "100%" else min(width, int(wide_as) - (left - _SIDE))
    body = chart[head.end() : chart.rindex("</svg>")]
    body = body[body.index("</desc>") + len("</desc>") :]
    body = body[body.find(_LINKED) :] if _LINKED in body else body
    body = _LINK.sub("<g>", body).replace("</a>", "</g>")
    body = _NAMES.sub('<svg overflow="visible">', body)
    body = _CLASS.sub(lambda found: written_out(found[1]), body)
    filled = _CLASS.sub(lambda found: written_out(found[1]), patterns())
    told = written(cut(unescape(title[1]), _LONGEST))
    ground, text = INKS["ground"], INKS["text"]
    return (
        f'<svg xmlns="{_SPACE}" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="12" fill="{text}">'
        f'<title id="title">{title[1]}</title><desc id="desc">{desc[1]}</desc><defs>{filled}</defs>'
        f'<rect width="{_WIDTH}" height="{height}" fill="{ground}"/>'
        f'<text x="{_SIDE}" y="32" font-size="16" font-weight="600">{told}</text>'
        f'<svg x="{left}" y="{_TOP}" width="{inner}" height="{height - _TOP}" overflow="visible">{body}</svg></svg>\n'
    )
