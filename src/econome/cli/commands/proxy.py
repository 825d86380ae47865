"""`econome proxy`: an MCP server for less. Without a subcommand it is the proxy itself."""

from __future__ import annotations

import importlib
import shlex

import click

from econome.cli.params import params
from econome.cli.proxy_texts import PROXY, PROXY_COMMANDS, PROXY_HELP, PROXY_OPTIONS
from econome.lean import FORMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["command"]

_WORDS = "econome.proxy.words"
_FUNCTIONS = {"install": "install", "uninstall": "uninstall", "list": "listing"}


class _Proxy(click.Group):
    """A group whose own work needs no subcommand; what stands behind `--` is the server's and is not looked at."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put aside what stands behind the first `--`, unless a subcommand comes first."""
        ctx.obj = ()
        ctx.meta[_WORDS] = tuple(args)
        if "--" in args:
            cut = args.index("--")
            if not any(word in PROXY_COMMANDS for word in args[:1]):
                ctx.obj = tuple(args[cut + 1 :])
                args = args[:cut]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a subcommand; what is none was meant to be the server's command."""
        if args[0] not in PROXY_COMMANDS:
            raise click.UsageError(PROXY["behind"].format(words=self._sorted(ctx, args)), ctx)
        return super().resolve_command(ctx, args)

    def _sorted(self, ctx: click.Context, args: list[str]) -> str:
        """Return the words of a command line as they were meant: options of the proxy, `--`, what starts the server."""
        given: tuple[str, ...] = ctx.meta[_WORDS]
        own, server, rest = list(given[: len(given) - len(args)]), [], iter(args)
        options = {name: one for one in self.params for name in one.opts}
        for word in rest:
            name, valued, _ = word.partition("=")
            option = options.get(name)
            if option is None:
                server.append(word)
                continue
            own.append(word)
            if not valued and isinstance(option, click.Option) and not option.is_flag:
                own += [value for value in [next(rest, None)] if value is not None]
        return shlex.join([*own, "--", *server])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands, in the order of the help page."""
        return list(PROXY_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a subcommand."""
        if cmd_name not in _FUNCTIONS:
            return None
        module = importlib.import_module("econome.cli.commands.proxy_install")
        found: click.Command = getattr(module, _FUNCTIONS[cmd_name])
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of subcommands without importing one of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(PROXY_COMMANDS.items()))


@click.group(
    cls=_Proxy,
    help=PROXY_HELP,
    invoke_without_command=True,
    subcommand_metavar="(--url URL | -- COMMAND...) | install | uninstall | list",
)
@click.option("--name", metavar="NAME", help=PROXY_OPTIONS["name"])
@click.option("--menu", type=click.Choice(FORMS), help=PROXY_OPTIONS["menu"])
@click.option("--limit", type=click.IntRange(1), metavar="N", help=PROXY_OPTIONS["limit"])
@click.option("--max-bytes", type=click.IntRange(1), metavar="N", help=PROXY_OPTIONS["max-bytes"])
@click.option("--select", is_flag=True, help=PROXY_OPTIONS["select"])
@click.option("--pass", "passing", is_flag=True, help=PROXY_OPTIONS["pass"])
@click.option("--client", metavar="NAME", help=PROXY_OPTIONS["client"])
@click.option("--tokenizer", metavar="NAME", help=PROXY_OPTIONS["tokenizer"])
@click.option("--rules", metavar="FILE", help=PROXY_OPTIONS["rules"])
@click.option("--url", metavar="URL", help=PROXY_OPTIONS["url"])
@click.option("--listen", metavar="[HOST:]PORT", help=PROXY_OPTIONS["listen"])
@click.option("--dry-run", is_flag=True, help=PROXY_OPTIONS["dry-run"])
@click.option("--text", is_flag=True, help=PROXY_OPTIONS["text"])
@params("json", "data-dir", texts=PROXY_OPTIONS)
@click.pass_context
def command(context: click.Context, /, **values: Any) -> None:
    """Stand in between, or print what that would come to."""
    if context.invoked_subcommand is not None:
        given = [name for name, value in values.items() if value]
        if given or context.obj:
            raise click.UsageError(PROXY["alone"].format(name=context.invoked_subcommand))
        return
    words: tuple[str, ...] = context.obj
    for name in ("json", "text"):
        if values[name] and not values["dry_run"]:
            raise click.UsageError(PROXY["dry"].format(name=name))
    if not words and values["url"] is None:
        raise click.UsageError(PROXY["which"])
    if words and values["url"] is not None:
        raise click.UsageError(PROXY["both"])
    from econome.cli.proxying import run

    run(words, values)
