"""Opens what an answer is made from: settings, clock, zone and tree.

It is on the fast path, so it imports only what is on it.
"""

from __future__ import annotations

import sys

from econome import clock, settings
from econome.usage.open import read_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.settings import Settings
    from econome.usage.tree import Tree

__all__ = ["World", "look"]


class World:
    """The moment of an answer, in one zone; and the tree it is about, once opened.

    Use it as a context: at its end, after the answer was printed, what was learnt is kept.
    """

    __slots__ = ("_tree", "now", "settings", "today", "zone")

    def __init__(self, settings: Settings, zone: Zone, now: float) -> None:
        self.settings, self.zone, self.now = settings, zone, now
        self.today: int = self.local(now)[0]
        self._tree: Tree | None = None

    def local(self, seconds: float) -> tuple[int, int]:
        """Return (day number, second of that day) of an instant, in the zone."""
        whole = int(seconds // 1)
        day, second = divmod(whole + self.zone.offset(whole), 86400)
        return day, second

    def zone_name(self, asked: str | None) -> str:
        """Return the name of the zone; *asked* is the one of the command line."""
        from econome.cli.texts import OVERVIEW

        return asked or self.settings.timezone or OVERVIEW["local"]

    def open(self, roots: list[str] | None, *, index: bool = True, quiet: bool = False) -> Tree:
        """Return the tree below *roots*, as it is on disk now; a long scan shows its progress unless *quiet*."""
        progress = None
        if not quiet and sys.stderr is not None and sys.stderr.isatty():
            from econome.cli.progress import ScanProgress

            progress = ScanProgress()
        try:
            self._tree = read_tree(roots, self.settings, index, progress)
        finally:
            if progress is not None:
                progress.close()
        return self._tree

    def __enter__(self) -> World:
        return self

    def __exit__(self, *failure: object) -> None:
        # The answer must be out before the index is written, or a reader waits for nothing.
        try:
            sys.stdout.flush()
        finally:
            if self._tree is not None:
                self._tree.finish()


def look(timezone: str | None, data_dir: str | None = None) -> World:
    """Return the world as the settings, the environment and the clock show it now; *data_dir* is as in `load`.

    Raises:
        SettingsError: the settings file cannot be used.
        UnknownZone: there is no zone of that name.
    """
    found = settings.load(data_dir=data_dir)
    return World(found, clock.zone(timezone or found.timezone), clock.now())
