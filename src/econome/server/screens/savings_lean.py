"""The figures of the page of savings that are of menus and answers of MCP servers: measured, in none of the sums of delegating.

Each method of counting has its own figures, which are never added; menus are in no sum, since how often one is paid for
is not seen where it is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from econome.server.screens.figure import Column, Figure, Row, Value

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = ["Lean", "lean"]


@dataclass(frozen=True, slots=True)
class Lean:
    """What was measured: in a sentence a method, in figures, and what the reader must know beside them."""

    sentences: Sequence[str]
    figures: tuple[Figure, ...]
    notes: Sequence[str]


def lean(told: Telling, report: Mapping[str, Any] | None) -> Lean | None:
    """Return what a balance has under `lean`; None where there is nothing of it."""
    if report is None or not (report["methods"] or report["faults"]):
        return None
    figures = []
    answers, menus = tuple(_answers(told, report)), tuple(_menus(told, report))
    if answers:
        figures.append(_answers_figure(told, answers))
    if menus:
        figures.append(_menus_figure(told, menus))
    sentences = [_headline(told, each) for each in report["methods"] if _answered(each)]
    return Lean(sentences, tuple(figures), list(_notes(told, report)))


def _answered(figures: Mapping[str, Any]) -> bool:
    return bool(figures["answers"]["count"] or figures["read_on"]["count"])


def _headline(told: Telling, figures: Mapping[str, Any]) -> str:
    answers, net = figures["answers"], figures["net"]
    facts = {
        "net": told.count(abs(net)),
        "answers": told.plural("{count} answer", "{count} answers", answers["count"]),
        "before": told.count(answers["before"]),
        "after": told.count(answers["after"] + figures["read_on"]["tokens"]),
        "method": figures["method"],
    }
    if net < 0:
        return told.text(
            "{net} tokens net lost in {answers}: {before} → {after}, by {method}.", **facts
        )
    return told.text(
        "{net} tokens net saved in {answers}: {before} → {after}, by {method}.", **facts
    )


def _answers(told: Telling, report: Mapping[str, Any]) -> Iterator[Row]:
    for each in report["methods"]:
        for row in filter(_answered, each["servers"]):
            answers, net = row["answers"], row["net"]
            share = net / answers["before"] if answers["before"] else None
            yield Row(
                (
                    row["server"], each["method"], answers["count"], answers["before"], answers["encoding"],
                    answers["cutting"], row["read_on"]["tokens"], net, share,
                )
            )  # fmt: skip


def _answers_figure(told: Telling, rows: tuple[Row, ...]) -> Figure:
    text = told.text
    columns = (
        Column("server", text("Server"), "text"),
        Column("method", text("Counted by"), "text"),
        Column("answers", text("Answers")),
        Column("before", text("Before")),
        Column("encoding", text("Saved by encoding")),
        Column("cutting", text("Saved by cutting")),
        Column("read_on", text("Read on")),
        Column("net", text("Net")),
        Column("less", text("Less"), "share"),
    )
    note = text(
        "Encoding says the same in fewer tokens; cutting leaves out what a rule or the model asked to leave out; read on is what the "
        "model then read of it after all."
    )
    return Figure("lean-answers", text("Answers of MCP servers"), columns, rows, note=note)


def _menus(told: Telling, report: Mapping[str, Any]) -> Iterator[Row]:
    for each in report["methods"]:
        for row in each["servers"]:
            menu, lookups = row["menu"], row["menus"]["lookups"]
            if not (menu or lookups["count"]):
                continue
            values: tuple[Value, ...] = (None,) * 4
            paid, shown = None, {}
            if menu is not None:
                values = menu["form"], menu["before"], menu["after"], menu["less"]
                paid, shown = (
                    menu["paid_back_after"],
                    {"paid_back_after": _paid(told, menu, lookups)},
                )
            counts = lookups["count"], lookups["tokens"]
            yield Row((row["server"], each["method"], *values, *counts, paid), shown)


def _paid(told: Telling, menu: Mapping[str, Any], lookups: Mapping[str, int]) -> str:
    if not lookups["tokens"]:
        return told.text("at once") if menu["less"] > 0 else "–"
    if menu["paid_back_after"] is None:
        return told.text("never")
    after = menu["paid_back_after"]
    return told.plural("after {count} showing", "after {count} showings", after)


def _menus_figure(told: Telling, rows: tuple[Row, ...]) -> Figure:
    text = told.text
    columns = (
        Column("server", text("Server"), "text"),
        Column("method", text("Counted by"), "text"),
        Column("form", text("Form"), "text"),
        Column("before", text("Before")),
        Column("after", text("After")),
        Column("less", text("Less, each time")),
        Column("lookups", text("Look-ups")),
        Column("tokens", text("Tokens of look-ups")),
        Column("paid_back_after", text("Paid back")),
    )
    note = text(
        "A menu as it was shown last, in no sum: how often a client shows it to its model is not seen here. Look-ups are what it made "
        "the model read besides."
    )
    return Figure(
        "lean-menus", text("Menus of MCP servers, each time one is shown"), columns, rows, note=note
    )


def _notes(told: Telling, report: Mapping[str, Any]) -> Iterator[str]:
    """Yield what must be known: which counts are estimates, the time that was added, and what is not in the figures."""
    text, methods = told.text, report["methods"]
    estimates = [each["method"] for each in methods if each["estimate"]]
    if estimates:
        yield text("Estimates, no provider's counts: {methods}.", methods=", ".join(estimates))
    if len(methods) > 1:
        yield text("Each way of counting has its own figures; they are not added.")
    times = report["added_us"]
    if times["calls"]:
        yield text(
            "Time added to a call: {p50} ms in the middle, 95% within {p95} ms.",
            p50=told.number(times["p50"] / 1000), p95=told.number(times["p95"] / 1000),
        )  # fmt: skip
    plural, ledger = told.plural, report["ledger"]
    faults, damaged, later = report["faults"], ledger["malformed"], ledger["later"]
    lost, unreadable = ledger["lost"], ledger["unreadable"]
    said = (
        (faults, plural("{count} fault of a server or of an economy.", "{count} faults of a server or of an economy.", faults)),
        (damaged, plural("{count} line could not be read.", "{count} lines could not be read.", damaged)),
        (later, plural("{count} line of a later econome was left out.", "{count} lines of a later econome were left out.", later)),
        (lost, plural("{count} record was not written: the disk or the machine was too slow.", "{count} records were not written: the disk or the machine was too slow.", lost)),
        (unreadable, plural("{count} file could not be used.", "{count} files could not be used.", unreadable)),
    )  # fmt: skip
    yield from (sentence for count, sentence in said if count)
