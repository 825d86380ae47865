"""`econome backends`: which models could do the work, and which one would."""

from __future__ import annotations

import sys

import click

from econome import settings
from econome.cli.backends_texts import BACKENDS_HELP, BACKENDS_OPTIONS
from econome.cli.params import params

__all__ = ["command"]


@click.command(help=BACKENDS_HELP)
@params("json", "data-dir", texts=BACKENDS_OPTIONS)
def command(json: bool, data_dir: str | None) -> None:
    """Look, and tell."""
    import asyncio

    from econome.cli.surveying import survey

    report = asyncio.run(survey(settings.load(data_dir=data_dir)))
    if json:
        from econome.jsontext import dumps

        sys.stdout.write(dumps(report) + "\n")
        return
    from econome.cli.render.backends import show
    from econome.cli.render.screen import Screen

    show(Screen(), report)
