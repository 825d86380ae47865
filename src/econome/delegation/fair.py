"""A queue that serves its lines by turns: whoever asks much waits behind their own requests, not in front of others'.

It knows lines and what waits in them. It has no bound, since that is one over all queues.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

__all__ = ["FairQueue"]

_T = TypeVar("_T")


class FairQueue(Generic[_T]):
    """What waits, first come first served within a line, the lines by turns.

    A line that becomes empty loses its turn; when it comes again it stands behind the others.
    """

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines: dict[Hashable, deque[_T]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def __iter__(self) -> Iterator[_T]:
        """Yield what waits in the order in which it would be served."""
        lines = deque(iter(line) for line in self._lines.values())
        while lines:
            line = lines.popleft()
            for one in line:
                yield one
                lines.append(line)
                break

    def put(self, line: Hashable, one: _T) -> None:
        """Let one wait at the end of its line."""
        self._lines.setdefault(line, deque()).append(one)

    def take(self) -> _T | None:
        """Take the next one out; None where nothing waits."""
        for line, waiting in self._lines.items():
            one = waiting.popleft()
            del self._lines[line]
            if waiting:
                self._lines[line] = waiting  # behind the others
            return one
        return None

    def remove(self, line: Hashable, one: _T) -> None:
        """Take one out that waits in a line.

        Raises:
            ValueError: it does not wait there.
        """
        waiting = self._lines.get(line, deque())
        waiting.remove(one)
        if not waiting:
            del self._lines[line]
