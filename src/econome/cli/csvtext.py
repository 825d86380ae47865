"""CSV of a usage report: one line a row, the columns of the JSON in their order, no total."""

from __future__ import annotations

import csv
import io
from typing import Any

__all__ = ["FIELDS", "dumps"]

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


def _cell(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value
