"""A server's menu before and after, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from econome.cli.proxy_texts import TRIAL
from econome.cli.render.figures import full, plain, share
from econome.cli.render.screen import ACCENT, FAINT, LOUD, TITLE, Screen
from econome.cli.render.table import Column, lay_out, lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["show"]


def show(screen: Screen, report: Mapping[str, Any]) -> None:
    """Print a dry run."""
    before, after = report["tokens_before"], report["tokens_after"]
    facts = {
        "server": plain(report["server"]),
        "client": plain(report["client"]),
        "before": full(before),
        "after": full(after),
        "share": share(before - after, before) if before else "",
        "form": report["form"],
    }
    screen.line(TRIAL["heading"].format(**facts), style=TITLE)
    kind = TRIAL["estimate" if report["estimate"] else "count"]
    screen.line(kind.format(tokenizer=report["tokenizer"]), style=FAINT)
    _budget(screen, report)
    screen.line()
    _table(screen, TRIAL["before"], report["before"], "tool")
    _table(screen, TRIAL["after"], report["after"], "tool")
    _table(screen, TRIAL["forms"], report["forms"], "form", report["form"])
    for tool in report["menu_after"]:
        screen.line(plain(str(tool.get("name", ""))), style=ACCENT)
        for line in str(tool.get("description", "")).splitlines():
            screen.line("  " + plain(line))
    if report["asked"] == "flat" and report["form"] in ("flat", "untouched"):
        screen.line()
        screen.prose(TRIAL["flat"], style=FAINT)


def _budget(screen: Screen, report: Mapping[str, Any]) -> None:
    ceiling = report["budget_tokens"]
    if ceiling is not None:
        text = TRIAL["over" if report["over_budget"] else "within"]
        screen.line(
            text.format(ceiling=full(ceiling)), style=LOUD if report["over_budget"] else FAINT
        )


def _table(
    screen: Screen, title: str, rows: Sequence[Mapping[str, Any]], name: str, mark: str = ""
) -> None:
    told = ["n/a" if row["tokens"] is None else full(row["tokens"]) for row in rows]
    names = [plain(row[name]) + (TRIAL["mark"] if row[name] == mark else "") for row in rows]
    columns = [Column(title, names, name=True, style=ACCENT), Column(TRIAL["tokens"], told)]
    screen.lines(lines(lay_out(columns, screen.width)))
    screen.line()
