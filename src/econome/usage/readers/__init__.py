"""Readers: one module for each agent whose transcripts can be read; each yields rows (F18).

A reader is a row of `READERS` and a module of that name with a `parser(home, stem, salt, state, many)`: what it returns
takes whole lines and folds their rows. A report that finds nothing changed imports no reader, so what the walk
must know of each (where its files lie, how they are named) stands here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from econome.usage.occurrences import FileFold

    class Parser(Protocol):
        """Reads one file's lines, from any byte on at which a line begins."""

        fold: FileFold
        lines: int
        malformed: int
        rejected: int

        def feed(
            self, data: bytes | bytearray, base: int, start: int = 0, stop: int | None = None
        ) -> None:
            """Read the whole lines in *data* from *start* to *stop*; the first begins at the file's byte *base*."""

        def last(self, data: bytes, base: int) -> bool:
            """Read a last line without its end; say whether it parses. One that does not gives no row (R3)."""

        def state(self) -> Any:
            """Return what reading on from here needs, as a value `marshal` can write."""


__all__ = ["READERS", "VERSION", "Layout", "new_parser", "source_of"]


class Layout:
    """Where a reader's transcripts lie below a root, and how they are named."""

    __slots__ = ("companion", "folder", "parser", "source", "transcript")

    def __init__(
        self,
        source: str,
        parser: int,
        folder: str,
        transcript: tuple[str, str],
        companion: tuple[str, str] | None,
    ) -> None:
        self.source, self.parser, self.folder = source, parser, folder
        self.transcript, self.companion = transcript, companion


READERS = (
    # source, version of its parser, folder, (prefix, suffix) of transcripts, of files that say more of them
    Layout("claude", 1, "projects", ("", ".jsonl"), ("agent-", ".meta.json")),
    Layout("codex", 1, "sessions", ("rollout-", ".jsonl"), None),
)

_parsers: dict[str, Callable[..., Parser]] = {}

VERSION = ".".join(f"{layout.source}{layout.parser}" for layout in READERS)
"""Changes whenever a reader's answers may; an index made under another is made anew (F12)."""


def source_of(relative: str) -> str:
    """Return the source of a transcript from its path below the root."""
    folder = relative.partition("/")[0]
    return next(layout.source for layout in READERS if layout.folder == folder)


def new_parser(source: str, home: str, stem: str, salt: str, state: Any, many: bool) -> Parser:
    """Return a parser of one file of that source, to go on from *state*; *many* says whether there is much to read."""
    make = _parsers.get(source)
    if make is None:
        from importlib import import_module

        make = _parsers[source] = import_module(f"econome.usage.readers.{source}").parser
    return make(home, stem, salt, state, many)
