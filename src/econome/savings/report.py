"""The use cases of the balance, for every face: the report, with or without money, and its verification (S7, S9, S11)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from econome.delegation.journal import JOURNAL
from econome.delegation.listing import scores_by_preset
from econome.prices import table
from econome.savings.account import Account, read_account
from econome.savings.balance import balance_report
from econome.savings.lean import lean_figures
from econome.savings.money import Money
from econome.savings.question import BY, Question
from econome.savings.reading import CONFLICTS, LEDGER, Shelf, stored_lines
from econome.savings.verify import compare
from econome.usage.main_models import main_models

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.settings import Settings
    from econome.usage.tree import Tree

__all__ = ["Answered", "Verdict", "balance", "questions_to_verify", "verify"]

Answered = tuple[Question, dict[str, Any]]
"""A question and the report that answered it."""


def balance(
    shelf: Shelf,
    settings: Settings,
    question: Question,
    zone: Zone,
    today: int,
    usd: bool = False,
    tree: Tree | None = None,
    *,
    limit_bytes: int | None = None,
) -> dict[str, Any]:
    """Return the report of a question about the ledger as it is now: schema `econome.balance/1`.

    With *usd* it has money too, and *tree* says which model the main thread of each session used; it needs none
    otherwise. Rows of presets have the score of their last test. `lean` are the figures of menus and answers, which are
    in no sum; None where a preset was asked for. *limit_bytes* is what a server has acknowledged of the ledger. Threads
    may share a shelf.

    Raises:
        LedgerBroken: a file of the ledger is there and cannot be read.
        SettingsError: a price in the settings breaks a rule.
    """
    money = _money(settings, tree) if usd else None
    with shelf.lock:
        books = shelf.catch_up(limit_bytes)
        report = balance_report(books, question, zone, today, money=money)
    if question.by == "preset":
        _add_scores(report, settings)
    report["lean"] = lean_figures(settings, question, zone) if question.preset is None else None
    return report


def _add_scores(report: dict[str, Any], settings: Settings) -> None:
    """Put beside what each preset saved how it did in its own checks; it is in no sum."""
    scores = scores_by_preset(settings)
    for client in report["clients"]:
        for row in client["rows"]:
            row["score"] = scores.get(row["preset"])


def _money(settings: Settings, tree: Tree | None) -> Money:
    if tree is not None:
        return Money(tree.prices, main_models(tree), settings.reference_model)
    prices = table.load(settings.price_overrides, None, settings.config_file)
    return Money(prices, {}, settings.reference_model)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verification came to: how much of what was checked, and each difference in a sentence.

    `differences` are between a report and what its question comes to, `contradictions` between a stored value and the
    event's other fields. `malformed` lines hold no event and are in no balance.
    """

    events: int
    conflicts: int
    journal_lines: int
    malformed: int
    reports: int
    differences: list[str]
    contradictions: list[str]

    @property
    def faults(self) -> int:
        """How many differences and contradictions there are."""
        return len(self.differences) + len(self.contradictions)


def questions_to_verify(question: Question) -> list[Question]:
    """Return the questions whose answers are verified: every kind of row, for all there is and for what is asked."""
    kinds = (None, *BY)
    every = [Question(by=by) for by in kinds]
    asked = [replace(question, by=by, limit=None) for by in kinds]
    return list(dict.fromkeys([*every, *asked]))


def verify(
    shelf: Shelf,
    question: Question,
    zone: Zone,
    today: int,
    others: Iterable[Answered] = (),
    others_zone: Zone | None = None,
) -> Verdict:
    """Derive every balance twice, from the books and from the lines alone, and compare (S11).

    *others* are reports that somebody else gave, such as a running server, on as many bytes of the files as they say;
    each is held to what those bytes come to, with days in *others_zone*.

    Raises:
        LedgerBroken: a file of the ledger is there and cannot be read.
    """
    questions = questions_to_verify(question)
    with shelf.lock:
        books = shelf.catch_up()
        report = balance_report(books, Question(), zone, today)
        account = _account(shelf, _sizes(report))
        # One after the other: the rows of all of them at once would be most of the memory.
        own = ((asked, balance_report(books, asked, zone, today)) for asked in questions)
        differences = compare(account, zone, own)
    by_size: dict[tuple[int, int, int], list[Answered]] = {}
    for answered in others:
        by_size.setdefault(_sizes(answered[1]), []).append(answered)
    for sizes, answers in by_size.items():
        theirs = account if sizes == _sizes(report) else _account(shelf, sizes)
        differences += compare(theirs, others_zone or zone, answers)
    return Verdict(
        report["ledger"]["events"],
        report["conflicts"]["lines"],
        report["journal"]["lines"],
        sum(report[name]["malformed"] for name in ("ledger", "conflicts", "journal")),
        len(questions) + sum(map(len, by_size.values())),
        differences,
        account.contradictions,
    )


def _account(shelf: Shelf, sizes: tuple[int, int, int]) -> Account:
    """Return what the lines in so many bytes of each file tell."""
    names = LEDGER, CONFLICTS, JOURNAL
    files = zip(names, sizes, strict=True)
    return read_account(*(stored_lines(shelf.directory, name, size) for name, size in files))


def _sizes(report: dict[str, Any]) -> tuple[int, int, int]:
    """Return how many bytes of each file a report rests on."""
    return report["ledger"]["bytes"], report["conflicts"]["bytes"], report["journal"]["bytes"]
