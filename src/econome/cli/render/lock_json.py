"""A comparison with a lock as JSON; docs/json.md describes it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from econome.cli.lock_report import LockReport
from econome.cli.render.lock_verdict import verdict
from econome.cli.render.lock_words import next_lines

__all__ = ["report_json"]


def report_json(report: LockReport) -> dict[str, Any]:
    """Return the whole comparison as plain values."""
    return {
        "schema": "econome.drift/1",
        "verdict": verdict(report),
        "ok": report.exit_code == 0,
        "exit": report.exit_code,
        "lock": report.path,
        "against": report.against,
        "fail_on": report.fail_on.lower(),
        "tokenizer": report.tokenizer,
        "estimate": report.estimate,
        "servers": [
            {"name": name, "old_tokens": old, "new_tokens": new}
            for name, (old, new) in sorted(report.drift.tokens.items())
        ],
        "findings": [
            {"severity": one.severity, "counts": report.counts(one), **asdict(one)}
            for one in report.findings
        ],
        "budgets": [asdict(one) for one in report.overs],
        "stray_budgets": [{"name": name, "near": near or None} for name, near in report.strays],
        "signature": None if report.signature is None else asdict(report.signature),
        "next": [*next_lines(report), *filter(None, [report.next_command])],
        "unchecked": list(report.drift.unchecked),
        "left_out": [{"name": name, "reason": reason} for name, reason in report.left_out],
    }
