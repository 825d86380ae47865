"""`econome token`: the server's secret. This is the one place that shows it."""

from __future__ import annotations

import sys

import click

from econome import settings
from econome.cli.addresses import REMOVE_LINE, add_line, usual_url
from econome.cli.params import params
from econome.cli.server_texts import SUBCOMMANDS, TOKEN
from econome.cli.texts import COMMANDS

__all__ = ["command"]


@click.group(help=COMMANDS["token"], no_args_is_help=False)
def command() -> None:
    """Hold the two commands together."""


@command.command("show", help=SUBCOMMANDS["token show"])
@params("data-dir")
def _show(data_dir: str | None) -> None:
    """Print the token."""
    from econome.server.token import TokenFile

    found = settings.load(data_dir=data_dir)
    sys.stdout.write(TokenFile(found.token_path()).ensure() + "\n")


@command.command("rotate", help=SUBCOMMANDS["token rotate"])
@params("data-dir")
def _rotate(data_dir: str | None) -> None:
    """Replace the token, and say beside the answer what to do next."""
    from econome.server.token import TokenFile

    found = settings.load(data_dir=data_dir)
    path = found.token_path()
    TokenFile(path).rotate()
    line = add_line(usual_url(found), None if data_dir is None else found.data_dir)
    print(
        TOKEN["rotated"].format(path=path), TOKEN["claude"], f"  {REMOVE_LINE}", f"  {line}",
        sep="\n", file=sys.stderr,
    )  # fmt: skip
