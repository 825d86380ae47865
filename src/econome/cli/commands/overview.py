"""`econome` without a command: the overview."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from econome.cli.opening import World, look
from econome.usage.asking import ask
from econome.usage.overview import overview

__all__ = ["show"]


def show(values: Mapping[str, object]) -> None:
    """Print the overview as the options of the group ask for it."""
    asked = ask(values)
    with look(asked.timezone, asked.data_dir) as world:
        tree = world.open(asked.roots, index=asked.index)
        found = overview(tree, world.zone, world.today)
        if asked.form == "json":
            from econome.jsontext import dumps

            sys.stdout.write(dumps(found) + "\n")
        else:
            _draw(found, world, asked.roots, asked.timezone)


def _draw(
    found: dict[str, object], world: World, roots: list[str] | None, zone: str | None
) -> None:
    from econome.cli.render import overview as page
    from econome.cli.render.empty import nothing_found
    from econome.cli.render.screen import Screen

    screen = Screen()
    if not nothing_found(screen, found, world.settings, roots):
        page.show(screen, found, world.zone_name(zone))
