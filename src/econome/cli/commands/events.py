"""`econome events`: what goes into the ledger from files, and what came in last."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

import click

from econome import settings
from econome.cli.params import params
from econome.cli.server_texts import EVENTS, SERVER_OPTIONS, SUBCOMMANDS
from econome.cli.texts import COMMANDS

__all__ = ["command"]

_SHOWN = 10
_CALM_MS = 50
"""Changes within this time are shown together."""
_TICK_MS = 1000
"""So often the file is looked at although nothing was noticed: it may not have been there yet."""


@click.group(help=COMMANDS["events"], no_args_is_help=False)
def command() -> None:
    """Hold the two commands together."""


@command.command("import", help=SUBCOMMANDS["events import"])
@click.argument("file", metavar="FILE")
@params("data-dir")
def _import(file: str, data_dir: str | None) -> None:
    """Check the whole file, send its events, say what became of them."""
    from econome.cli.importing import bring, opened
    from econome.cli.render.notes import counted

    with opened(file) as source:
        done = bring(source, file, settings.load(data_dir=data_dir))
    print(
        EVENTS["imported"].format(
            received=f"{done.received:,}",
            duplicates=counted("duplicates", done.duplicates),
            conflicts=counted("conflicts", done.conflicts),
        )
    )


@command.command("tail", help=SUBCOMMANDS["events tail"])
@click.option(
    "-n", "count", type=click.IntRange(0), default=_SHOWN, metavar="N", help=SERVER_OPTIONS["count"]
)
@click.option("--follow", is_flag=True, help=SERVER_OPTIONS["follow"])
@click.option("--json", "raw", is_flag=True, help=SERVER_OPTIONS["raw"])
@params("data-dir")
def _tail(count: int, follow: bool, raw: bool, data_dir: str | None) -> None:
    """Show the last lines, then those that are added."""
    from econome.savings.reading import LEDGER
    from econome.savings.tail import Tail

    end = Tail(os.path.join(settings.load(data_dir=data_dir).ledger_dir(), LEDGER))
    show = _show_raw if raw else _show_told
    lines = end.last(count)
    for line in lines:
        show(line)
    if not follow:
        if not lines and count:
            print(EVENTS["none"].format(path=end.path), file=sys.stderr)
        return
    gc.enable()  # which commands that end soon go without
    for _ in _looks(end.path):
        for line in end.added():
            show(line)


def _show_raw(stored: bytes) -> None:
    sys.stdout.buffer.write(stored + b"\n")
    sys.stdout.buffer.flush()


def _show_told(stored: bytes) -> None:
    from econome.cli.render.events import line

    encoding = sys.stdout.encoding or "ascii"
    print(line(stored).encode(encoding, "replace").decode(encoding), flush=True)


def _looks(path: str) -> Iterator[None]:
    """Yield whenever the file at *path* may have grown."""
    from watchfiles import watch

    while True:
        place = _nearest(path)
        changes = watch(
            place,
            recursive=False,
            debounce=_CALM_MS,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            raise_interrupt=True,
        )
        for _ in changes:
            yield
            if _nearest(path) != place:
                break


def _nearest(path: str) -> str:
    """Return the directory of a file, or of those above it the first that is there."""
    place = os.path.dirname(path)
    while not os.path.isdir(place) and place != os.path.dirname(place):
        place = os.path.dirname(place)
    return place
