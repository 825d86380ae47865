"""`econome demo`: the reports on a made-up tree, the same on every machine and every day."""

from __future__ import annotations

import sys
import tempfile
from typing import Any

import click

from econome import clock
from econome.cli.opening import World
from econome.cli.params import params
from econome.cli.texts import COMMANDS, DEMO
from econome.demo.delegations import write_ledger
from econome.demo.tree import write
from econome.settings import Settings
from econome.times import day_number
from econome.usage.overview import overview
from econome.usage.tree import Tree

__all__ = ["command"]

_TODAY = day_number(2026, 10, 17)
_NOW = _TODAY * 86400 + 16 * 3600.0
_ZONE = "UTC"
_PLACE = "demo"


@click.command(help=COMMANDS["demo"])
@params("json")
def command(**values: object) -> None:
    """Write the tree into a temporary directory and show it as any other."""
    with tempfile.TemporaryDirectory(prefix="econome-demo-") as folder:
        made = write(folder, _TODAY)
        roots = [str(root) for root in made.roots]
        # An own home: neither the user's settings nor the index has a part in it.
        settings = Settings({"HOME": folder})
        write_ledger(settings.data_dir, made.responses)
        with World(settings, clock.zone(_ZONE), _NOW) as world:
            tree = world.open(roots, index=False)
            found = overview(tree, world.zone, world.today)
            saved = None if values["json"] else _saved(world, tree)
    coverage: dict[str, Any] = found["coverage"]
    coverage["roots"] = [root.replace(folder, _PLACE, 1) for root in coverage["roots"]]
    if saved is None:
        from econome.jsontext import dumps

        sys.stdout.write(dumps(found) + "\n")
        return
    from econome.cli.render import balance as balance_page
    from econome.cli.render import overview as page
    from econome.cli.render.screen import FAINT, Screen

    screen = Screen()
    page.show(screen, found, _ZONE)
    screen.line()
    screen.prose(DEMO["ledger"])
    balance_page.show(screen, saved, settings, limit=None)
    screen.line()
    screen.prose(DEMO["remark"], style=FAINT)


def _saved(world: World, tree: Tree) -> dict[str, Any]:
    """Return the balance of the tree's ledger, by preset and in dollars too."""
    from econome.savings.question import Question
    from econome.savings.reading import Shelf
    from econome.savings.report import balance

    shelf = Shelf(world.settings.ledger_dir())
    question = Question(by="preset")
    return balance(shelf, world.settings, question, world.zone, world.today, usd=True, tree=tree)
