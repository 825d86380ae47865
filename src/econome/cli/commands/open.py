"""`econome open`: the running server's page, by a link that works once."""

from __future__ import annotations

import sys

import click

from econome import settings
from econome.cli.params import params
from econome.cli.server_texts import OPEN, SERVER_OPTIONS
from econome.cli.texts import COMMANDS

__all__ = ["command"]


@click.command(help=COMMANDS["open"])
@click.option("--print", "printed", is_flag=True, help=SERVER_OPTIONS["print"])
@params("data-dir")
def command(printed: bool, data_dir: str | None) -> None:
    """Ask the server for a link, and follow or print it."""
    from econome.server.client import login_link

    link = login_link(settings.load(data_dir=data_dir))
    if printed:
        sys.stdout.write(link + "\n")
    elif _opened(link):
        print(OPEN["opened"])
    else:
        print(OPEN["no_browser"], file=sys.stderr)
        sys.stdout.write(link + "\n")


def _opened(link: str) -> bool:
    import webbrowser

    try:
        return webbrowser.open(link)
    except webbrowser.Error:
        return False
