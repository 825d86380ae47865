"""A request from its order to its end, at a terminal or not: what is shown meanwhile, what is asked, what is printed."""

from __future__ import annotations

import sys
from types import TracebackType

import click

from econome.cli.delegate_texts import DELEGATE
from econome.delegation.order import Order, Standing
from econome.delegation.wire import QUEUED
from econome.errors import EconomeError
from econome.server.delegating import wire
from econome.server.delegating.call import Said
from econome.server.delegating.foreground import Foreground
from econome.settings import Settings

__all__ = ["Dialogue", "print_text"]

_CLEAR = "\r\x1b[K"


class Dialogue:
    """Use it as a context; *applies* says yes to a coder's changes, and *quiet* shows none of them.

    Where nobody can be asked, a request that needs its caller is left to `econome requests`, if a server runs that holds
    it; else the answer is no.
    """

    def __init__(self, settings: Settings, *, applies: bool = False, quiet: bool = False) -> None:
        self._live = sys.stderr.isatty()
        self._answers = self._live and sys.stdin is not None and sys.stdin.isatty()
        self._applies, self._quiet, self._drawn = applies, quiet, False
        self._foreground = Foreground(settings, "econome delegate", self._draw)

    def __enter__(self) -> Dialogue:
        self._foreground.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._wipe()
        self._foreground.__exit__(kind, error, trace)

    def hold(self, order: Order) -> Said:
        """Hand an order over; return the last answer, once the request has ended.

        Raises:
            EconomeError: it cannot be done.
        """
        said = self._foreground.delegate(order)
        outcome = wire.read_outcome(said.text)
        while outcome.asks and outcome.request_id is not None:
            self._wipe()
            if self._is_left(outcome):
                break
            try:
                said = self._answered(outcome, outcome.request_id)
            except BaseException:
                self._foreground.call(wire.CANCEL, outcome.request_id)
                raise
            outcome = wire.read_outcome(said.text)
        self._wipe()
        return said

    def _is_left(self, outcome: wire.Outcome) -> bool:
        """Tell whether a request stays as it is, for its caller to come back to."""
        if self._answers or self._applies or not self._foreground.is_served:
            return False
        _tell(DELEGATE["left"].format(request_id=outcome.request_id))
        return True

    def _answered(self, outcome: wire.Outcome, request_id: str) -> Said:
        question = outcome.question
        if question is not None:
            facts = {"act": _printable(question.act), "subject": _printable(question.subject)}
            _tell(DELEGATE["asks" if self._answers else "denied"].format(**facts))
            allowed = self._answers and click.confirm(DELEGATE["allow"], err=True)
            return self._foreground.allow(request_id, allowed)
        for change in outcome.changes or ():
            figures = {"added_lines": change.added_lines, "removed_lines": change.removed_lines}
            mark = DELEGATE["runs_code"] if change.runs_code else ""
            _tell(DELEGATE["changed"].format(path=_printable(change.path), mark=mark, **figures))
        if not self._applies and not self._quiet:
            diff = wire.read_outcome(self._foreground.call(wire.REVIEW, request_id).text).diff
            print_text(diff or "")
        if self._applies or (self._answers and click.confirm(DELEGATE["apply"], err=True)):
            said = self._foreground.call(wire.APPLY, request_id)
            if not said.failed:
                _tell(DELEGATE["applied"])
            return said
        _tell(DELEGATE["rejected" if self._answers else "unapplied"])
        return self._foreground.call(wire.REJECT, request_id)

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
        if self._live and outcome.model is not None:
            _tell(
                DELEGATE["done"].format(
                    request_id=outcome.request_id,
                    model=_printable(outcome.model),
                    tokens_in=f"{outcome.tokens_in or 0:,}",
                    tokens_out=f"{outcome.tokens_out or 0:,}",
                    seconds=f"{outcome.duration_s or 0:.1f}",
                )
            )

    def _draw(self, standing: Standing) -> None:
        """Show on the terminal's one line how the request stands."""
        if not self._live:
            return
        if standing.status == QUEUED:
            line = DELEGATE["queued"].format(position=standing.position)
        else:
            line = DELEGATE["running"].format(
                model=_printable(standing.model or DELEGATE["some_model"]),
                written=f"{standing.written:,}",
                seconds=f"{standing.waiting_s:.0f}",
            )
        print(f"{_CLEAR}{line}", end="", file=sys.stderr, flush=True)
        self._drawn = True

    def _wipe(self) -> None:
        if self._drawn:
            print(_CLEAR, end="", file=sys.stderr, flush=True)
            self._drawn = False


def _printable(text: str) -> str:
    """Return a model's or a server's word without what would steer a terminal."""
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


def print_text(text: str) -> None:
    """Print a model's text; on a terminal without what would steer it."""
    if sys.stdout.isatty():
        text = "".join(
            one if one.isprintable() or one in "\n\t" else "\N{REPLACEMENT CHARACTER}"
            for one in text
        )
    print(text, end="" if text.endswith("\n") else "\n")
