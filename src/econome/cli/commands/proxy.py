"""`econome proxy`: an MCP server for less. Without a subcommand it is the proxy itself."""

from __future__ import annotations

import click

from econome.cli.behind import BehindGroup
from econome.cli.params import params
from econome.cli.proxy_texts import PROXY, PROXY_COMMANDS, PROXY_HELP, PROXY_OPTIONS
from econome.lean import FORMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["command"]

_INSTALL = "econome.cli.commands.proxy_install"
_HOMES = {
    "install": (_INSTALL, "install"),
    "uninstall": (_INSTALL, "uninstall"),
    "list": (_INSTALL, "listing"),
}


class _Proxy(BehindGroup):
    summaries = PROXY_COMMANDS
    homes = _HOMES
    stray = PROXY["behind"]


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
