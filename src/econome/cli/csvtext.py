"""CSV of a usage report: one line a row, the columns of the JSON in their order, no total; always UTF-8."""

from __future__ import annotations

import csv
import io
import sys
from typing import Any

__all__ = ["FIELDS", "dumps", "write"]

FIELDS = (
    "responses", "sessions", "input_tokens", "output_tokens", "cache_read_tokens",
    "cache_write_5m_tokens", "cache_write_1h_tokens", "web_searches", "cost_usd", "partial",
    "output_incomplete",
)  # fmt: skip
"""The columns after those of `--by`; they stay, in this order, whatever is asked."""


def dumps(report: dict[str, Any]) -> str:
    """Return the rows of a usage report as CSV: nothing for null, `true` and `false` for flags."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = (*report["by"], *FIELDS)
    writer.writerow(columns)
    for row in report["rows"]:
        writer.writerow([_cell(row.get(column)) for column in columns])
    return text.getvalue()


def write(report: dict[str, Any]) -> None:
    """Print a usage report as CSV, in UTF-8 whatever standard output is set to."""
    text = dumps(report)
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
