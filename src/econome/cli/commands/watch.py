"""`econome watch`: the overview, drawn again whenever a transcript grows."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from typing import Any

import click
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from econome.cli.opening import World, look
from econome.cli.params import params
from econome.cli.render import overview as page
from econome.cli.render.empty import nowhere
from econome.cli.render.screen import FAINT, Screen
from econome.cli.texts import COMMANDS, WATCH
from econome.errors import RootMissing
from econome.usage.asking import Asked, ask
from econome.usage.overview import overview
from econome.usage.watched import places

__all__ = ["command", "frame"]

_CALM_MS = 1000
"""Changes within this time are shown together."""
_TICK_MS = 1000
"""So often the size of the terminal is looked at."""
_OLD_SECONDS = 30.0
"""After so long it is drawn again although nothing changed: a day may have begun."""


@click.command(help=COMMANDS["watch"])
@params("timezone", "root", "data-dir", "offline", "no-index")
def command(**values: object) -> None:
    """Draw, wait for a change, draw again, until Ctrl-C."""
    asked = ask(values)
    gc.enable()  # which commands that end soon go without
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        raise click.UsageError(WATCH["no_terminal"])
    with look(asked.timezone, asked.data_dir) as world:
        watched = places(asked.roots or world.settings.roots())
        if not watched:
            for root in asked.roots or ():
                if not os.path.isdir(root):
                    raise RootMissing(root)
            nowhere(Screen(console), world.settings, asked.roots)
            return
    with Live(
        frame(asked, console, quiet=False), console=console, screen=True, auto_refresh=False
    ) as live:
        size, drawn = console.size, time.monotonic()
        for changes in _changes(watched):
            old = time.monotonic() - drawn >= _OLD_SECONDS
            if changes or old or console.size != size:
                live.update(frame(asked, console), refresh=True)
                size, drawn = console.size, time.monotonic()


def frame(asked: Asked, console: Console, *, quiet: bool = True) -> Group:
    """Return what the terminal shows now; unless *quiet*, a long scan shows its progress first."""
    with look(asked.timezone, asked.data_dir) as world:
        tree = world.open(asked.roots, index=asked.index, quiet=quiet)
        found = overview(tree, world.zone, world.today)
        lines = _lines(found, world, asked, console)
    return Group(*lines[: console.height])


def _lines(found: dict[str, Any], world: World, asked: Asked, console: Console) -> list[Text]:
    screen = Screen(console, keep=True)
    page.show(screen, found, world.zone_name(asked.timezone))
    return [Text(WATCH["remark"], style=FAINT), *screen.kept]


def _changes(watched: list[str]) -> Iterator[set[Any]]:
    """Yield what changed whenever a transcript did, and nothing at every tick."""
    from watchfiles import watch

    return watch(
        *watched,
        debounce=_CALM_MS,
        rust_timeout=_TICK_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
        watch_filter=lambda _, path: path.endswith((".jsonl", ".json")),
    )
