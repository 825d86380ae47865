"""A balance as a headline and tables."""

from __future__ import annotations

from typing import Any

from econome.cli.balance_texts import BALANCE, BALANCE_COLUMNS, BALANCE_TITLES, STATUSES
from econome.cli.render.figures import NOT_AVAILABLE, full, length, money, plain, share
from econome.cli.render.lean import show_lean
from econome.cli.render.notes import counted, left_out
from econome.cli.render.presets import score_text
from econome.cli.render.screen import ACCENT, FAINT, LOUD, TITLE, Screen
from econome.cli.render.table import Column, lay_out, lines
from econome.settings import Settings

__all__ = ["show", "show_verdict"]

_Row = dict[str, Any]

_YIELDS = {"delegations": 6, "avoided": 1, "steering": 3, "corrections": 4, "rework_rate": 2}
"""In which order columns leave a narrow terminal: the greatest first; net never does."""

_USD_YIELDS = {"avoided": 5, "steering": 7, "corrections": 8, "net": 0}

_SHOWN_DELEGATIONS = 20
_LEAST_NAME, _LEAST_ID = 10, 14


def show(
    screen: Screen, report: _Row, settings: Settings, *, limit: int | None, filters: str = ""
) -> None:
    """Print a balance; rows beyond *limit* are summed up in one line, *filters* are those it was asked with."""
    ledger, journal = report["ledger"], report["journal"]
    if not any((ledger["events"], ledger["malformed"], journal["lines"], journal["malformed"])):
        if show_lean(screen, report["lean"], by_day=report["by"] == "day", apart=False):
            screen.line()
            screen.prose(BALANCE["nothing_beside"], style=FAINT)
            return
        screen.prose(BALANCE["nothing"].format(directory=plain(settings.ledger_dir())))
        screen.prose(BALANCE["nothing_next"], style=FAINT)
        return
    if report["by"] == "delegation" and limit is None:
        limit = _SHOWN_DELEGATIONS
    _headline(screen, report["total"])
    if not any(_shown(client) for client in report["clients"]):
        screen.prose(_nothing(report, filters))
    elif report["by"]:
        for client in report["clients"]:
            screen.line()
            if len(report["clients"]) > 1:
                screen.line(plain(client["client"]), style=TITLE)
            _table(screen, report["by"], client["rows"], client, limit)
    elif len(report["clients"]) > 1:
        screen.line()
        _table(screen, "client", report["clients"], report["total"], None)
    screen.line()
    _notes(screen, report)
    show_lean(screen, report["lean"], by_day=report["by"] == "day")


def _shown(figures: _Row) -> bool:
    """Return whether a client has anything to show."""
    return any(figures[name] for name in ("delegations", "avoided", "steering", "corrections"))


def _nothing(report: _Row, filters: str) -> str:
    if not filters:
        return BALANCE["nothing_here"]
    text = BALANCE["no_match_period" if any(report["period"].values()) else "no_match"]
    by = " --by preset" if report["filters"]["client"] is None else ""
    return text.format(filters=filters, by=by)


def _headline(screen: Screen, total: _Row) -> None:
    net = total["net"]
    text = BALANCE["headline_lost" if net < 0 else "headline"]
    screen.line(text.format(net=counted("tokens", abs(net))), style=TITLE)
    names = ("avoided", "steering", "corrections", "net")
    tokens = {name: full(total[name]) for name in names}
    facts = [
        BALANCE["sum"].format(**tokens),
        counted("delegations", total["delegations"]),
        BALANCE["rework"].format(share=_rework(total)),
    ]
    screen.prose(" · ".join(facts))
    if "usd" in total:
        amounts = {name: _dollars(total["usd"], name) for name in names}
        screen.prose(BALANCE["usd"].format(**amounts))


def _rework(row: _Row) -> str:
    return (
        NOT_AVAILABLE if row["rework_rate"] is None else share(row["corrections"], row["avoided"])
    )


def _dollars(usd: _Row, name: str) -> str:
    """Return an amount, marked where something of the row has no price: more or less than it may be missing."""
    amount = money(usd[name])
    return f"*{amount}" if usd["partial"] and usd[name] is not None else amount


