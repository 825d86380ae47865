"""`econome lock`: what servers promise, kept in a file and compared with what they promise later."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from econome import settings
from econome.cli import failures
from econome.cli.behind import BehindGroup, PlainCommand
from econome.cli.lock_texts import LOCK, LOCK_COMMANDS, LOCK_HELP, LOCK_OPTIONS
from econome.cli.params import params
from econome.cli.sources_asked import source_options
from econome.errors import EconomeError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, ClassVar

__all__ = ["command", "diff", "explain"]

_FORMS = ("text", "json", "sarif", "markdown")
_SEVERITIES = ("breaking", "risky", "safe", "cosmetic")
_USUAL = "econome.lock"
_BUDGETS = "econome.toml"
_UNCHECKED = 2
_ONLY_CHECK = ("fail_on", "output", "signers", "signer")
_ONLY_WRITE = ("sign", "tokenizer")


class _Lock(BehindGroup):
    """A group whose own work, to lock and to check, needs no subcommand."""

    summaries: ClassVar[Mapping[str, str]] = LOCK_COMMANDS
    homes: ClassVar[Mapping[str, tuple[str, str]]] = {
        name: ("econome.cli.commands.lock", name) for name in LOCK_COMMANDS
    }
    stray: ClassVar[str] = LOCK["stray"]


def _reports(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options by which a comparison is written."""
    for option in (
        click.option("--output", metavar="FILE", multiple=True, help=LOCK_OPTIONS["output"]),
        click.option("--format", "form", type=click.Choice(_FORMS), help=LOCK_OPTIONS["format"]),
        click.option("--fail-on", type=click.Choice(_SEVERITIES), help=LOCK_OPTIONS["fail-on"]),
    ):
        command = option(command)
    return command


@click.group(
    cls=_Lock,
    help=LOCK_HELP,
    invoke_without_command=True,
    subcommand_metavar="(--config FILE | --url URL | -- COMMAND...) | diff | explain",
)
@click.option("--check", is_flag=True, help=LOCK_OPTIONS["check"])
@click.option("--lock", metavar="FILE", help=LOCK_OPTIONS["lock"])
@source_options()
@_reports
@params("json", texts=LOCK_OPTIONS)
@click.option("--sign", metavar="KEY", help=LOCK_OPTIONS["sign"])
@click.option("--signers", metavar="FILE", help=LOCK_OPTIONS["signers"])
@click.option("--signer", metavar="IDENTITY", help=LOCK_OPTIONS["signer"])
@click.pass_context
def command(context: click.Context, /, **values: Any) -> None:
    """Lock, or compare with what was locked."""
    if context.invoked_subcommand is not None:
        if any(values.values()) or context.obj:
            raise click.UsageError(LOCK["alone"].format(name=context.invoked_subcommand))
        return
    _fitting(values)
    words: tuple[str, ...] = context.obj
    values["lock"] = values["lock"] or _USUAL
    if values["check"]:
        context.exit(_guarded(lambda: _check(words, values)))
    from econome.cli.locking import write

    written = write(settings.load(), words, values)
    if values["json"] or values["form"] == "json":
        from econome.jsontext import dumps

        sys.stdout.write(dumps(written.report()) + "\n")
        return
    from econome.cli.render.lock import show_written
    from econome.cli.render.screen import Screen

    show_written(Screen(), written)


@click.command("diff", cls=PlainCommand, help=LOCK_COMMANDS["diff"])
@_reports
@params("json", texts=LOCK_OPTIONS)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.pass_context
def diff(context: click.Context, /, **values: Any) -> None:
    """Compare two files; either may be `-` for standard input."""

    def compare() -> int:
        from econome.cli.lock_output import put, ready
        from econome.cli.locking import compare as compared

        old, new = values["old"], values["new"]
        if old == new == "-":
            raise UsageError(LOCK["both_dash"])
        places = ready(values["form"], values["json"], values["output"], [old, new])
        report = compared(old, new, fail_on=_severity(values))
        put(report, places)
        return report.exit_code

    context.exit(_guarded(compare))


@click.command("explain", cls=PlainCommand, help=LOCK_COMMANDS["explain"])
@click.option("--lock", metavar="FILE", default=_USUAL, help=LOCK_OPTIONS["lock"])
@click.option("--server", metavar="NAME", help=LOCK_OPTIONS["server"])
@params("json", texts={"json": LOCK_OPTIONS["explain-json"]})
@click.argument("tool", metavar="TOOL")
def explain(lock: str, server: str | None, json: bool, tool: str) -> None:
    """Find the tool, and show what is held of it."""
    from econome.cli.lock_explained import explained

    held = explained(settings.load(), lock, tool, server)
    if json:
        from econome.jsontext import dumps

        sys.stdout.write(dumps(held.report()) + "\n")
        return
    from econome.cli.render.lock import show_explained
    from econome.cli.render.screen import Screen

    show_explained(Screen(), held)


def _fitting(values: Mapping[str, Any]) -> None:
    """Refuse what does not go together."""
    wrong, text = (_ONLY_WRITE, "only_write") if values["check"] else (_ONLY_CHECK, "only_check")
    for name in wrong:
        if values[name]:
            raise click.UsageError(LOCK[text].format(option="--" + name.replace("_", "-")))
    if values["signer"] and not values["signers"]:
        raise click.UsageError(LOCK["signer"])
    if not values["check"] and values["form"] in ("sarif", "markdown"):
        raise click.UsageError(LOCK["form"].format(form=values["form"]))


def _severity(values: Mapping[str, Any]) -> str:
    return (values["fail_on"] or _SEVERITIES[-1]).upper()


def _check(words: tuple[str, ...], values: Mapping[str, Any]) -> int:
    from econome.cli.lock_output import put, ready
    from econome.cli.locking import check

    read = [values["lock"], f"{values['lock']}.sig", values["rules"], values["config"], _BUDGETS]
    read.append(values["signers"])
    places = ready(values["form"], values["json"], values["output"], read)
    report = check(settings.load(), words, values, fail_on=_severity(values))
    put(report, places)
    return report.exit_code


def _guarded(compare: Callable[[], int]) -> int:
    """Return the exit code of a comparison: 2 whatever keeps it from being made, since 1 says that something changed."""
    try:
        code = compare()
        sys.stdout.flush()
        return code
    except EconomeError as error:
        failures.report(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        failures.unwritable(error)
    except Exception:  # the outermost loop: a fault of ours must not be taken for a change
        import traceback

        traceback.print_exc()
        print(f"econome: {LOCK['crashed']}", file=sys.stderr)
    return _UNCHECKED
