"""`econome session`: one session, or the latest ones."""

from __future__ import annotations

import sys
from typing import Any

import click

from econome.cli.opening import World, look
from econome.cli.params import params
from econome.cli.texts import ARGUMENTS, COMMANDS
from econome.usage.asking import Asked, ask
from econome.usage.session_asking import one_session
from econome.usage.sessions import sessions_report
from econome.usage.tree import Tree

__all__ = ["command"]

_SHOWN = 15


@click.command(help=f"{COMMANDS['session']}\n\n{ARGUMENTS['session']}")
@click.argument("session", required=False, metavar="[ID]")
@params("timezone", "root", "data-dir", "limit", "json", "offline", "no-index")
def command(session: str | None, **values: object) -> None:
    """Answer about one session, or list them."""
    asked = ask(values)
    if session is not None and not session.strip():
        raise click.BadParameter("it is empty", param_hint="ID")
    with look(asked.timezone, asked.data_dir) as world:
        tree = world.open(asked.roots, index=asked.index)
        if session is None:
            _list(tree, world, asked)
        else:
            _tell(one_session(tree, session), world, asked)


def _tell(report: dict[str, Any], world: World, asked: Asked) -> None:
    if asked.form == "json":
        _print(report)
        return
    from econome.cli.render import session as page
    from econome.cli.render.screen import Screen

    page.show(Screen(), report, world, asked.limit)


def _list(tree: Tree, world: World, asked: Asked) -> None:
    if asked.form == "json":
        _print(sessions_report(tree, world.zone, asked.limit))
        return
    from econome.cli.render import sessions as page
    from econome.cli.render.empty import nothing_found
    from econome.cli.render.screen import Screen

    report = sessions_report(tree, world.zone)
    screen = Screen()
    if not nothing_found(screen, report, world.settings, asked.roots):
        gone = tree.totals["from_history"]
        page.show(screen, report, world, asked.limit or _SHOWN, gone)


def _print(report: dict[str, Any]) -> None:
    from econome.jsontext import dumps

    sys.stdout.write(dumps(report) + "\n")
