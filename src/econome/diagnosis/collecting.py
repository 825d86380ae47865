"""Collects what a diagnosis judges, from transcripts, detail, the ledger and kept profiles; it decides nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from econome.contract.kept import kept
from econome.contract.weighed import claude_name
from econome.diagnosis.menus import Menu
from econome.diagnosis.norms import Period, past_of
from econome.diagnosis.rules import Collected, Detailed, diagnosis
from econome.diagnosis.spending import BESIDE, Spent, select
from econome.errors import FileRefused, LedgerBroken
from econome.savings.question import Question
from econome.savings.reading import Shelf
from econome.savings.report import balance
from econome.usage.readers.claude_detail import remembered

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.contract.measured import Economy, Known
    from econome.settings import Settings
    from econome.usage.recall import Response
    from econome.usage.tree import Tree

__all__ = ["diagnose"]


def diagnose(
    settings: Settings, tree: Tree, since: int | None, until: int | None, zone: Zone, today: int
) -> dict[str, Any]:
    """Return the diagnosis of a period: schema `econome.diagnosis/1`.

    *since* and *until* are local day numbers, both included. What cannot be read beside the transcripts is not judged,
    and the report says so.

    Raises:
        SettingsError: a price in the settings breaks a rule.
    """
    period = Period(since, until, zone)

    def use(responses: Iterator[Response]) -> tuple[list[Spent], int]:
        return select(responses, period, tree.prices)

    spent, horizon = tree.every_response(use)
    last = None if until is None else until + 2
    collected = Collected(
        spent,
        horizon,
        past_of(tree.days(None, last), period, tree.prices, BESIDE),
        tree.prices,
        _detail(settings, tree),
        _presets(settings, tree, Question(since, until, by="preset"), zone, today),
        _menus(settings),
        tree.coverage(zone),
    )
    return diagnosis(collected, period, today)


def _detail(settings: Settings, tree: Tree) -> Detailed | None:
    """Return what the detail pass tells of the tree's transcripts; None where its findings cannot be kept."""
    try:
        with remembered(tree.roots, settings.data_dir) as detail:
            read = detail.coverage()
            coverage = {
                "files": read.files,
                "lines": read.lines,
                "malformed": read.malformed,
                "pending": read.pending,
                "unreadable": len(read.unreadable),
            }
            return Detailed(list(detail.calls()), detail.compactions(), coverage)
    except (FileRefused, sqlite3.Error):
        return None


def _presets(
    settings: Settings, tree: Tree, question: Question, zone: Zone, today: int
) -> list[tuple[str, Mapping[str, Any]]] | None:
    """Return the rows of the balance by client and preset; None where the ledger cannot be read."""
    try:
        report = balance(
            Shelf(settings.ledger_dir()), settings, question, zone, today, usd=True, tree=tree
        )
    except LedgerBroken:
        return None
    return [(client["client"], row) for client in report["clients"] for row in client["rows"]]


def _menus(settings: Settings) -> list[Menu]:
    return [menu for known in kept(settings.data_dir) if (menu := _menu(known)) is not None]


def _menu(known: Known) -> Menu | None:
    """Return what was measured of a server's menu, with the economy that saves most on every turn."""
    if known.measured is None:
        return None
    best: tuple[int, Economy] | None = None
    for economy in known.measured.economies:
        saves = economy.saves
        if economy.per == "turn" and saves is not None and (best is None or saves > best[0]):
            best = saves, economy
    name, saved = ("", 0) if best is None else (best[1].economy, best[0])
    return Menu(known.server, claude_name(known.server), known.measured.per_turn, name, saved)
