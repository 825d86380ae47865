"""A request from its order to its end, at a terminal or not: what is shown meanwhile, what is asked, what is printed."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TextIO

import click

from econome.cli.delegate_texts import DELEGATE
from econome.cli.failures import INTERRUPTED
from econome.cli.live import LiveLine
from econome.cli.questions import confirm, wrapped
from econome.cli.render.figures import plain
from econome.cli.requests_texts import STATUS_WORDS
from econome.cli.wire import spoken
from econome.delegation.order import Order, Standing
from econome.delegation.wire import CANCELLED
from econome.errors import EconomeError
from econome.server.delegating import wire
from econome.server.delegating.call import Said
from econome.server.delegating.foreground import Foreground
from econome.settings import Settings

__all__ = ["Dialogue", "print_text"]


class Dialogue:
    """Use it as a context; *applies* says yes to a coder's changes, and *quiet* keeps them off standard output.

    Where nobody can be asked, a request that needs its caller is left to `econome requests`, if a server runs that holds
    it; else the answer is no. `unapplied` tells that there were changes and that they were not applied.
    """

    def __init__(self, settings: Settings, *, applies: bool = False, quiet: bool = False) -> None:
        self._live = LiveLine()
        self._answers = self._live.shown and sys.stdin is not None and sys.stdin.isatty()
        self._applies, self._quiet = applies, quiet
        self._foreground = Foreground(settings, "econome delegate", self._look, self._wait)
        self._request_id: str | None = None
        self.unapplied = False

    def __enter__(self) -> Dialogue:
        self._foreground.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.wipe()
        self._foreground.__exit__(kind, error, trace)

    def hold(self, order: Order) -> Said:
        """Hand an order over; return the last answer, once the request has ended.

        Raises:
            EconomeError: it cannot be done.
            Exit: a signal, or whoever was asked, broke it off; it is cancelled.
        """
        try:
            return self._held(order)
        except (KeyboardInterrupt, click.Abort) as error:
            self._live.wipe()
            if self._request_id is None:
                raise
            if isinstance(error, click.Abort):
                _tell("")  # the terminal stands behind the question
            self._cancel(self._request_id)
            raise click.exceptions.Exit(INTERRUPTED) from None

    def _held(self, order: Order) -> Said:
        said = self._foreground.delegate(order)
        outcome = wire.read_outcome(said.text)
        while outcome.asks and outcome.request_id is not None:
            self._request_id = outcome.request_id
            self._live.wipe()
            if self._is_left(outcome):
                break
            try:
                said = self._answered(outcome, outcome.request_id)
            except EconomeError:
                self._foreground.call(wire.CANCEL, outcome.request_id)
                raise
            outcome = wire.read_outcome(said.text)
        self._live.wipe()
        return said

    def _cancel(self, request_id: str) -> None:
        """Cancel it, once more where that was begun, and say how it ended."""
        try:
            said = self._foreground.call(wire.CANCEL, request_id)
        except EconomeError:
            return  # nobody is there who could do it, or say so
        status = wire.read_outcome(said.text).status or ""
        word = STATUS_WORDS.get(status, status)
        told = DELEGATE["cancelled" if status == CANCELLED else "ended"]
        _tell(told.format(request_id=request_id, status=word))

    def _is_left(self, outcome: wire.Outcome) -> bool:
        """Tell whether a request stays as it is, for its caller to come back to."""
        if self._answers or self._applies or not self._foreground.is_served:
            return False
        _tell(DELEGATE["left"].format(request_id=outcome.request_id))
        self.unapplied = True
        return True

    def _answered(self, outcome: wire.Outcome, request_id: str) -> Said:
        question = outcome.question
        if question is None:
            return self._reviewed(outcome, request_id)
        facts = {"act": plain(question.act), "subject": plain(question.subject)}
        _tell(DELEGATE["asks" if self._answers else "denied"].format(**facts))
        allowed = self._answers and self._confirm("allow")
        return self._foreground.allow(request_id, allowed)

    def _reviewed(self, outcome: wire.Outcome, request_id: str) -> Said:
        """Have the changes applied or thrown away; return the answer to that."""
        for change in outcome.changes or ():
            figures = {"added_lines": change.added_lines, "removed_lines": change.removed_lines}
            mark = DELEGATE["runs_code"] if change.runs_code else ""
            _tell(DELEGATE["changed"].format(path=plain(change.path), mark=mark, **figures))
        if outcome.left_out:
            paths = plain(", ".join(outcome.left_out))
            _tell(wrapped(DELEGATE["left_out"].format(paths=paths), sys.stderr))
        diff = wire.read_outcome(self._foreground.call(wire.REVIEW, request_id).text).diff or ""
        impossible = outcome.refusal is not None
        if self._applies and not impossible:
            said = self._applied(request_id)
            if said is not None:
                return said
        self._show_diff(diff)
        if outcome.refusal is not None:
            refused = DELEGATE["impossible"].format(reason=plain(outcome.refusal))
            _tell(wrapped(refused, sys.stderr))
        while self._answers and not impossible and self._confirm("apply"):
            said = self._applied(request_id)
            if said is not None:
                return said
        self.unapplied = True
        unasked = not (self._answers or self._applies)
        _tell(DELEGATE["unapplied" if unasked and not impossible else "rejected"])
        return self._foreground.call(wire.REJECT, request_id)

    def _applied(self, request_id: str) -> Said | None:
        """Apply the changes; None where that was refused, has been told, and can be tried again.

        Raises:
            EconomeError: there is nothing any more that could be applied.
        """
        try:
            said = self._foreground.call(wire.APPLY, request_id)
        except EconomeError as error:
            reason = str(error)
        else:
            if not said.failed:
                _tell(DELEGATE["applied"])
                return said
            reason = wire.read_outcome(said.text).error or said.text
        if not wire.read_outcome(self._foreground.look(request_id).text).asks:
            raise EconomeError(reason)
        _tell(wrapped(DELEGATE["refused"].format(reason=plain(spoken(reason))), sys.stderr))
        if self._answers:
            _tell(wrapped(DELEGATE["again"], sys.stderr))
        return None

    def _show_diff(self, diff: str) -> None:
        """Show all the changes: to whoever is asked about them, and on standard output but for JSON."""
        if not self._quiet:
            print_text(diff)
        if self._answers and (self._quiet or not sys.stdout.isatty()):
            print_text(diff, sys.stderr)

    def _confirm(self, name: str) -> bool:
        asked = time.monotonic()
        try:
            return confirm(DELEGATE[name])
        finally:
            self._live.rest(time.monotonic() - asked)

    def show(self, said: Said) -> None:
        """Print an answer.

        Raises:
            EconomeError: the request ended without one.
        """
        outcome = wire.read_outcome(said.text)
        if said.failed:
            raise EconomeError(outcome.error or said.text)
        text = outcome.answer if outcome.preview is None else outcome.preview
        if text is not None and (outcome.preview is not None or outcome.output is None):
            print_text(text)
        if outcome.output is not None:
            _tell(DELEGATE["written"].format(path=outcome.output))
        if outcome.cut:
            _tell(DELEGATE["cut"])
        if outcome.notice is not None:
            _tell(DELEGATE["notice"].format(notice=plain(outcome.notice)))
        if self._live.shown and outcome.model is not None:
            _tell(
                DELEGATE["done"].format(
                    request_id=outcome.request_id,
                    model=plain(outcome.model),
                    tokens_in=f"{outcome.tokens_in or 0:,}",
                    tokens_out=f"{outcome.tokens_out or 0:,}",
                    seconds=f"{outcome.duration_s or 0:.1f}",
                )
            )

    def _look(self, standing: Standing) -> None:
        self._request_id = standing.request_id
        self._live.draw(standing)

    def _wait(self, holder: str) -> None:
        """Say that another process has to be waited for."""
        self._live.wipe()
        _tell(wrapped(DELEGATE["held"].format(holder=plain(holder)), sys.stderr))


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def print_text(text: str, stream: TextIO | None = None) -> None:
    """Print a model's text; on a terminal without what would steer it."""
    stream = stream or sys.stdout
    if stream.isatty():
        text = "".join(
            one if one.isprintable() or one in "\n\t" else "\N{REPLACEMENT CHARACTER}"
            for one in text
        )
    print(text, end="" if not text or text.endswith("\n") else "\n", file=stream, flush=True)
