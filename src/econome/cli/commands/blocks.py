"""`econome blocks`: the 5-hour windows, estimated."""

from __future__ import annotations

import sys

import click

from econome.cli.opening import look
from econome.cli.params import params
from econome.cli.texts import COMMANDS
from econome.usage.asking import ask
from econome.usage.blocks import blocks_report

__all__ = ["command"]

_OPTIONS = (
    "days", "since", "until", "source", "timezone", "root", "data-dir", "limit", "json", "offline",
    "no-index",
)  # fmt: skip
_SHOWN = 10


@click.command(help=COMMANDS["blocks"])
@params(*_OPTIONS)
def command(**values: object) -> None:
    """Answer in the form that was asked for."""
    asked = ask(values)
    with look(asked.timezone, asked.data_dir) as world:
        tree = world.open(asked.roots, index=asked.index)
        since, until = asked.period(world.today)
        limit = asked.limit if asked.form == "json" else None
        report = blocks_report(
            tree, world.zone, world.now, source=asked.source or "claude", since=since, until=until,
            limit=limit,
        )  # fmt: skip
        if asked.form == "json":
            from econome.jsontext import dumps

            sys.stdout.write(dumps(report) + "\n")
            return
        from econome.cli.render import blocks
        from econome.cli.render.empty import nothing_found
        from econome.cli.render.screen import Screen

        screen = Screen()
        if not nothing_found(screen, report, world.settings, asked.roots):
            gone = tree.totals["from_history"]
            blocks.show(screen, report, world, asked.limit or _SHOWN, gone)
