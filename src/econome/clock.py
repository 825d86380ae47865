"""The only reader of the time of day and of the machine's time zone.

Every report uses it, so it imports the zone database only for a zone that is named.
"""

from __future__ import annotations

import os
import time

from econome.errors import UnknownZone, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import tzinfo
    from typing import Protocol

    class Zone(Protocol):
        """Tells the local time of an instant."""

        def offset(self, seconds: int) -> int:
            """Return local time minus UTC, in seconds, at an instant in UTC seconds."""


__all__ = ["NamedZone", "SystemZone", "now", "wall", "zone"]


class SystemZone:
    """The machine's own zone, by the C library's rule for each instant (F8)."""

    __slots__ = ()

    def offset(self, seconds: int) -> int:
        """Return local time minus UTC, in seconds."""
        try:
            return time.localtime(seconds).tm_gmtoff
        except (OverflowError, OSError, ValueError):  # an instant beyond the calendar
            return 0


class NamedZone:
    """A zone of the IANA database."""

    __slots__ = ("_zone",)

    def __init__(self, rules: tzinfo) -> None:
        self._zone = rules

    def offset(self, seconds: int) -> int:
        """Return local time minus UTC, in seconds."""
        from datetime import UTC, datetime, timedelta

        try:
            when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
            local = when.astimezone(self._zone).utcoffset()
        except OverflowError:
            return 0
        return 0 if local is None else local.days * 86400 + local.seconds


def zone(name: str | None) -> Zone:
    """Return the zone of that IANA name, or the system's for None.

    Raises:
        UnknownZone: the database holds no zone of that name.
    """
    if name is None:
        return SystemZone()
    from zoneinfo import ZoneInfo

    try:
        return NamedZone(ZoneInfo(name))
    except (KeyError, ValueError, OSError):  # absent, no relative path, a directory
        raise UnknownZone(name) from None


def now() -> float:
    """Return the seconds since 1970; `ECONOME_NOW`, an ISO instant, stands in for the clock where it is set.

    Raises:
        UsageError: `ECONOME_NOW` is no instant.
    """
    fixed = os.environ.get("ECONOME_NOW")
    if not fixed:
        return time.time()
    from econome.times import parse_instant

    instant = parse_instant(fixed)
    if instant is None:
        raise UsageError(f"ECONOME_NOW: {fixed!r} is no ISO 8601 instant")
    return instant / 1e9


def wall() -> float:
    """Return the machine's own seconds since 1970, to compare with the times of files; never shown."""
    return time.time()
