"""The click application: the group, its lazily imported commands, and what failures look like.

A command's module is imported only when the command runs, so that the help page of the group
costs click and nothing else; its summaries come from a table.
"""

from __future__ import annotations

import importlib
import sys

import click

from econome import __version__
from econome.cli import failures
from econome.cli.params import params
from econome.cli.texts import ABOUT, COMMANDS
from econome.errors import EconomeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cli", "main"]

_ELSEWHERE = {"prices": ("econome.cli.prices", "prices")}
"""Commands that do not stand as `command` in a module of their name in `econome.cli.commands`."""


class _Commands(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None where there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, name = _ELSEWHERE.get(cmd_name, (f"econome.cli.commands.{cmd_name}", "command"))
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands without importing one of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Commands,
    help=ABOUT,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="econome", message="%(prog)s %(version)s")
@params("timezone", "root", "data-dir", "json", "no-index")
@click.pass_context
def cli(context: click.Context, /, **values: object) -> None:
    """Show the overview where no command is named."""
    if context.invoked_subcommand is None:
        from econome.cli.commands.overview import show

        show(values)
        return
    given = [name for name, value in values.items() if value]
    if given:
        option, name = "--" + given[0].replace("_", "-"), context.invoked_subcommand
        command = cli.get_command(context, name)
        if command is not None and all(option not in one.opts for one in command.params):
            raise click.UsageError(f"{option} is no option of {name!r}")
        raise click.UsageError(f"{option} stands before the command; write it after {name!r}")


def main(argv: Sequence[str]) -> int:
    """Run the command line *argv*; return the exit code, having said in one line what failed."""
    try:
        with cli.make_context("econome", list(argv)) as context:
            cli.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        return _refuse(error, argv)
    except EconomeError as error:
        return failures.report(error)
    except BrokenPipeError:
        return failures.quiet_pipe()
    except OSError as error:
        return failures.unwritable(error)
    except (KeyboardInterrupt, click.Abort):
        return failures.interrupted()
    return 0


def _refuse(error: click.ClickException, argv: Sequence[str]) -> int:
    """Say in one line why a command line cannot be understood."""
    from econome.unseen import visible

    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None:
        path = context.command_path
    else:
        path = " ".join(["econome", *(word for word in argv[:1] if word in COMMANDS)])
    reason = " ".join(error.format_message().split()).rstrip(".")
    print(visible(f"{path}: {reason} (see {path} --help)"), file=sys.stderr)
    return error.exit_code
