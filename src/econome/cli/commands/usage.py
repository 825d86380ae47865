"""`econome usage`: what was consumed, by whatever is asked."""

from __future__ import annotations

import click

from econome.cli import quick
from econome.cli.params import params
from econome.cli.texts import COMMANDS
from econome.usage.asking import USAGE, Asked, ask

__all__ = ["command"]


_FILTERS = ("project", "model", "session", "agent", "source")


@click.command(help=COMMANDS["usage"])
@params(*(option.name for option in USAGE))
def command(**values: object) -> None:
    """Answer in the form that was asked for."""
    asked = ask(values)
    if asked.form == "json":
        quick.answer(asked)
    else:
        _tell(asked)


def _tell(asked: Asked) -> None:
    from econome.cli.opening import look
    from econome.usage.report import usage_report

    with look(asked.timezone, asked.data_dir) as world:
        tree = world.open(asked.roots, index=asked.index)
        if asked.form == "csv":
            from econome.cli.csvtext import write

            report = usage_report(tree, asked.query(world.today), world.zone, world.today)
            write(report)
            return
        from econome.cli.render import usage
        from econome.cli.render.empty import nothing_found
        from econome.cli.render.screen import Screen

        # All rows, so that what a limit leaves out can be summed up in one.
        report = usage_report(tree, asked.query(world.today, limit=False), world.zone, world.today)
        screen = Screen()
        if nothing_found(screen, report, world.settings, asked.roots):
            return
        gone = tree.totals["from_history"]
        usage.show(
            screen, report, limit=asked.limit, cost=asked.cost, from_history=gone,
            nothing=_nothing(asked),
        )  # fmt: skip


def _nothing(asked: Asked) -> str:
    """Return what is said where no response is left: which filters left none, and what lists their values."""
    from econome.cli.render.figures import plain
    from econome.cli.texts import NOTES

    given = [(name, value) for name in _FILTERS if (value := getattr(asked, name)) is not None]
    if not given:
        return NOTES["no_rows"]
    period = asked.since is not None or asked.until is not None or asked.days is not None
    text = NOTES["no_match_period" if period else "no_match"]
    filters = " ".join(f"--{name} {plain(value)}" for name, value in given)
    return f"{text.format(filters=filters)} {NOTES['no_match_next'].format(by=given[0][0])}"
