"""A comparison with a lock in SARIF 2.1.0, as code hosts read it.

Each kind of difference is a rule, each difference a result at the line of the lock that it is about. A result keeps its
fingerprint from run to run, and gets another one where what the server now says is another thing: what was looked at and
dismissed does not cover what came after it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from econome import __version__
from econome.cli.lock_report import LockReport
from econome.cli.lock_texts import BUDGET_RULES, LEVELS
from econome.cli.render.lock_verdict import verdict
from econome.cli.render.lock_words import over_line, place_of, shown_by
from econome.cli.render.strangers import shortened
from econome.contract.findings import KINDS, Finding
from econome.unseen import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from econome.contract.ceilings import Over

__all__ = ["report_sarif"]

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_PRINT = "economeLock/v1"
_RULES = [*KINDS, *BUDGET_RULES]
_LONGEST = 1000


def report_sarif(report: LockReport) -> dict[str, Any]:
    """Return the log: one run with every rule, and a result for each difference and each budget that does not hold."""
    driver = {
        "name": "econome",
        "semanticVersion": __version__,
        "rules": [_rule(name) for name in _RULES],
    }
    results = [_found(report, one) for one in report.findings]
    results += [_over(report, one) for one in report.overs]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": report.exit_code}],
        "results": results,
        "properties": {
            "tokenizer": report.tokenizer,
            "estimate": report.estimate,
            "verdict": verdict(report),
            "unchecked": list(report.drift.unchecked),
        },
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str) -> dict[str, Any]:
    text = KINDS[name].text if name in KINDS else BUDGET_RULES[name]
    severity = KINDS[name].severity if name in KINDS else None
    level = _over_level(name) if severity is None else LEVELS[severity]
    words = "".join(word.capitalize() for word in name.split("-"))
    problem = "recommendation" if level == "note" else level
    properties: dict[str, Any] = {"tags": ["mcp"], "precision": "high", "problem.severity": problem}
    if severity is not None:
        properties["severity"] = severity
    return {
        "id": name,
        "name": words,
        "shortDescription": {"text": text},
        "fullDescription": {"text": text},
        "help": {"text": text},
        "defaultConfiguration": {"level": level},
        "properties": properties,
    }


def _over_level(rule: str) -> str:
    return "error" if rule == "budget-exceeded" else "warning"


def _found(report: LockReport, one: Finding) -> dict[str, Any]:
    shown = shown_by(one, _LONGEST)
    text = f"{place_of(one)}: {one.text}" + (f" {shown}" if shown else "")
    parts = (one.kind, one.server, one.subject, one.name, one.where, _told(one.new))
    properties: dict[str, Any] = {
        "severity": one.severity,
        "server": visible(one.server),
        "subject": one.subject,
        "name": visible(one.name),
        "where": visible(one.where),
        "oldTokens": one.old_tokens,
        "newTokens": one.new_tokens,
        "regression": one.regression,
        "counts": report.counts(one),
    }
    if one.witness is not None:
        properties["witness"] = one.witness
    return _result(
        report, one.kind, LEVELS[one.severity], text, report.line(one), parts, properties
    )


def _over(report: LockReport, one: Over) -> dict[str, Any]:
    rule = "budget-exceeded" if one.level == "fail" else "budget-warning"
    subject = "tools" if one.scope == "tool" else ""
    line = report.lines.get((one.server, subject, one.name if subject else ""), 1)
    parts = (rule, one.server, one.scope, one.name, str(one.ceiling))
    properties = {"tokens": one.tokens, "ceiling": one.ceiling, "scope": one.scope}
    return _result(report, rule, _over_level(rule), over_line(one), line, parts, properties)


def _result(
    report: LockReport,
    rule: str,
    level: str,
    text: str,
    line: int,
    parts: tuple[str, ...],
    properties: dict[str, Any],
) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": report.uri}, "region": {"startLine": line}}
    return {
        "ruleId": rule,
        "ruleIndex": _RULES.index(rule),
        "level": level,
        "message": {"text": _inert(visible(text))},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {_PRINT: hashlib.sha256(_told(parts).encode()).hexdigest()[:32]},
        "properties": properties,
    }


def _told(value: Any) -> str:
    """Return JSON in which equal values are equal texts, ASCII only."""
    return json.dumps(value, sort_keys=True, default=str)


def _inert(text: str) -> str:
    """Return *text* without a link in it: SARIF makes one of `[words](address)`, which a server may have written."""
    if "](" not in text:
        return shortened(text, 4 * _LONGEST)
    marked = text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return shortened(marked, 4 * _LONGEST)
