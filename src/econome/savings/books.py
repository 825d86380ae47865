"""The ledger in memory: one compact column for each figure that a balance needs, names written once.

It knows what a line of the ledger says and how to hold a million of them in little room. It opens no file, and what
the figures come to is not its business. The first line of an id counts; lines that repeat one are told apart.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate

import msgspec

from econome.savings.endings import Endings
from econome.savings.wire import Correction, Delegation, Event, Steering, epoch_seconds

__all__ = ["Books", "Conflicts", "Corrections", "Delegations", "Steerings"]

_read_lines = msgspec.json.Decoder(Event).decode_lines
_read_line = msgspec.json.Decoder(Event).decode

_Entry = tuple[Event, int, int]  # with its instant, and where its line begins

_KNOWN_PARTS = 100_000  # more than a day has seconds
_END_LENGTH = 10  # `.512+02:00`: of finer ones there are too many to remember


class Delegations:
    """The delegation events, by column; a name is its place in the list of names of its kind.

    `offset` is where the line of an event begins in its file, as in the other tables.
    """

    __slots__ = (
        "avoided", "brief", "by_subagent", "client", "offset", "read", "request", "returned", "seconds",
        "session", "written",
    )  # fmt: skip

    def __init__(self) -> None:
        self.client, self.request, self.session = array("i"), array("i"), array("i")
        self.seconds, self.avoided, self.offset = array("q"), array("q"), array("q")
        self.read, self.written = array("q"), array("q")
        self.brief, self.returned = array("q"), array("q")
        self.by_subagent = array("b")


class Steerings:
    """The steering events, by column; the requests of the one at *n* end at `ends[n]` in `requests`."""

    __slots__ = (
        "cache_read", "cache_written", "client", "cost", "ends", "model", "offset", "read", "requests",
        "seconds", "session", "written",
    )  # fmt: skip

    def __init__(self) -> None:
        self.client, self.session, self.model = array("i"), array("i"), array("i")
        self.requests, self.ends = array("i"), array("q")
        self.seconds, self.cost, self.offset = array("q"), array("q"), array("q")
        self.read, self.written = array("q"), array("q")
        self.cache_read, self.cache_written = array("q"), array("q")


class Corrections:
    """The correction events, by column."""

    __slots__ = ("client", "cost", "offset", "read", "request", "seconds", "session", "written")

    def __init__(self) -> None:
        self.client, self.request, self.session = array("i"), array("i"), array("i")
        self.seconds, self.cost, self.offset = array("q"), array("q"), array("q")
        self.read, self.written = array("q"), array("q")


class _Parts(dict[str, "int | None"]):
    """What parts of dates come to, found once: most were met before, and to read a date takes ten times as long."""

    def __init__(self, before: str, after: str) -> None:
        super().__init__()
        self._before, self._after = before, after

    def __missing__(self, text: str) -> int | None:
        seconds = epoch_seconds(f"{self._before}{text}{self._after}")
        if len(self) >= _KNOWN_PARTS:
            self.clear()
        self[text] = seconds
        return seconds


class _Lines:
    """Reads lines of events."""

    __slots__ = ("_days", "_ends", "_times")

    def __init__(self) -> None:
        self._days = _Parts("", "00:00:00Z")
        self._times = _Parts("1970-01-01T", "Z")
        self._ends = _Parts("1970-01-01T00:00:00", "")

    def read(self, data: bytes, offset: int) -> tuple[list[_Entry], int]:
        """Return the events of whole lines, the first of which begins at *offset*, and how many lines hold none."""
        lines = data.split(b"\n")
        begins = accumulate((len(line) + 1 for line in lines), initial=offset)
        try:
            data.decode("utf-8")  # the decoder does not look into the strings that it skips
            events = _read_lines(data)
        except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
            events = []
        if len(events) != len(lines) - 1:
            return self._one_by_one(lines, begins)
        dated = [self._instant(event.date) for event in events]
        if None in dated:
            return self._one_by_one(lines, begins)
        return list(zip(events, dated, begins, strict=False)), 0  # type: ignore[arg-type]

    def _one_by_one(
        self, lines: Iterable[bytes], begins: Iterable[int]
    ) -> tuple[list[_Entry], int]:
        found: list[_Entry] = []
        malformed = 0
        for line, begin in zip(lines, begins, strict=False):
            if not line.strip(b" \t\r"):
                continue
            try:
                line.decode("utf-8")
                event = _read_line(line)
            except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
                malformed += 1
                continue
            second = self._instant(event.date)
            if second is None:
                malformed += 1
                continue
            found.append((event, second, begin))
        return found, malformed

    def _instant(self, date: str) -> int | None:
        """Return what `epoch_seconds` does, from the day, the time of day, and the fraction with the zone."""
        end = date[19:]
        if len(end) > _END_LENGTH:
            return epoch_seconds(date)
        day, time, ahead = self._days[date[:11]], self._times[date[11:19]], self._ends[end]
        if day is None or time is None or ahead is None:  # or second 60, which few days have
            return epoch_seconds(date)
        return day + time + ahead


class Conflicts:
    """The events that came again with another content: the client, the instant and the requests of each.

    `offsets` has where the line of each begins, `size` how many bytes of their file were read, `malformed` how many of
    its lines hold no event.
    """

    __slots__ = ("_lines", "events", "malformed", "offsets", "size")

    def __init__(self) -> None:
        self.events: list[tuple[str, int, tuple[str, ...]]] = []
        self.offsets = array("q")
        self.size = self.malformed = 0
        self._lines = _Lines()

    def add_lines(self, data: bytes) -> None:
        """Add whole lines of the file of conflicts."""
        found, malformed = self._lines.read(data, self.size)
        self.malformed += malformed
        self.size += len(data)
        for event, second, begin in found:
            named = event.request_ids if isinstance(event, Steering) else [event.request_id]
            self.events.append((event.client, second, tuple(named)))
            self.offsets.append(begin)


class Books:
    """Everything that was read of a ledger.

    `clients`, `requests`, `sessions` and `models` give each name its place, in the order of those places.
    `size` is how many bytes were read, `malformed` how many lines hold no event, `duplicates` how many repeat the id of
    an earlier one. `conflicts` and `endings` are the two files that lie beside the ledger.
    """

    __slots__ = (
        "_lines", "_seen", "clients", "conflicts", "corrections", "delegations", "duplicates", "endings",
        "malformed", "models", "requests", "sessions", "size", "steerings",
    )  # fmt: skip

    def __init__(self) -> None:
        self.clients: dict[str, int] = {}
        self.requests: dict[str, int] = {}
        self.sessions: dict[str, int] = {}
        self.models: dict[str, int] = {}
        self.delegations, self.steerings, self.corrections = (
            Delegations(),
            Steerings(),
            Corrections(),
        )
        self.conflicts, self.endings = Conflicts(), Endings(self.requests)
        self.size = self.malformed = self.duplicates = 0
        self._lines = _Lines()
        self._seen: set[int] = set()

    @property
    def events(self) -> int:
        """How many events there are."""
        return len(self._seen)

    def add_lines(self, data: bytes) -> None:
        """Add whole lines of the ledger, in the order in which they stand there."""
        found, malformed = self._lines.read(data, self.size)
        self.malformed += malformed
        self.size += len(data)
        steerings: list[tuple[Steering, int, int]] = []
        delegations: list[tuple[Delegation, int, int]] = []
        corrections: list[tuple[Correction, int, int]] = []
        for event, second, begin in self._new(found):
            if type(event) is Delegation:
                delegations.append((event, second, begin))
            elif type(event) is Steering:
                steerings.append((event, second, begin))
            elif type(event) is Correction:
                corrections.append((event, second, begin))
        self._add_delegations(delegations)
        self._add_steerings(steerings)
        self._add_corrections(corrections)

    def _new(self, found: list[_Entry]) -> list[_Entry]:
        """Return those whose id was not met before."""
        keys = [hash(entry[0].id) for entry in found]  # 64 bits: a million ids are told apart
        fresh = set(keys)
        if len(fresh) == len(keys) and self._seen.isdisjoint(fresh):
            self._seen |= fresh
            return found
        kept = []
        for key, entry in zip(keys, found, strict=True):
            if key in self._seen:
                self.duplicates += 1
            else:
                self._seen.add(key)
                kept.append(entry)
        return kept

    def _add_shared(
        self, table: Delegations | Steerings | Corrections, found: Sequence[_Entry]
    ) -> None:
        """Add to the columns that every table has."""
        table.client.extend(_places(self.clients, (event.client for event, _, _ in found)))
        table.session.extend(_places(self.sessions, (event.session_id for event, _, _ in found)))
        table.seconds.extend([second for _, second, _ in found])
        table.offset.extend([begin for _, _, begin in found])

    def _add_delegations(self, found: Sequence[tuple[Delegation, int, int]]) -> None:
        table = self.delegations
        self._add_shared(table, found)
        table.request.extend(_places(self.requests, (event.request_id for event, _, _ in found)))
        table.by_subagent.extend([event.by_subagent for event, _, _ in found])
        estimates = [event.estimate for event, _, _ in found]
        table.avoided.extend([estimate.avoided for estimate in estimates])
        table.read.extend([estimate.read for estimate in estimates])
        table.written.extend([estimate.written for estimate in estimates])
        table.brief.extend([estimate.brief for estimate in estimates])
        table.returned.extend([estimate.returned for estimate in estimates])

    def _add_steerings(self, found: Sequence[tuple[Steering, int, int]]) -> None:
        table = self.steerings
        self._add_shared(table, found)
        table.model.extend(_places(self.models, (event.model for event, _, _ in found)))
        place, requests = self.requests.setdefault, table.requests
        for event, _, _ in found:
            named: Iterable[str] = event.request_ids
            if len(event.request_ids) > 1:
                named = dict.fromkeys(named)
            for name in named:
                requests.append(place(name, len(self.requests)))
            table.ends.append(len(requests))
        table.cost.extend([event.cost for event, _, _ in found])
        usages = [event.usage for event, _, _ in found]
        table.read.extend([usage.input_tokens for usage in usages])
        table.written.extend([usage.output_tokens for usage in usages])
        table.cache_read.extend([usage.cache_read_input_tokens for usage in usages])
        table.cache_written.extend([usage.cache_creation_input_tokens for usage in usages])

    def _add_corrections(self, found: Sequence[tuple[Correction, int, int]]) -> None:
        table = self.corrections
        self._add_shared(table, found)
        table.request.extend(_places(self.requests, (event.request_id for event, _, _ in found)))
        table.cost.extend([event.cost for event, _, _ in found])
        table.read.extend([event.tokens_read for event, _, _ in found])
        table.written.extend([event.tokens_written for event, _, _ in found])


def _places(names: dict[str, int], found: Iterable[str]) -> list[int]:
    """Return the place of each name, the next free one for a new name."""
    place = names.setdefault
    return [place(name, len(names)) for name in found]