def _table(screen: Screen, by: str, rows: list[_Row], total: _Row, limit: int | None) -> None:
    shown = rows if limit is None else rows[:limit]
    named = [BALANCE_TITLES["none"] if row[by] is None else plain(row[by]) for row in shown]
    labels = [*named, BALANCE_TITLES["total"]]
    every = [*shown, total]
    least = _LEAST_ID if by == "delegation" else _LEAST_NAME
    columns = [Column(BALANCE_TITLES[by], labels, name=True, least=least, style=ACCENT)]
    for name in ("delegations", "avoided", "steering", "corrections", "net", "rework_rate"):
        cells = [_rework(row) if name == "rework_rate" else full(row[name]) for row in every]
        columns.append(Column(BALANCE_COLUMNS[name], cells, yields=_YIELDS.get(name, 0)))
    for name, yields in _USD_YIELDS.items() if "usd" in total else ():
        cells = [_dollars(row["usd"], name) for row in every]
        columns.append(Column(BALANCE_COLUMNS[f"usd_{name}"], cells, yields=yields))
    if any(row.get("score") for row in shown):
        cells = [score_text(row["score"]) for row in shown]
        columns.append(Column(BALANCE_COLUMNS["score"], [*cells, ""], yields=2))
    layout = lay_out(columns, screen.width)
    drawn = lines(layout, total=True)
    screen.lines(drawn[:-2])
    if len(shown) < len(rows):  # above the rule, since the total holds them too
        rest = rows[len(shown) :]
        net = full(sum(row["net"] for row in rest))
        screen.line(BALANCE["more"].format(count=full(len(rest)), net=net), style=FAINT)
    screen.lines(drawn[-2:])
    left_out(screen, layout)


def _notes(screen: Screen, report: _Row) -> None:
    total, local = report["total"], report["local"]
    if total["unattached"]:
        events = counted("events", total["unattached"])
        screen.prose(BALANCE["unattached"].format(events=events), style=LOUD)
    if total["conflicts"]:
        conflicts = counted("events", total["conflicts"])
        screen.prose(BALANCE["conflicts"].format(conflicts=conflicts), style=LOUD)
    if "money" in report:
        _money_notes(screen, report["money"])
    statuses = ", ".join(
        f"{full(count)} {STATUSES.get(name) or plain(name)}"
        for name, count in sorted(local["by_status"].items(), key=lambda pair: -pair[1])
    )
    facts = {
        "requests": counted("requests", local["requests"]),
        "statuses": statuses,
        "tokens_in": full(local["tokens_in"]),
        "tokens_out": full(local["tokens_out"]),
        "time": length(round(local["duration_s"])),
    }
    text = BALANCE["local" if local["requests"] else "local_nothing"].format(**facts)
    screen.prose(text, style=FAINT)
    if local["requests"] and _has_no_delegation(report):
        screen.prose(BALANCE["no_poster"], style=LOUD)
    screen.prose(" ".join(_reading(report)), style=FAINT)
    screen.prose(BALANCE["estimate"], style=FAINT)


def _has_no_delegation(report: _Row) -> bool:
    """Tell whether no client ever posted that it delegated, as far as the question shows."""
    narrowed = any((*report["period"].values(), *report["filters"].values()))
    return not report["ledger"]["events"] or not (narrowed or report["total"]["delegations"])


def _reading(report: _Row) -> list[str]:
    """Return what the balance rests on, in sentences."""
    ledger, journal = report["ledger"], report["journal"]
    events, lines_ = counted("events", ledger["events"]), counted("lines", journal["lines"])
    found = [BALANCE["read"].format(events=events, lines=lines_)]
    damaged = sum(report[name]["malformed"] for name in ("ledger", "conflicts", "journal"))
    if damaged:
        found.append(BALANCE["damaged"].format(lines=counted("malformed", damaged)))
    if ledger["duplicates"]:
        duplicates = counted("lines", ledger["duplicates"])
        found.append(BALANCE["duplicates"].format(duplicates=duplicates))
    return found


def _money_notes(screen: Screen, found: _Row) -> None:
    for entry in found["unpriced"]:
        events = counted("events", entry["events"])
        if entry["model"] is None:
            sessions = counted("sessions", len(entry["sessions"]))
            text = BALANCE["unpriced_sessions"].format(sessions=sessions, events=events)
        else:
            text = BALANCE["unpriced_model"].format(model=plain(entry["model"]), events=events)
        screen.prose(text, style=LOUD)
    screen.prose(BALANCE["money"].format(**found["prices"]), style=FAINT)
    if found["reference_model"]:
        model = plain(found["reference_model"])
        screen.prose(BALANCE["reference"].format(model=model), style=FAINT)


def show_verdict(
    screen: Screen,
    verdict: Any,
    *,
    own: int,
    url: str | None = None,
    silent: str | None = None,
) -> None:
    """Print what a verification checked and what it found; *url* is the server whose answers it compared too."""
    facts = {
        "reports": counted("reports", own),
        "events": counted("events", verdict.events),
        "conflicts": counted("conflicts", verdict.conflicts),
        "lines": counted("lines", verdict.journal_lines),
    }
    screen.prose(BALANCE["checked"].format(**facts))
    if url is not None:
        answers = counted("reports", verdict.reports - own)
        screen.prose(BALANCE["server"].format(reports=answers, url=plain(url)))
    if silent is not None:
        screen.prose(BALANCE["server_silent"].format(reason=plain(silent)), style=LOUD)
    if verdict.malformed:
        damaged = counted("malformed", verdict.malformed)
        screen.prose(BALANCE["damaged"].format(lines=damaged), style=LOUD)
    for text in (*verdict.contradictions, *verdict.differences):
        screen.line(plain(text), style=LOUD)
    if not verdict.faults:
        screen.prose(BALANCE["agreed"])
