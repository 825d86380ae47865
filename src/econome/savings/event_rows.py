"""What is told of one stored event: its date, ids and figures, what the journal joins to it, how much of it counts.

Pure: its line and where it is are arguments.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from econome.savings.endings import NONE
from econome.savings.question import KINDS
from econome.savings.selecting import Chosen, Place
from econome.savings.wire import RECEIVED_FIELD, Correction, Delegation, Event, Steering
from econome.times import instant_text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MOST_REQUESTS", "Joined", "event_row"]

MOST_REQUESTS = 20
"""So many of the requests of a steering event are named; how many there are is told."""

_read = msgspec.json.Decoder(Event).decode
_read_any = msgspec.json.Decoder(dict[str, Any]).decode


class Joined:
    """What the journal names of the requests of some events: preset, format and model, by the first line of each."""

    def __init__(self, chosen: Chosen, places: Iterable[Place]) -> None:
        self._chosen, books = chosen, chosen.books
        asked = {self._first(place) for place in places} - {NONE}
        self._rows: dict[int, int] = {}
        if asked:
            for row, request in enumerate(books.endings.request):
                if request in asked:
                    self._rows.setdefault(request, row)
        self._names = list(books.endings.names)

    def _first(self, place: Place) -> int:
        """Return the first of the requests that an event belongs to, `NONE` where nobody knows any of them."""
        kind, books = KINDS[place.kind], self._chosen.books
        if kind == "delegation":
            return books.delegations.request[place.at]
        if kind == "conflict":
            return self._chosen.requests.first_known(books.conflicts.events[place.at][2])
        named: Sequence[int]
        if kind == "steering":
            named = self._chosen.requests_of(place.at)
        else:
            named = [books.corrections.request[place.at]]
        known = self._chosen.requests.known
        return next((one for one in named if known[one]), NONE)

    def of(self, place: Place) -> dict[str, Any]:
        """Return what is named, and whether a request of the event is known."""
        request, endings = self._first(place), self._chosen.books.endings
        row = self._rows.get(request)
        named: dict[str, Any] = {"attached": request != NONE}
        for key, column in (
            ("preset", endings.preset), ("format", endings.format), ("model", endings.model),
        ):  # fmt: skip
            name = NONE if row is None else column[row]
            named[key] = None if name == NONE else self._names[name]
        return named


def event_row(chosen: Chosen, joined: Joined, place: Place, line: bytes) -> dict[str, Any]:
    """Return what is told of the event on *line*.

    `tokens` is what it avoided or cost, `counted` how much of that counts for the selection: of a steering event the
    parts of the requests that were asked for, of a conflict nothing.

    Raises:
        ValueError: the line holds no event.
    """
    event, received_at = _read(line), _read_any(line).get(RECEIVED_FIELD)
    conflict = KINDS[place.kind] == "conflict"
    kind, tokens, read, written = _figures(event)
    counted = 0 if conflict else tokens
    if isinstance(event, Steering) and not conflict:
        counted = chosen.counted_of(place)
    return {
        "kind": kind,
        "conflict": conflict,
        "id": event.id,
        "date": event.date,
        "at": instant_text(place.seconds),
        "received_at": received_at if isinstance(received_at, str) else None,
        "client": event.client,
        "session": event.session_id,
        **_requests(event),
        **joined.of(place),
        "by": event.model if isinstance(event, Steering) else None,
        "tool": event.tool if isinstance(event, Correction) else None,
        "tokens": tokens,
        "counted": counted,
        "read": read,
        "written": written,
    }


def _figures(event: Event) -> tuple[str, int, int, int]:
    """Return the kind of an event, what it avoided or cost, and the tokens read and written in that."""
    if isinstance(event, Delegation):
        estimate = event.estimate
        return "delegation", estimate.avoided, estimate.read, estimate.written
    if isinstance(event, Correction):
        return "correction", event.cost, event.tokens_read, event.tokens_written
    usage = event.usage
    read = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
    return "steering", event.cost, read, usage.output_tokens


def _requests(event: Event) -> dict[str, Any]:
    names = (
        [event.request_id] if not isinstance(event, Steering) else dict.fromkeys(event.request_ids)
    )
    return {"requests": list(names)[:MOST_REQUESTS], "request_count": len(names)}
