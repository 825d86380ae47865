"""CSV of a report: one line a row, the columns of the JSON in their order, no total; always UTF-8."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["FIELDS", "FIGURES", "dumps", "dumps_balance", "write", "write_balance"]

FIELDS = (
    "responses", "sessions", "input_tokens", "output_tokens", "cache_read_tokens",
    "cache_write_5m_tokens", "cache_write_1h_tokens", "web_searches", "cost_usd", "partial",
    "output_incomplete",
)  # fmt: skip
"""The columns after those of `--by`; they stay, in this order, whatever is asked."""

FIGURES = ("delegations", "avoided", "steering", "corrections", "net", "rework_rate")
"""The columns of a balance after `client` and that of `--by`."""


def dumps(report: dict[str, Any]) -> str:
    """Return the rows of a usage report as CSV: nothing for null, `true` and `false` for flags."""
    return _table((*report["by"], *FIELDS), report["rows"])


def dumps_balance(report: dict[str, Any]) -> str:
    """Return the rows of a balance as CSV, or its clients where it has no rows; money under `usd_…`."""
    by = report["by"]
    columns = ["client", *([by] if by else []), *FIGURES]
    columns += [] if by else ["unattached", "conflicts"]
    if "money" in report:
        columns += [f"usd_{name}" for name in report["total"]["usd"]]
    if by == "preset":
        columns += ["score_passed", "score_total"]
    rows = []
    for client in report["clients"]:
        for row in client["rows"] if by else [client]:
            money = {f"usd_{name}": value for name, value in row.get("usd", {}).items()}
            score = {f"score_{name}": value for name, value in (row.get("score") or {}).items()}
            rows.append({**row, **money, **score, "client": client["client"]})
    return _table(columns, rows)


def write(report: dict[str, Any]) -> None:
    """Print a usage report as CSV, in UTF-8 whatever standard output is set to."""
    _put(dumps(report))


def write_balance(report: dict[str, Any]) -> None:
    """Print a balance as CSV, in UTF-8 whatever standard output is set to."""
    _put(dumps_balance(report))


def _table(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(column)) for column in columns])
    return text.getvalue()


def _put(text: str) -> None:
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:
        sys.stdout.write(text)
    else:
        raw.write(text.encode())
        raw.flush()


def _cell(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value
