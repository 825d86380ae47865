"""Instants and calendar days as whole numbers; knows no clock and no time zone.

An instant is a count of nanoseconds since 1970-01-01T00:00:00Z; a day is a count of days since 1970-01-01.
It is imported by every report, so it imports nothing.
"""

from __future__ import annotations

__all__ = [
    "day_number", "day_text", "instant_text", "parse_day", "parse_instant", "period_texts", "read_day", "split_day",
]  # fmt: skip

_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def day_number(year: int, month: int, day: int) -> int:
    """Return the days from 1970-01-01 to a date of the proleptic Gregorian calendar."""
    shifted = year - (month <= 2)
    era, of_era = divmod(shifted, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def split_day(number: int) -> tuple[int, int, int]:
    """Return (year, month, day) of a day number; the inverse of `day_number`."""
    era, of_era = divmod(number + 719468, 146097)
    year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return era * 400 + year + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1


def day_text(number: int) -> str:
    """Return a day number as an ISO date."""
    year, month, day = split_day(number)
    return f"{year:04d}-{month:02d}-{day:02d}"


def period_texts(since: int | None, until: int | None) -> dict[str, str | None]:
    """Return the first and last day of a period as a report has them: ISO dates, None where it is open."""
    return {
        "since": None if since is None else day_text(since),
        "until": None if until is None else day_text(until),
    }


def instant_text(seconds: int) -> str:
    """Return an instant in UTC seconds as ISO 8601, to the second."""
    day, second = divmod(seconds, 86400)
    return f"{day_text(day)}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"


def parse_day(text: str) -> int | None:
    """Return the day number of an ISO date `YYYY-MM-DD`, or None where it is no date."""
    if len(text) != 10 or text[4] != "-" or text[7] != "-" or not text.isascii():
        return None
    parts = text[:4], text[5:7], text[8:]
    if not all(part.isdigit() for part in parts):
        return None
    year, month, day = map(int, parts)
    if not (1 <= month <= 12 and year >= 1):
        return None
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= day <= _MONTH_DAYS[month - 1] + leap:
        return None
    return day_number(year, month, day)


def read_day(text: str) -> int:
    """Return the day number of an ISO date (``2026-10-07``).

    Raises:
        ValueError: *text* is not a date of the Gregorian calendar written that way.
    """
    day = parse_day(text)
    if day is None:
        raise ValueError(f"not a date like 2026-10-07: {text!r}")
    return day


def _offset_seconds(text: str) -> int | None:
    if text in ("", "Z", "z"):
        return 0
    digits = text[1:].replace(":", "", 1) if len(text) in (3, 5, 6) else ""
    if text[0] not in "+-" or not (digits.isascii() and digits.isdigit()):
        return None
    if len(digits) not in (2, 4) or (len(text) == 6) != (":" in text[3:4]):
        return None
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    if hours > 23 or minutes > 59:
        return None
    return (hours * 3600 + minutes * 60) * (-1 if text[0] == "-" else 1)


def _clock_nanoseconds(text: str) -> int | None:
    """Nanoseconds since midnight UTC of `HH:MM[:SS[.f…]]` with its offset, or None."""
    if not text.isascii() or not text[:2].isdigit() or text[2:3] != ":" or not text[3:5].isdigit():
        return None
    hours, minutes, seconds, rest = int(text[:2]), int(text[3:5]), 0, text[5:]
    fraction = 0
    if rest[:1] == ":":
        if not rest[1:3].isdigit() or len(rest) < 3:
            return None
        seconds, rest = int(rest[1:3]), rest[3:]
        if rest[:1] in (".", ","):
            end = 1
            while end < len(rest) and rest[end].isdigit():
                end += 1
            digits, rest = rest[1:end], rest[end:]
            if not 1 <= len(digits) <= 9:
                return None
            fraction = int(digits.ljust(9, "0"))
    offset = _offset_seconds(rest)
    if offset is None or hours > 23 or minutes > 59 or seconds > 60:
        return None
    return (hours * 3600 + minutes * 60 + seconds - offset) * 1_000_000_000 + fraction


def parse_instant(text: object) -> int | None:
    """Return the nanoseconds since 1970 of an ISO 8601 time, or None where there is none (F7).

    `Z`, an offset or nothing (UTC) may follow; 0 to 9 fraction digits.
    """
    if type(text) is not str:
        return None
    day = parse_day(text[:10])
    if day is None or text[10:11] not in ("T", "t", " "):
        return None
    nanoseconds = _clock_nanoseconds(text[11:])
    if nanoseconds is None:
        return None
    return day * 86_400_000_000_000 + nanoseconds
