"""The one line of a terminal that shows how far a request is."""

from __future__ import annotations

import sys

from econome.cli.delegate_texts import DELEGATE
from econome.cli.render.figures import plain
from econome.cli.render.notes import counted
from econome.delegation.order import Standing
from econome.delegation.wire import QUEUED

__all__ = ["LiveLine"]

_CLEAR = "\r\x1b[K"


class LiveLine:
    """Draws over itself on standard error, and nothing where that is no terminal.

    The seconds that it shows are those of work: neither those in the queue nor those in which a person was asked.
    """

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self._drawn = False
        self._idle_s = 0.0

    def draw(self, standing: Standing) -> None:
        """Show how a request stands."""
        if standing.status == QUEUED:
            self._idle_s = standing.waiting_s
        if not self.shown:
            return
        print(f"{_CLEAR}{self._line(standing)}", end="", file=sys.stderr, flush=True)
        self._drawn = True

    def _line(self, standing: Standing) -> str:
        if standing.status == QUEUED:
            return DELEGATE["queued"].format(position=standing.position)
        facts = {
            "model": plain(standing.model or DELEGATE["some_model"]),
            "written": counted("tokens", standing.written),
            "seconds": f"{max(0.0, standing.waiting_s - self._idle_s):.0f}",
        }
        return DELEGATE["running" if standing.written else "reading"].format(**facts)

    def rest(self, seconds: float) -> None:
        """Leave out so many seconds, in which a person was asked."""
        self._idle_s += seconds

    def wipe(self) -> None:
        """Leave the line to whatever comes next."""
        if self._drawn:
            print(_CLEAR, end="", file=sys.stderr, flush=True)
            self._drawn = False
