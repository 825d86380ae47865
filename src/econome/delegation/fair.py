"""A queue that serves by turns: whoever asks much waits behind their own requests, not in front of others'.

Clients have turns, and within a client's its sessions, so that many sessions of one client take nothing from another. It
knows names and what waits under them. It has no bound, since that is one over all queues.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

__all__ = ["FairQueue"]

_T = TypeVar("_T")

_Line = tuple[Hashable, Hashable]


class FairQueue(Generic[_T]):
    """What waits, in lines that each have a client and a session; first come first served within a line.

    Who has nothing waiting any more loses their turn; when they come again they stand behind the others.
    """

    __slots__ = ("_clients",)

    def __init__(self) -> None:
        self._clients: dict[Hashable, dict[Hashable, deque[_T]]] = {}

    def __len__(self) -> int:
        return sum(len(line) for lines in self._clients.values() for line in lines.values())

    def __iter__(self) -> Iterator[_T]:
        """Yield what waits in the order in which it would be served."""
        return _by_turns(_by_turns(lines.values()) for lines in self._clients.values())

    def put(self, line: _Line, one: _T) -> None:
        """Let one wait at the end of its line."""
        client, session = line
        self._clients.setdefault(client, {}).setdefault(session, deque()).append(one)

    def take(self) -> _T | None:
        """Take the next one out; None where nothing waits."""
        for client, lines in self._clients.items():
            session = next(iter(lines))
            waiting = lines.pop(session)
            one = waiting.popleft()
            if waiting:
                lines[session] = waiting  # behind the client's others
            del self._clients[client]
            if lines:
                self._clients[client] = lines
            return one
        return None

    def remove(self, line: _Line, one: _T) -> None:
        """Take one out that waits in a line.

        Raises:
            ValueError: it does not wait there.
        """
        client, session = line
        lines = self._clients.get(client, {})
        waiting = lines.get(session, deque())
        waiting.remove(one)
        if not waiting:
            del lines[session]
        if not lines:
            del self._clients[client]


def _by_turns(lines: Iterable[Iterable[_T]]) -> Iterator[_T]:
    left = deque(map(iter, lines))
    while left:
        line = left.popleft()
        for one in line:
            yield one
            left.append(line)
            break
