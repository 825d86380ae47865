"""`econome requests`: what local models were asked, how it stands, and what they wait for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from econome import settings
from econome.cli.params import params
from econome.cli.requests_texts import REQUEST_COMMANDS, REQUESTS_HELP, REQUESTS_OPTIONS

if TYPE_CHECKING:
    from econome.server.delegating.call import Said
    from econome.settings import Settings

__all__ = ["command"]

_SHOWN = 10


@click.group(help=REQUESTS_HELP, invoke_without_command=True)
@params("limit", "json", "data-dir", texts=REQUESTS_OPTIONS)
@click.pass_context
def command(context: click.Context, /, limit: int | None, json: bool, data_dir: str | None) -> None:
    """List the requests where no other command is named."""
    if context.invoked_subcommand is not None:
        given = {"limit": limit, "json": json, "data-dir": data_dir}
        for name, value in given.items():
            if value:
                named = f"--{name} stands before the command"
                raise click.UsageError(f"{named}; write it after {context.invoked_subcommand!r}")
        return
    from econome.server.delegating.requests import list_requests

    found = settings.load(data_dir=data_dir)
    report = list_requests(found, _SHOWN if limit is None else limit)
    if json:
        _print(report)
        return
    from econome.cli.render.requests import show
    from econome.cli.render.screen import Screen

    show(Screen(), report)


@command.command("show", help=REQUEST_COMMANDS["show"])
@click.argument("request_id", metavar="ID")
@params("json", "data-dir", texts=REQUESTS_OPTIONS)
def _show(request_id: str, json: bool, data_dir: str | None) -> None:
    """Show what the files tell, and of an open request what the server tells."""
    from econome.server.delegating.requests import show_request, whole_id

    found = settings.load(data_dir=data_dir)
    request_id = whole_id(found, request_id)
    report = show_request(found, request_id)
    if report["open"]:
        report = _asked(found, request_id, report)
    if json:
        _print(report)
        return
    from econome.cli.delegating import print_text
    from econome.cli.render.requests import show_one
    from econome.cli.render.screen import Screen

    show_one(Screen(), report)
    text = report["answer"] or report["diff"]
    if text is not None:
        print()
        print_text(text)


def _asked(found: Settings, request_id: str, report: dict[str, Any]) -> dict[str, Any]:
    """Return a report with what only the process that runs the request knows; as it is where none answers."""
    from econome.errors import ServerAway
    from econome.savings.lock import holder
    from econome.server.delegating import wire
    from econome.server.delegating.foreground import Foreground
    from econome.server.delegating.requests import show_request

    held = holder(found.ledger_dir())
    if held is None or held.url is None:
        return report
    try:
        with Foreground(found, "econome requests") as foreground:
            outcome = wire.read_outcome(foreground.look(request_id).text)
            if not outcome.asks and not outcome.is_open:
                return show_request(found, request_id)  # it has just ended
            diff = None
            if outcome.changes:
                diff = wire.read_outcome(foreground.call(wire.REVIEW, request_id).text).diff
    except ServerAway:
        return report
    report["request"]["status"] = outcome.status
    question = outcome.question
    if question is not None:
        report["question"] = {"act": question.act, "subject": question.subject}
    if outcome.changes is not None:
        report["changes"] = [
            {
                "path": change.path,
                "added_lines": change.added_lines,
                "removed_lines": change.removed_lines,
                "runs_code": change.runs_code,
            }
            for change in outcome.changes
        ]
    return {**report, "diff": diff}


@command.command("cancel", help=REQUEST_COMMANDS["cancel"])
@click.argument("request_id", metavar="ID")
@params("json", "data-dir", texts=REQUESTS_OPTIONS)
def _cancel(request_id: str, json: bool, data_dir: str | None) -> None:
    """Cancel it wherever it runs."""
    from econome.server.delegating import wire

    _tell(_call(data_dir, wire.CANCEL, request_id), json)


@command.command("allow", help=REQUEST_COMMANDS["allow"])
@click.argument("request_id", metavar="ID")
@click.option("--deny", is_flag=True, help=REQUESTS_OPTIONS["deny"])
@params("json", "data-dir", texts=REQUESTS_OPTIONS)
def _allow(request_id: str, deny: bool, json: bool, data_dir: str | None) -> None:
    """Answer, and wait for nothing."""
    from econome.server.delegating.foreground import Foreground

    with Foreground(settings.load(data_dir=data_dir), "econome requests") as foreground:
        said = foreground.answer(request_id, not deny)
    _tell(said, json)


@command.command("apply", help=REQUEST_COMMANDS["apply"])
@click.argument("request_id", metavar="ID")
@params("json", "data-dir", texts=REQUESTS_OPTIONS)
def _apply(request_id: str, json: bool, data_dir: str | None) -> None:
    """Apply them."""
    from econome.server.delegating import wire

    _tell(_call(data_dir, wire.APPLY, request_id), json)


@command.command("reject", help=REQUEST_COMMANDS["reject"])
@click.argument("request_id", metavar="ID")
@params("json", "data-dir", texts=REQUESTS_OPTIONS)
def _reject(request_id: str, json: bool, data_dir: str | None) -> None:
    """Throw them away."""
    from econome.server.delegating import wire

    _tell(_call(data_dir, wire.REJECT, request_id), json)


def _call(data_dir: str | None, tool: str, request_id: str) -> Said:
    """Have the server do it that runs, else do it here."""
    from econome.server.delegating.foreground import Foreground

    with Foreground(settings.load(data_dir=data_dir), "econome requests") as foreground:
        return foreground.call(tool, request_id)


def _tell(said: Said, json: bool) -> None:
    """Print the tool's own answer, or how the request stands now."""
    if json:
        print(said.text)
        if said.failed:
            raise click.exceptions.Exit(1)
        return
    from econome.cli.render.requests import status_word
    from econome.cli.requests_texts import REQUESTS
    from econome.errors import EconomeError
    from econome.server.delegating.wire import read_outcome

    outcome = read_outcome(said.text)
    if said.failed:
        raise EconomeError(outcome.error or said.text)
    status = status_word(outcome.status or "")
    print(REQUESTS["head"].format(request_id=outcome.request_id, status=status))


def _print(report: dict[str, Any]) -> None:
    from econome.jsontext import dumps

    sys.stdout.write(dumps(report) + "\n")
