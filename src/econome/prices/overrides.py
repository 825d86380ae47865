"""Prices from the user's settings: add a model, or replace one, for every report (P8).

A model is a table ``[prices."id"]``, or an array of such tables with different dates. It replaces
every bundled entry of that id; a Claude model keeps its other factors (US-only, batch, fast unless
given). Prices are USD per million tokens, written as a string or a number; a number with a point is
taken for the decimal that is written, never for its binary neighbour.

What cannot be priced exactly is refused: nothing in a report is rounded, so a price must stay whole
under every factor.

This module is on the fast path of a user who has such settings: it imports no heavy module.
"""

from __future__ import annotations

from itertools import pairwise

from econome.errors import SettingsError
from econome.prices.amounts import atto_per_search
from econome.prices.ids import normalise
from econome.prices.rows import RATE_NAMES, entry, factor
from econome.times import read_day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from econome.prices.rows import Compiled, Entry

__all__ = ["compile_overrides"]

_DERIVED = (("cache_read", 1, 10), ("write_5m", 5, 4), ("write_1h", 2, 1))
"""What a row that leaves them out costs, in multiples of its input price (P5)."""

_MODEL_KEYS = frozenset({*RATE_NAMES, "fast", "from", "long", "until", "web_search"})
_LONG_KEYS = frozenset({*RATE_NAMES, "above"})
_WORST = 200
"""Denominator of every factor at once: US-only 11/10, Bedrock region 11/10, batch 1/2."""


class _Refused(Exception):
    """A value of one override is wrong; carries the keys that lead to it and the reason."""

    def __init__(self, reason: str, *keys: str) -> None:
        super().__init__(reason)
        self.reason, self.keys = reason, keys


def compile_overrides(
    tables: Mapping[str, Any], bundled: Mapping[str, Any], path: str
) -> dict[str, Compiled]:
    """Return the compiled models of the raw ``[prices]`` *tables*, by normalised id.

    *bundled* is the compiled Claude table: its factors hold for an overridden model too.

    Raises:
        SettingsError: an override breaks a rule; ``where`` is the dotted key of the value.
    """
    found: dict[str, Compiled] = {}
    for name, value in tables.items():
        keys = [f'prices."{name}"']
        try:
            canonical = _canonical(name)
            if canonical in found:
                raise _Refused(f"names {canonical} once more")
            found[canonical] = _model(value, bundled["models"].get(canonical), bundled)
        except _Refused as refused:
            raise SettingsError(path, ".".join([*keys, *refused.keys]), refused.reason) from None
    return found


def _canonical(name: str) -> str:
    model = normalise(name)
    if not model.canonical:
        raise _Refused("an empty model id")
    if model.region:
        raise _Refused(f"leave out the region: write {model.canonical}; a region is a factor on it")
    return model.canonical


def _model(value: Any, replaced: Compiled | None, bundled: Mapping[str, Any]) -> Compiled:
    rows = value if isinstance(value, list) else [value]
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise _Refused("expected a table of prices")
    fast = replaced[0] if replaced else None
    search: int = bundled["search"]
    entries: list[Entry] = []
    for at, row in enumerate(rows):
        where = (str(at + 1),) if isinstance(value, list) else ()
        try:
            if "fast" in row:
                fast = _fast(row["fast"])
            if "web_search" in row:
                search = _search(row["web_search"])
            entries.append(_entry(row))
        except _Refused as refused:
            raise _Refused(refused.reason, *where, *refused.keys) from None
    entries.sort(key=lambda one: one[1])
    for earlier, later in pairwise(entries):
        if later[1] < earlier[2]:
            raise _Refused("two entries hold on the same day; give them `from` and `until`")
    _must_stay_whole(entries, fast)
    us_only = replaced[1] if replaced else None
    return fast, us_only, bundled["batch"], search, tuple(entries)


def _entry(row: Mapping[str, Any]) -> Entry:
    _known(row, _MODEL_KEYS)
    plain: dict[str, Any] = _prices(row)
    for key in ("from", "until"):
        if key in row:
            plain[key] = _date(row[key], key)
    if "long" in row:
        plain["long"] = [_long(row["long"])]
    one = entry(plain)
    if one[1] >= one[2]:
        raise _Refused("must be later than `from`: it is the first day without this price", "until")
    return one


