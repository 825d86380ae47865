"""The progress bar of a scan: on a terminal's standard error, once the scan has taken half a second."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["ScanProgress"]

_PATIENCE_SECONDS = 0.5


class ScanProgress:
    """Told how many bytes were read, of how many; draws nothing for a scan that is soon over."""

    __slots__ = ("_bar", "_begun")

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._bar: Progress | None = None

    def __call__(self, done: int, total: int) -> None:
        """Show that *done* of *total* bytes were read."""
        if self._bar is None:
            if time.monotonic() - self._begun < _PATIENCE_SECONDS:
                return
            self._bar = _started(total)
        self._bar.update(self._bar.task_ids[0], completed=done, total=total)

    def close(self) -> None:
        """Take the bar away."""
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.stop()


def _started(total: int) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    from econome.cli.texts import READING

    columns = (TextColumn(READING), BarColumn(), DownloadColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    bar.add_task(READING, total=total)
    return bar
