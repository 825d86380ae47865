"""The arithmetic of colours: how far apart two look, to eyes of every kind, and how one stands out from another.

Distances are Euclidean in OKLab (Ottosson 2020, "A perceptual color space for image processing"); the eyes that lack a
kind of cone see by the matrices of Machado, Oliveira and Fernandes 2009, "A Physiologically-based Model for Simulation
of Color Vision Deficiency", table 1, severity 1.0, in linear RGB; contrast is that of WCAG 2.2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

__all__ = ["EYES", "contrast", "distance", "lightness", "properties"]

Rgb = Sequence[float]
_Matrix = tuple[Rgb, Rgb, Rgb]

EYES: Final[dict[str, _Matrix]] = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""What each kind of eye sees of red, green and blue light."""

_CONES: Final[_Matrix] = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_LAB: Final[_Matrix] = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)


def properties(sheet: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the colours that a style sheet names, in the light theme and in the dark one."""
    light, dark = re.split(r"@media[^{]*prefers-color-scheme: dark[^{]*\{", sheet)[:2]
    found = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", part)) for part in (light, dark)
    ]  # fmt: skip
    return found[0], found[1]


def contrast(one: str, other: str) -> float:
    """Return how much lighter the lighter of two colours is, from 1 to 21."""
    dark, light = sorted(
        sum(
            part * share
            for part, share in zip(_linear(colour), (0.2126, 0.7152, 0.0722), strict=True)
        )
        for colour in (one, other)
    )
    return (light + 0.05) / (dark + 0.05)


def distance(one: str, other: str, eyes: _Matrix) -> float:
    """Return how far apart two colours look; 0.02 or so is just noticed side by side."""
    return math.dist(_oklab(one, eyes), _oklab(other, eyes))


def lightness(colour: str) -> float:
    """Return how light a colour looks, from 0 to 1."""
    return _oklab(colour, EYES["all cones"])[0]


def _linear(colour: str) -> Rgb:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def _oklab(colour: str, eyes: _Matrix) -> Rgb:
    seen = [min(1.0, max(0.0, part)) for part in _times(eyes, _linear(colour))]
    return _times(_LAB, [math.cbrt(part) for part in _times(_CONES, seen)])


def _times(matrix: _Matrix, vector: Rgb) -> Rgb:
    return [sum(a * b for a, b in zip(line, vector, strict=True)) for line in matrix]
