"""Notices what changes on disk, in a thread of its own: by the system's notices, else by looking now and then.

It tells paths to whoever made it and keeps nothing of them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from econome.clock import wall
from econome.errors import RootMissing
from econome.usage.walk import walk
from econome.usage.watched import is_transcript, places

if TYPE_CHECKING:
    from econome.settings import Settings

__all__ = ["LOOK_SECONDS", "YOUNG_SECONDS", "Looks", "Watch"]

LOOK_SECONDS: Final = 5.0
"""So often the disk is looked at where the system gives no notices."""

YOUNG_SECONDS: Final = 5.0
"""What changed so shortly before somebody listens may be newer than the page that does."""

_STEP_MS, _CALM_MS = 100, 400
_TICK_MS = 2000
"""So often it is looked whether there is another directory to watch."""

_Facts = tuple[int, ...]


class Looks:
    """What is watched, as it is on disk: the transcripts below the roots of the settings, and the ledger."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def places(self) -> list[str]:
        """Return the directories to watch, of those that are there."""
        ledger = self._settings.ledger_dir()
        return [*places(self._roots()), *([ledger] if os.path.isdir(ledger) else ())]

    def files(self) -> dict[str, _Facts]:
        """Return every file that is watched, with its size and the time of its change, in nanoseconds."""
        roots = self._roots()
        found: dict[str, _Facts] = {
            os.path.join(root, path): stat[2:4]
            for root, files in zip(roots, walk(roots).files, strict=True)
            for path, stat in files.items()
        }
        try:
            with os.scandir(self._settings.ledger_dir()) as entries:
                for entry in entries:
                    if is_transcript(entry.path) and entry.is_file():
                        status = entry.stat()
                        found[entry.path] = status.st_size, status.st_mtime_ns
        except OSError:
            pass  # no ledger yet, or a file of it that is gone again
        return found

    def young(self) -> list[str]:
        """Return the files that changed in the last seconds."""
        since = (wall() - YOUNG_SECONDS) * 1e9
        return [path for path, facts in self.files().items() if facts[-1] > since]

    def _roots(self) -> list[str]:
        try:
            return self._settings.roots()
        except RootMissing:
            return []


class Watch:
    """One look that goes on until it is stopped; *tell* is called in its thread with the paths of what changed."""

    def __init__(
        self, looks: Looks, tell: Callable[[Iterable[str]], None], *, notices: bool = True
    ) -> None:
        self._looks, self._tell, self._notices = looks, tell, notices
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Tell nothing more; the thread ends soon after."""
        self._stopped.set()

    def join(self, seconds: float) -> None:
        """Wait so long for the thread to end."""
        self._thread.join(seconds)

    def _run(self) -> None:
        while not self._stopped.is_set():
            if not (self._notices and self._by_notices()):
                self._by_looking()

    def _by_notices(self) -> bool:
        """Tell what the system gives notice of until the directories are others; return False where it gives none."""
        watched = self._looks.places()
        if not watched:
            return False
        try:
            from watchfiles import watch

            for changes in watch(
                *watched,
                watch_filter=lambda _, path: is_transcript(path),
                debounce=_CALM_MS,
                step=_STEP_MS,
                rust_timeout=_TICK_MS,
                yield_on_timeout=True,
                raise_interrupt=False,
                ignore_permission_denied=True,
                stop_event=self._stopped,
            ):
                if changes:
                    self._tell({path for _, path in changes})
                if self._looks.places() != watched:
                    return True
        except (ImportError, OSError, RuntimeError):  # the last one is watchfiles' own
            return False
        return True

    def _by_looking(self) -> None:
        """Tell what changed from look to look, as long as the directories are the same."""
        watched, before = self._looks.places(), self._looks.files()
        while not self._stopped.wait(LOOK_SECONDS):
            now = self._looks.files()
            changed = {path for path, _ in now.items() ^ before.items()}
            if changed:
                self._tell(changed)
            before = now
            if self._looks.places() != watched:
                return
