"""`econome statusline` as click knows it: for the help page, since `econome.cli.quick` answers it."""

from __future__ import annotations

import click

from econome.cli import statusline
from econome.cli.params import params
from econome.cli.texts import STATUSLINE_HELP

__all__ = ["command"]


@click.command(help=STATUSLINE_HELP)
@params(*statusline.OPTIONS)
def command(**values: object) -> None:
    """Print the line."""
    statusline.run(values)
