"""`econome balance`: what delegating saved, less what steering and corrections cost, and what menus and answers did."""

from __future__ import annotations

import sys
from typing import Any

import click

from econome.cli.balance_texts import BALANCE_OPTIONS
from econome.cli.opening import World, look
from econome.cli.params import params
from econome.cli.texts import COMMANDS
from econome.savings.asking import BALANCE, NO_PRESET_WORD, AskedBalance, ask_balance
from econome.savings.question import NO_PRESET

__all__ = ["command"]


@click.command(help=COMMANDS["balance"])
@params(*(option.name for option in BALANCE), table=BALANCE, texts=BALANCE_OPTIONS)
def command(**values: object) -> None:
    """Answer in the form that was asked for, or verify."""
    asked = ask_balance(values)
    with look(asked.shared.timezone, asked.shared.data_dir) as world:
        if asked.verify:
            _verify(asked, world)
        else:
            _answer(asked, world)


def _answer(asked: AskedBalance, world: World) -> None:
    from econome.savings.reading import Shelf
    from econome.savings.report import balance

    form = asked.shared.form
    # All rows for people, so that what a limit leaves out can be summed up in one.
    question = asked.question(world.today, limit=form != "text")
    tree = world.open(asked.shared.roots, index=asked.shared.index) if asked.usd else None
    shelf = Shelf(world.settings.ledger_dir())
    report = balance(
        shelf, world.settings, question, world.zone, world.today, usd=asked.usd, tree=tree
    )
    if form == "json":
        from econome.jsontext import dumps

        sys.stdout.write(dumps(report) + "\n")
    elif form == "csv":
        from econome.cli.csvtext import write_balance

        write_balance(report)
        if report["lean"] is not None and report["lean"]["methods"]:
            from econome.cli.lean_texts import LEAN

            print(f"econome: {LEAN['csv']}", file=sys.stderr)
    else:
        from econome.cli.render import balance as page
        from econome.cli.render.screen import Screen

        limit = asked.shared.limit
        page.show(Screen(), report, world.settings, limit=limit, filters=_filters(asked))


def _filters(asked: AskedBalance) -> str:
    """Return the filters as they were given, but for those of time."""
    from econome.cli.render.figures import plain

    preset = NO_PRESET_WORD if asked.preset == NO_PRESET else asked.preset
    given = {"client": asked.client, "preset": preset}
    return " ".join(f"--{name} {plain(value)}" for name, value in given.items() if value)


def _verify(asked: AskedBalance, world: World) -> None:
    from econome.cli.render import balance as page
    from econome.cli.render.screen import Screen
    from econome.cli.verifying import answers_of_the_server
    from econome.errors import LedgerDiffers
    from econome.savings.reading import Shelf
    from econome.savings.report import questions_to_verify, verify

    question = asked.question(world.today)
    theirs = answers_of_the_server(world.settings, questions_to_verify(question))
    shelf = Shelf(world.settings.ledger_dir())
    verdict = verify(shelf, question, world.zone, world.today, theirs.answers, theirs.zone)
    facts: dict[str, Any] = {"url": theirs.url, "silent": theirs.silent}
    page.show_verdict(Screen(), verdict, own=len(questions_to_verify(question)), **facts)
    if verdict.faults:
        raise LedgerDiffers(verdict.faults)
