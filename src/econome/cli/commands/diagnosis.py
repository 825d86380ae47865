"""`econome diagnosis`: what cost more than it had to, what that is worth, and what to do."""

from __future__ import annotations

import sys

import click

from econome.cli.diagnosis_texts import DIAGNOSIS_OPTIONS
from econome.cli.opening import look
from econome.cli.params import params
from econome.cli.texts import COMMANDS
from econome.diagnosis.asking import DIAGNOSIS, ask_diagnosis

__all__ = ["command"]


@click.command(help=COMMANDS["diagnosis"])
@params(*(option.name for option in DIAGNOSIS), table=DIAGNOSIS, texts=DIAGNOSIS_OPTIONS)
def command(**values: object) -> None:
    """Judge, and tell what was found."""
    from econome.diagnosis.collecting import diagnose

    asked = ask_diagnosis(values)
    with look(asked.timezone, asked.data_dir) as world:
        tree = world.open(asked.roots, index=asked.index)
        since, until = asked.period(world.today)
        report = diagnose(world.settings, tree, since, until, world.zone, world.today)
        if asked.form == "json":
            from econome.jsontext import dumps

            sys.stdout.write(dumps(report) + "\n")
            return
        from econome.cli.render import diagnosis as page
        from econome.cli.render.empty import nothing_found
        from econome.cli.render.screen import Screen

        screen = Screen()
        if not nothing_found(screen, report, world.settings, asked.roots):
            page.show(screen, report, world.zone)
