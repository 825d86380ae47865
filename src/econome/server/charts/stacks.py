"""Draws bars that stand side by side in time, each a stack of one part a series, on one scale that begins at 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from econome.server.charts.axis import Scale, known, scale
from econome.server.charts.drawing import drawing, names
from econome.server.charts.inks import ink
from econome.server.charts.labels import row
from econome.server.charts.marks import linked, written
from econome.server.charts.values import Group, Head, Series

__all__ = ["stacks"]

_TOP: Final = 10
_BELOW: Final = 26
_WIDEST: Final = 8.0
_FEW: Final = 62
"""Up to so many bars are wide enough for a line between their parts."""
_MANY: Final = 125
"""More bars than these are so thin that a pattern in them would be noise."""


def stacks(
    groups: Sequence[Group],
    series: Sequence[Series],
    head: Head,
    axis: Callable[[float], str],
    *,
    height: int = 200,
    say: Callable[[float], str] | None = None,
) -> str:
    """Return bars that stand side by side in time, each a stack of one part a series, on one scale that begins at 0.

    What is below 0 hangs from the line of 0. *axis* writes the values of the scale, *say* those of the parts where they
    are to be more precise. *height* is that of the scale.
    """
    values = [[known(value) or 0.0 for value in group.values] for group in groups]
    ends = [sum(value for value in stack if value > 0) for stack in values]
    ends += [sum(value for value in stack if value < 0) for stack in values]
    on = scale(ends)
    rules, room = on.drawn(_TOP, height, axis)
    filled = 'fill="url(#part-{})"' if len(groups) <= _MANY else 'class="part-{}"'
    fills = [(written(one.name), filled.format(ink(one.place))) for one in series]
    bars = "".join(
        _bar(group, stack, fills, _Place(at, len(groups), height, on), say or axis)
        for at, (group, stack) in enumerate(zip(groups, values, strict=True))
    )
    cuts = ' class="cut"' if len(groups) <= _FEW else ""
    middles = [(at + 0.5) / len(groups) for at in range(len(groups))]
    labels = row([group.label for group in groups], middles, _TOP + height + 18)
    marks = f"{rules}<g{cuts}>{bars}</g>{labels}"
    below = _TOP + height + _BELOW
    return drawing(head, f"stacks {room}", below, marks + names(series, below))


class _Place:
    """Where one bar stands: its slot, the part of it that is filled, and the scale."""

    __slots__ = ("height", "hit", "on", "span")

    def __init__(self, at: int, count: int, height: int, on: Scale) -> None:
        slot = 100 / count
        width = min(slot * (0.7 if count <= 31 else 0.8 if count <= 100 else 0.9), _WIDEST)
        self.hit = f'x="{at * slot:.3f}%" width="{slot:.3f}%"'
        self.span = f'x="{at * slot + (slot - width) / 2:.3f}%" width="{width:.3f}%"'
        self.height, self.on = height, on


def _bar(
    group: Group, stack: Sequence[float], fills: Sequence[tuple[str, str]], place: _Place,
    say: Callable[[float], str],
) -> str:  # fmt: skip
    on, span, height = place.on, place.span, place.height
    label = written(group.whole or group.label)
    pixels = height / (on.high - on.low)
    zero = _TOP + on.high * pixels
    above = below = 0.0
    pieces = []
    for value, (name, fill) in zip(stack, fills, strict=True):
        if not value:
            continue
        tall = abs(value) * pixels
        if value > 0:
            above += tall
            top = zero - above
        else:
            top = zero + below
            below += tall
        pieces.append(
            f'<rect {span} y="{top:.2f}" height="{tall:.2f}" {fill}>'
            f"<title>{label}, {name}: {written(say(value))}</title></rect>"
        )
    drawn = (
        f'<rect {place.hit} y="{_TOP}" height="{height}" class="hit">'
        f"<title>{label}: {written(group.told)}</title></rect>{''.join(pieces)}"
    )
    return linked(drawn, group.link) if group.link else f"<g>{drawn}</g>"
