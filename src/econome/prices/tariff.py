"""What one token costs: the rates of a model on a day, by its prompt, speed, tier and region.

A price table is a value: it answers from what it was built with, and never guesses. It has no
price (``None``) for an id it does not hold exactly (P3), for a day outside the model's entries
(P4), for fast mode on a model without a published factor, and for a speed or service tier it does
not know. Amounts are whole atto-dollars (1e-18 USD), so sums over any number of responses are
exact (P2).

This module is on the fast path: no ``json``, ``re``, ``typing``, ``dataclasses`` or ``datetime`` at
module level, which each cost more than all the lookups of a report.
"""

from __future__ import annotations

from econome.prices.ids import normalise
from econome.prices.rows import ALWAYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from econome.prices.rows import Band, Compiled, Factor

    Rates = tuple[int, int, int, int, int, int]
    Span = tuple[int, int, Rates]

__all__ = ["STANDARD_SPEEDS", "STANDARD_TIERS", "PriceTable", "modifiers"]

STANDARD_SPEEDS = ("", "standard")
"""Speeds billed at list price."""

STANDARD_TIERS = ("", "standard", "default", "auto")
"""Service tiers billed at list price; ``priority`` of Claude is too, but labelled."""


class PriceTable:
    """Dated list prices of every model that has one.

    ``version`` and ``checked`` name the table and the ISO day its sources were last read.
    ``thresholds`` are all prompt lengths, ascending, at which some model changes its price: a
    response with a prompt of *n* tokens is in bucket ``bisect_left(thresholds, n)``.
    ``overridden`` are the ids whose price comes from the user's settings.
    """

    __slots__ = (
        "_found",
        "_models",
        "_regions",
        "_spans",
        "_vendor",
        "checked",
        "overridden",
        "thresholds",
        "version",
    )

    def __init__(
        self,
        compiled: Mapping[str, Any],
        overrides: Mapping[str, Compiled] | None = None,
        vendor: Callable[[str], Compiled | None] | None = None,
    ) -> None:
        extra = overrides or {}
        self.version: str = compiled["version"]
        self.checked: str = compiled["checked"]
        self.thresholds: tuple[int, ...] = _thresholds(compiled["thresholds"], extra)
        self.overridden: tuple[str, ...] = tuple(sorted(extra))
        self._models: dict[str, Compiled] = {**compiled["models"], **extra}
        self._regions: dict[str, Factor] = compiled["regions"]
        self._vendor = vendor
        self._found: dict[str, tuple[Compiled | None, str]] = {}
        self._spans: dict[
            tuple[str, int, str, str, str], tuple[tuple[Span, ...], Rates | None]
        ] = {}

    def label(self) -> dict[str, str]:
        """Return which table this is, as every answer says it (P8)."""
        return {"version": self.version, "checked": self.checked}

    def names(self) -> tuple[str, ...]:
        """Return the ids of Claude's and of overridden models; other vendors' are not listed here."""
        return tuple(self._models)

    def region_factor(self, region: str) -> Factor:
        """Return the factor of a Bedrock region prefix; 1 where there is none."""
        return self._regions[region] if region else (1, 1)

    def rates(
        self, model: str, day: int | None, bucket: int, speed: str, tier: str, geo: str
    ) -> Rates | None:
        """Return what a token costs, or ``None`` when the response has no price (P4).

        *day* is the UTC day of the response, in days since 1970-01-01; ``None``, or a day before
        all calendars, is an undated response, priced with the model's latest entry. *bucket* is the prompt's
        place among ``thresholds``; *speed*, *tier* and *geo* are the strings of the transcript.

        The six rates are of input, output, cache read, 5-minute write and 1-hour write, in
        atto-dollars per token, and of a web search, in atto-dollars per search.
        """
        key = (model, bucket, speed, tier, geo)
        found = self._spans.get(key)
        if found is None:
            found = self._spans[key] = self._resolve(key)
        if day is None or day < ALWAYS:
            return found[1]
        for first, end, rates in found[0]:
            if first <= day < end:
                return rates
        return None

    def find(self, model: str) -> tuple[Compiled | None, str]:
        """Return the compiled entries that price *model*, and the Bedrock region in its id."""
        found = self._found.get(model)
        if found is None:
            name = normalise(model)
            compiled = self._models.get(name.canonical)
            if compiled is None and self._vendor and not name.canonical.startswith("claude"):
                compiled = self._vendor(name.canonical)
            found = self._found[model] = (compiled, name.region)
        return found

    def _resolve(
        self, key: tuple[str, int, str, str, str]
    ) -> tuple[tuple[Span, ...], Rates | None]:
        """Return the dated rates of such responses, and those of an undated one."""
        model, bucket, speed, tier, geo = key
        compiled, region = self.find(model)
        if compiled is None:
            return (), None
        fraction, tier = modifiers(compiled, speed.lower(), tier.lower(), geo.lower())
        if fraction is None:
            return (), None
        num, den = fraction
        regional = self.region_factor(region)
        num, den = num * regional[0], den * regional[1]
        spans: list[Span] = []
        for named, first, end, bands in compiled[4]:
            if named == tier:
                a, b, c, d, e = self._band(bands, bucket)
                rates = (a * num // den, b * num // den, c * num // den, d * num // den)
                spans.append((first, end, (*rates, e * num // den, compiled[3])))
        latest = max(spans, key=lambda span: (span[1], span[0]))[2] if spans else None
        return tuple(spans), latest

    def _band(self, bands: tuple[Band, ...], bucket: int) -> tuple[int, int, int, int, int]:
        """Return the rates of the last band whose limit a prompt of *bucket* exceeds (P6)."""
        rates = bands[0][1]
        for above, dearer in bands[1:]:
            if bucket > self.thresholds.index(above):
                rates = dearer
        return rates


def modifiers(
    compiled: Compiled, speed: str, tier: str, geo: str
) -> tuple[tuple[int, int] | None, str]:
    """Return the factor of a response's modifiers and which entries it multiplies.

    The factor is ``None`` when the response has no price: fast mode without a published factor, a
    speed nobody published, a service tier that neither the rules nor the model's entries know.
    """
    fast, us_only, batch, _, entries = compiled
    num = den = 1
    if speed == "fast":
        if fast is None:
            return None, ""
        num, den = fast
    elif speed not in STANDARD_SPEEDS:
        return None, ""
    if geo == "us" and us_only is not None:
        num, den = num * us_only[0], den * us_only[1]
    if tier in STANDARD_TIERS:
        return (num, den), ""
    if any(entry[0] == tier for entry in entries):
        return (num, den), tier
    if batch is not None and tier == "batch":
        return (num * batch[0], den * batch[1]), ""
    if batch is not None and tier == "priority":
        return (num, den), ""
    return None, ""


def _thresholds(known: tuple[int, ...], overrides: Mapping[str, Compiled]) -> tuple[int, ...]:
    extra = {band[0] for model in overrides.values() for entry in model[4] for band in entry[3]}
    return tuple(sorted(extra.union(known) - {-1})) if extra else known
