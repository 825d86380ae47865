"""Command lines with a command of somebody else's in them: what stands behind the first `--` starts a server, and is not looked at.

A command of these kinds finds it in `click.Context.obj`: a tuple of words, empty where there was none.
"""

from __future__ import annotations

import importlib
import shlex

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import ClassVar

__all__ = ["BehindCommand", "BehindGroup", "PlainCommand"]

_WORDS = "econome.behind.words"


def _refuse_empty(context: click.Context) -> None:
    """Refuse an option with an empty value: it is a variable that was not set, and must not count as not given."""
    for option in context.command.params:
        held = context.params.get(option.name or "")
        if held == "" or (isinstance(held, tuple) and "" in held):
            raise click.UsageError(f"{option.opts[-1]} is empty", context)


class PlainCommand(click.Command):
    """A command that refuses options with an empty value, as those do which start a server."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options, and refuse those that are empty."""
        rest = super().parse_args(ctx, args)
        _refuse_empty(ctx)
        return rest


class BehindCommand(PlainCommand):
    """A command without arguments of its own.

    *stray* is what is said of a word that stands before the `--`, with `{words}` for the command line as it was meant.
    """

    allow_interspersed_args = False
    stray: ClassVar[str]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put aside what stands behind the first `--`, and refuse what is left over."""
        ctx.obj, ctx.allow_extra_args = (), True
        before = list(args)
        if "--" in args:
            cut = args.index("--")
            before, ctx.obj = before[:cut], tuple(args[cut + 1 :])
        rest = super().parse_args(ctx, list(before))
        if rest and not ctx.resilient_parsing:
            words = _meant(self, before[: len(before) - len(rest)], rest, ctx.obj)
            raise click.UsageError(self.stray.format(words=words), ctx)
        return rest


class BehindGroup(click.Group):
    """A group whose own work needs no subcommand, and whose subcommands are imported when they are asked for.

    *summaries* are the subcommands with their lines of the help page, in its order; *homes* say in which module each stands
    and under which name. *stray* is as in `BehindCommand`.
    """

    summaries: ClassVar[Mapping[str, str]]
    homes: ClassVar[Mapping[str, tuple[str, str]]]
    stray: ClassVar[str]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put aside what stands behind the first `--`, unless a subcommand comes first."""
        ctx.obj = ()
        ctx.meta[_WORDS] = tuple(args)
        if "--" in args:
            cut = args.index("--")
            if not any(word in self.summaries for word in args[:1]):
                ctx.obj = tuple(args[cut + 1 :])
                args = args[:cut]
        rest = super().parse_args(ctx, args)
        _refuse_empty(ctx)
        return rest

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a subcommand; what is none was meant to be the server's command."""
        if args[0] not in self.summaries:
            given = ctx.meta[_WORDS]
            words = _meant(self, given[: len(given) - len(args)], args)
            raise click.UsageError(self.stray.format(words=words), ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands, in the order of the help page."""
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a subcommand."""
        if cmd_name not in self.homes:
            return None
        module, name = self.homes[cmd_name]
        found: click.Command = getattr(importlib.import_module(module), name)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of subcommands without importing one of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))


def _meant(
    command: click.Command, own: Sequence[str], left: Sequence[str], behind: Sequence[str] = ()
) -> str:
    """Return the words of a command line as they were meant: options of ours, `--`, what starts the server.

    *own* were read as ours; *left* begins with the first word that was not, and *behind* stood behind the `--` already.
    """
    ours, server, rest = list(own), [], iter(left)
    options = {name: one for one in command.params for name in one.opts}
    for word in rest:
        name, valued, _ = word.partition("=")
        option = options.get(name)
        if option is None:
            server.append(word)
            continue
        ours.append(word)
        if not valued and isinstance(option, click.Option) and not option.is_flag:
            ours += [value for value in [next(rest, None)] if value is not None]
    return shlex.join([*ours, "--", *server, *behind])
