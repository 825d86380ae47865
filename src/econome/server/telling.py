"""Says things in a reader's language: texts through gettext, figures and dates by the rules of CLDR.

It is imported by what makes pages, so Babel is imported here and nowhere on the path of a report.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal, localcontext
from functools import cache, wraps
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from typing import TYPE_CHECKING, Final, ParamSpec

from babel import Locale
from babel.dates import format_date, format_datetime
from babel.numbers import (
    format_compact_decimal,
    format_currency,
    format_decimal,
    format_percent,
)

if TYPE_CHECKING:
    from econome.clock import Zone

__all__ = ["LANGUAGES", "Telling", "language_of", "telling"]

LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "fr": "Français"}
"""The languages of the interface, each by its own name; the first is for who asks for none of them."""

_CATALOG: Final = "LC_MESSAGES/econome.mo"
_MOST_KEPT: Final = 20_000
_WIDE: Final = Context(prec=80)
"""Babel rounds in the context that it finds, whose usual 28 digits are too few for what a transcript may claim."""

_CENT, _LEAST = Decimal("0.005"), Decimal("0.00005")


_Written = ParamSpec("_Written")


def _widely(write: Callable[_Written, str]) -> Callable[_Written, str]:
    @wraps(write)
    def written(*given: _Written.args, **named: _Written.kwargs) -> str:
        with localcontext(_WIDE):
            return write(*given, **named)

    return written


class Telling:
    """One language: what it calls things, and how it writes figures and dates.

    Texts are English in the code; `text` and `plural` are the names that the catalogue is made from.
    """

    def __init__(self, language: str, catalog: NullTranslations) -> None:
        self.language, self.catalog = language, catalog
        self.locale = Locale.parse(language)
        # The rules of CLDR take their time, and a page says the same figure many times, a reload all of them.
        self._said: dict[tuple[str, object], str] = {}

    def _kept(self, kind: str, value: object, write: Callable[[], str]) -> str:
        found = self._said.get((kind, value))
        if found is None:
            if len(self._said) >= _MOST_KEPT:
                self._said.clear()
            found = self._said[kind, value] = write()
        return found

    def text(self, message: str, **values: object) -> str:
        """Return a text of the interface, *values* put in where it names them in braces."""
        told = self.catalog.gettext(message)
        return told.format(**values) if values else told

    def plural(self, one: str, many: str, count: int, **values: object) -> str:
        """Return the one of two texts that a count calls for; `{count}` in it is the count as it is written."""
        told = self.catalog.ngettext(one, many, count)
        return told.format(count=self.count(count), **values)

    @_widely
    def count(self, value: int | None) -> str:
        """Return a whole number, grouped; `n/a` for None."""
        if value is None:
            return self.text("n/a")
        return self._kept("count", value, lambda: format_decimal(value, locale=self.locale))

    @_widely
    def brief(self, value: int | None) -> str:
        """Return a whole number in a few letters: `1.2M`."""
        if value is None:
            return self.text("n/a")
        return format_compact_decimal(value, locale=self.locale, fraction_digits=1)

    @_widely
    def number(self, value: float | Decimal | None, places: int = 1) -> str:
        """Return a number with so many decimals."""
        if value is None:
            return self.text("n/a")
        return format_decimal(Decimal(str(round(value, places))), locale=self.locale)

    @_widely
    def usd(self, amount: str | Decimal | None) -> str:
        """Return an amount of US dollars, a small one with four decimals; `n/a` for one that is not known (P4)."""
        if amount is None:
            return self.text("n/a")
        value = Decimal(amount)
        return self._kept("usd", value, lambda: self._usd(value))

    def _usd(self, value: Decimal) -> str:
        if not value or abs(value) >= _CENT:
            return format_currency(value, "USD", locale=self.locale)
        pattern = self.locale.currency_formats["standard"].pattern.partition(";")[0]
        precise = pattern.replace("0.00", "0.0000")
        if abs(value) < _LEAST:
            value = Decimal("0.0001").copy_sign(value)
            return f"< {format_currency(value, 'USD', precise, self.locale, currency_digits=False)}"
        return format_currency(value, "USD", precise, self.locale, currency_digits=False)

    @_widely
    def share(self, value: float | None) -> str:
        """Return a share of 1 as a percentage with one decimal; `n/a` for None."""
        if value is None:
            return self.text("n/a")
        pattern = self.locale.percent_formats[None].pattern.replace("0", "0.0", 1)
        return format_percent(value, pattern, locale=self.locale)

    def day(self, text: str | None, form: str = "medium") -> str:
        """Return a day given as `2026-10-17`; *form* is a length or a pattern of CLDR. `undated` for None (F7).

        A clock that is far off, or far from here, has days that no calendar of ours has; such a one is returned as it is.
        """
        if text is None:
            return self.text("undated")
        try:
            day = datetime.date.fromisoformat(text)
        except ValueError:
            return text
        return self._kept(form, day, lambda: format_date(day, form, locale=self.locale))

    def instant(self, text: str | None, zone: Zone, form: str = "medium") -> str:
        """Return an instant given as ISO 8601 in UTC, as the clocks of *zone* showed it; as it is where no calendar has it."""
        if text is None:
            return self.text("undated")
        try:
            moment = datetime.datetime.fromisoformat(text)
            ahead = datetime.timedelta(seconds=zone.offset(int(moment.timestamp())))
            here = (moment + ahead).replace(tzinfo=None)
        except (ValueError, OverflowError):
            return text
        return format_datetime(here, form, locale=self.locale)

    def weekdays(self) -> Sequence[str]:
        """Return the short names of the days of the week, Monday first."""
        names = self.locale.days["stand-alone"]["abbreviated"]
        return [names[at] for at in range(7)]


@cache
def telling(language: str) -> Telling:
    """Return what speaks one of the languages."""
    return Telling(language, _catalog(language))


def _catalog(language: str) -> NullTranslations:
    place = files("econome").joinpath("locale", language, _CATALOG)
    if not place.is_file():
        return NullTranslations()
    with place.open("rb") as file:
        return GNUTranslations(file)


def language_of(chosen: str | None, accepted: str) -> str:
    """Return the language to speak: the one chosen, else the one a browser likes best of ours (RFC 9110, 12.5.4)."""
    if chosen in LANGUAGES:
        return str(chosen)
    liked: list[tuple[float, int, str]] = []
    for at, part in enumerate(accepted.split(",")[:50]):
        tag, _, weight = part.strip().partition(";")
        language = tag.partition("-")[0].strip().lower()
        if language in LANGUAGES:
            liked.append((-_weight(weight), at, language))
    best = min(liked, default=(0.0, 0, ""))
    return best[2] if best[0] < 0 else next(iter(LANGUAGES))


def _weight(text: str) -> float:
    name, _, value = text.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return min(max(float(value), 0.0), 1.0)
    except ValueError:
        return 0.0
