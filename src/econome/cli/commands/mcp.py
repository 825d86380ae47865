"""`econome mcp`: the MCP server of one client, over standard input and output."""

from __future__ import annotations

import gc

import click

from econome import settings
from econome.cli.params import params
from econome.cli.texts import COMMANDS

__all__ = ["command"]


@click.command(help=COMMANDS["mcp"])
@params("data-dir")
def command(data_dir: str | None) -> None:
    """Answer until standard input ends."""
    from econome.server.stdio import stdio

    gc.enable()  # which commands that end soon go without
    stdio(settings.load(data_dir=data_dir))
