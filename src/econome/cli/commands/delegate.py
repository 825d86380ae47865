"""`econome delegate`: one task for a local model, from the command line."""

from __future__ import annotations

import gc
import sys

import click

from econome import settings
from econome.cli.delegate_texts import DELEGATE, DELEGATE_HELP, DELEGATE_OPTIONS
from econome.cli.params import params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from econome.delegation.order import Order

__all__ = ["command"]

_STANDARD_INPUT = "-"


@click.command(help=DELEGATE_HELP)
@click.argument("brief")
@click.option("--file", "files", multiple=True, metavar="FILE", help=DELEGATE_OPTIONS["file"])
@click.option("--output", metavar="FILE", help=DELEGATE_OPTIONS["output"])
@click.option("--overwrite", is_flag=True, help=DELEGATE_OPTIONS["overwrite"])
@click.option("--preset", metavar="NAME", help=DELEGATE_OPTIONS["preset"])
@click.option("--format", "form", metavar="FORMAT", help=DELEGATE_OPTIONS["format"])
@click.option("--preview", is_flag=True, help=DELEGATE_OPTIONS["preview"])
@click.option(
    "--deadline",
    type=click.FloatRange(0, 31_536_000, min_open=True),
    metavar="SECONDS",
    help=DELEGATE_OPTIONS["deadline"],
)
@click.option("--apply", "applies", is_flag=True, help=DELEGATE_OPTIONS["apply"])
@params("json", "data-dir", texts=DELEGATE_OPTIONS)
def command(
    brief: str,
    files: tuple[str, ...],
    output: str | None,
    overwrite: bool,
    preset: str | None,
    form: str | None,
    preview: bool,
    deadline: float | None,
    applies: bool,
    json: bool,
    data_dir: str | None,
) -> None:
    """Hand the task over, wait for its end, print the answer."""
    from econome.cli.delegating import Dialogue
    from econome.delegation.order import FULL, PREVIEW, Order

    gc.enable()  # which commands that end soon go without
    order = Order(
        _given(brief),
        preset,
        form,
        files,
        output,
        overwrite,
        PREVIEW if preview else FULL,
        deadline,
    )
    _check(order)
    with Dialogue(settings.load(data_dir=data_dir), applies=applies, quiet=json) as dialogue:
        said = dialogue.hold(order)
    if json:
        print(said.text)
    else:
        dialogue.show(said)
    if said.failed or dialogue.unapplied:
        raise click.exceptions.Exit(1)


def _check(order: Order) -> None:
    """Refuse what no request can ask, before anybody is asked; the journal hears of none of it.

    Raises:
        UsageError: an argument is wrong.
    """
    from econome.delegation.formats import read_format
    from econome.errors import DelegationRefused
    from econome.server.delegating.wire import delegate_arguments, read_order

    read_order(delegate_arguments(order, 0))
    if order.format is not None:
        try:
            read_format(order.format)
        except DelegationRefused as error:
            _, _, reason = str(error).partition(": ")
            raise click.BadParameter(reason, param_hint="--format") from None


def _given(brief: str) -> str:
    """Return the brief, which may come from standard input."""
    if brief == _STANDARD_INPUT:
        brief = "" if sys.stdin is None else sys.stdin.read()
    if not brief.strip():
        raise click.UsageError(DELEGATE["no_brief"])
    return brief