def _long(row: Any) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise _Refused("expected a table with `above` and prices", "long")
    try:
        _known(row, _LONG_KEYS)
        above = row.get("above")
        if not isinstance(above, int) or isinstance(above, bool) or above < 1:
            raise _Refused("expected a number of tokens, 1 or more", "above")
        return {"above": above, **_prices(row)}
    except _Refused as refused:
        raise _Refused(refused.reason, "long", *refused.keys) from None


def _known(row: Mapping[str, Any], keys: frozenset[str]) -> None:
    for key in row:
        if key not in keys and isinstance(row[key], dict):
            raise _Refused("unknown key; an id that holds a dot stands in quotes", key)
        if key not in keys:
            raise _Refused(f"unknown key; known are {', '.join(sorted(keys))}", key)


def _prices(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the five prices of a row as plain decimals; those left out follow from ``input``."""
    for key in ("input", "output"):
        if key not in row:
            raise _Refused("missing: a price needs `input` and `output`", key)
    prices = {key: _number(row[key], key) for key in RATE_NAMES if key in row}
    for key, num, den in _DERIVED:
        if key not in prices:
            prices[key] = _times(prices["input"], num, den)
    return prices


def _times(number: str, num: int, den: int) -> str:
    """Return a plain decimal times *num* / *den*, exactly; *den* divides 100."""
    whole, _, part = number.partition(".")
    digits = str(int(whole + part) * num * 100 // den).rjust(len(part) + 3, "0")
    cut = len(digits) - len(part) - 2
    return f"{digits[:cut]}.{digits[cut:]}"


def _number(value: Any, key: str) -> str:
    """Return a setting as a plain decimal: a string as written, a float by its shortest form."""
    if isinstance(value, float):
        value = _plain_float(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise _Refused("expected a number, or a string that holds one", key)
    whole, point, part = value.partition(".")
    if not (whole + part).isascii() or not whole.isdigit() or (point and not part.isdigit()):
        raise _Refused(f"expected a plain number of dollars, zero or more, not {value!r}", key)
    if len(part.rstrip("0")) > 9 or len(whole) > 9:
        raise _Refused(f"{value} cannot be held exactly: at most 9 digits and 9 decimals", key)
    return value


def _plain_float(value: float) -> str:
    """Return the shortest decimal that reads back as *value*, without an exponent."""
    text = repr(value)
    mantissa, exponent, power = text.partition("e")
    if not exponent or not power.lstrip("+-").isdigit():
        return text
    sign, digits = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    whole, _, part = digits.partition(".")
    shift = int(power)
    if shift < 0:
        whole, part = "0", "0" * (-shift - len(whole)) + whole + part
    else:
        whole, part = (whole + part).ljust(len(whole) + shift, "0"), "0"
    return f"{sign}{whole}.{part}"


def _date(value: Any, key: str) -> str:
    text = value if isinstance(value, str) else getattr(value, "isoformat", str)()
    try:
        read_day(text)
    except ValueError:
        raise _Refused(f"expected a date like 2026-10-07, not {value!r}", key) from None
    return str(text)


def _search(value: Any) -> int:
    number = _number(value, "web_search")
    return atto_per_search(number)


def _fast(value: Any) -> tuple[int, int]:
    number = _number(value, "fast")
    try:
        return factor(number)
    except ValueError:
        raise _Refused("more than 6 decimals", "fast") from None


def _must_stay_whole(entries: list[Entry], fast: tuple[int, int] | None) -> None:
    """Refuse a price that a factor would turn into a fraction of an atto-dollar."""
    worst = _WORST * (fast[1] if fast else 1)
    for _, _, _, bands in entries:
        for above, rates in bands:
            for key, rate in zip(RATE_NAMES, rates, strict=True):
                if rate % worst:
                    where = (key,) if above < 0 else ("long", key)
                    reason = "too many decimals: half or 1.1 times it could not be held exactly"
                    raise _Refused(reason, *where)
