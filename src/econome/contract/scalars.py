"""Numbers and texts worth trying under some rules: at their bounds, just inside and just outside.

It knows what numbers, lengths, patterns and formats rule. It does not say which value is accepted: it proposes both kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, lcm
from typing import Any

from econome.contract.cases import gathered
from econome.contract.patterns import denied, matching

__all__ = ["LONGEST_TEXT", "numbers", "texts"]

LONGEST_TEXT = 1 << 17
"""Characters of the longest text that is made."""

_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_STEPS = ("multipleOf", "divisibleBy")
_PLAIN = (0, 1, -1, 2, Fraction(1, 2), Fraction(3, 2), 10, 1000, -1000)
_LETTERS = ("a", "", "0", "A", " ", "a b", "é", "-", "_", "/", ".", "a@b", "\n", "a" * 40)
_FORMATS = {
    "byte": ("YQ==",),
    "date": ("2026-01-02",),
    "date-time": ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678+09:00"),
    "duration": ("P1D", "PT1H30M"),
    "email": ("a@example.com",),
    "hostname": ("example.com",),
    "idn-email": ("a@example.com",),
    "idn-hostname": ("example.com",),
    "ipv4": ("192.0.2.1",),
    "ipv6": ("2001:db8::1",),
    "iri": ("https://example.com/a",),
    "iri-reference": ("/a",),
    "json-pointer": ("/a",),
    "regex": ("a",),
    "relative-json-pointer": ("1/a",),
    "time": ("03:04:05Z",),
    "uri": ("https://example.com/a", "urn:example:a"),
    "uri-reference": ("/a", "https://example.com/a"),
    "uri-template": ("/{a}",),
    "url": ("https://example.com/a",),
    "uuid": ("3f2504e0-4f89-41d3-9a0c-0305e82c3301",),
}


def numbers(nodes: Iterable[dict[str, Any]]) -> Iterator[int | float]:
    """Yield numbers around every bound and step of some schemas, and a few plain ones; some of them twice."""
    nodes = list(nodes)
    bounds = sorted({_exact(one) for name in _BOUNDS for one in _numbers(nodes, name)})
    steps = sorted(
        {_exact(one) for name in _STEPS for one in _numbers(nodes, name)} - {Fraction(0)}
    )
    yield from (_plain(one) for one in _PLAIN[:2])
    for bound in bounds:
        yield from (_plain(bound + by) for by in (0, 1, -1))
        yield from (_plain(bound + Fraction(by, 2)) for by in (1, -1))
    yield from (_plain((low + high) / 2) for low, high in pairwise(bounds))
    if len(steps) > 1:
        shared = Fraction(lcm(*(step.numerator for step in steps)))
        steps = [*steps, shared / min(step.denominator for step in steps)]
    for step in steps:
        yield from (_plain(step * times) for times in (1, 2, 3, -1, Fraction(1, 2)))
        yield from (_plain(step * times + 1) for times in (1, 2, -3))
        for bound in bounds:
            near = range(floor(bound / step) - 1, ceil(bound / step) + 2)
            yield from (_plain(step * times) for times in near)
    yield from (_plain(one) for one in _PLAIN[2:])
    yield 1.0


def texts(mine: Iterable[dict[str, Any]], theirs: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield texts that are likely to be of the rules of *mine*, then such as *theirs* might tell apart; some of them twice."""
    mine, theirs = list(mine), list(theirs)
    lengths = sorted(
        {
            int(bound) + by
            for name in ("minLength", "maxLength")
            for bound in _numbers([*mine, *theirs], name)
            for by in (-1, 0, 1)
            if 0 <= bound + by <= LONGEST_TEXT
        }
    )
    yield from _ruled(mine, tuple(lengths))
    yield from _LETTERS[:2]
    yield from ("a" * length for length in lengths)
    yield from _ruled(theirs, tuple(lengths))
    yield from _LETTERS[2:]


def _ruled(nodes: list[dict[str, Any]], lengths: tuple[int, ...]) -> Iterator[str]:
    for name in gathered(nodes, "format"):
        yield from _FORMATS.get(name, ())
    for pattern in gathered(nodes, "pattern"):
        yield from matching(pattern, lengths)
    for pattern in gathered(nodes, "pattern"):
        yield from denied(pattern)


def _numbers(nodes: list[dict[str, Any]], keyword: str) -> list[int | float]:
    return [
        one
        for one in gathered(nodes, keyword)
        if isinstance(one, int | float) and not isinstance(one, bool)
    ]


def _exact(number: int | float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(Decimal(repr(number)))


def _plain(number: int | Fraction) -> int | float:
    """Return the whole number, or the nearest that JSON has."""
    exact = Fraction(number)
    if exact.denominator == 1 or abs(exact) > 1 << 60:
        return int(exact)
    return float(exact)
