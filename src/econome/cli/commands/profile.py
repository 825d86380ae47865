"""`econome profile`: what servers cost, and what would make them cheaper."""

from __future__ import annotations

import click

from econome.cli.behind import BehindCommand
from econome.cli.params import params
from econome.cli.profile_texts import PROFILE, PROFILE_HELP, PROFILE_OPTIONS
from econome.cli.sources_asked import once, source_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["command"]


class _Profile(BehindCommand):
    stray = PROFILE["behind"]


@click.command(
    cls=_Profile,
    help=PROFILE_HELP,
    options_metavar="[OPTIONS] [-- COMMAND...]",
)
@source_options()
@once("log", "FILE", PROFILE_OPTIONS["log"])
@click.option("--transcripts", is_flag=True, help=PROFILE_OPTIONS["transcripts"])
@params("root", "data-dir", texts=PROFILE_OPTIONS)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help=PROFILE_OPTIONS["limit"],
)
@once("html", "FILE", PROFILE_OPTIONS["html"])
@params("json", texts=PROFILE_OPTIONS)
@click.pass_context
def command(context: click.Context, /, **values: Any) -> None:
    """Look at what is asked for, and print it."""
    for name in ("root", "data_dir"):
        if values[name] and not values["transcripts"]:
            raise click.UsageError(PROFILE["with_transcripts"].format(name=name.replace("_", "-")))
    if values["html"] == "-":
        raise click.UsageError(PROFILE["html_file"])
    from econome.cli.profiling import run

    if not run(context.obj, values):
        context.exit(1)
