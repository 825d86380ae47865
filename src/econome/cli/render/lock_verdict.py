"""The first line of every report of a comparison with a lock: what it came to, and why it fails where it does."""

from __future__ import annotations

from econome.cli.lock_texts import LOCK
from econome.cli.render.figures import full
from econome.cli.render.lock_words import counted_with, counts_of, many
from econome.unseen import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from econome.cli.lock_report import LockReport

__all__ = ["verdict"]

_MILD = ("SAFE", "COSMETIC")


def verdict(report: LockReport, name: Callable[[str], str] = visible) -> str:
    """Return one sentence with every cause of the exit code; *name* is how a name of a stranger is shown in it."""
    over = _over(report, name)
    if not report.findings:
        path = name(report.path)
        return LOCK["over_only"].format(path=path, over=over) if over else _holds(report, name)
    if not report.failing:
        return _told(report, "over_beside" if over else "passes", name, over=over)
    left = [one for one in report.findings if not report.counts(one)]
    mild = all(one.severity in _MILD and not one.regression for one in report.findings)
    if mild and not left and not over:
        return _calm(report, name)
    counts = counts_of(report.failing)
    if left:
        facts = {"fail_on": report.fail_on.lower(), "left": counts_of(left)}
        counts = LOCK["beside"].format(counts=counts, **facts)
    line = _told(report, "drift" if report.against is None else "differs", name, counts=counts)
    return LOCK["and_over"].format(line=line[:-1], over=over) if over else line


def _calm(report: LockReport, name: Callable[[str], str]) -> str:
    safe = any(one.severity == "SAFE" for one in report.findings)
    changes = many("change", len(report.findings))
    counts = LOCK["changes"].format(count=changes, counts=counts_of(report.findings))
    milder = "risky" if safe else "safe"
    text = "calm" if report.against is None else "calm_two"
    return _told(report, text, name, counts=counts, milder=milder)


def _told(report: LockReport, text: str, name: Callable[[str], str], **facts: str) -> str:
    path = name(report.path)
    if report.against is None:
        subject = path
    else:
        subject = LOCK["not_as"].format(path=path, against=name(report.against))
    usual = {"counts": counts_of(report.findings), "fail_on": report.fail_on.lower()}
    return LOCK[text].format(**{"subject": subject, **usual, **facts})


def _over(report: LockReport, name: Callable[[str], str]) -> str:
    """Return which budget does not hold, and how many more; empty where all do."""
    failing = report.failing_overs
    if not failing:
        return ""
    first = failing[0]
    more = LOCK["over_more"].format(count=full(len(failing) - 1)) if len(failing) > 1 else ""
    return LOCK["over_first"].format(
        server=name(first.server),
        what=LOCK[f"scope_{first.scope}"].format(name=name(first.name)),
        tokens=full(first.tokens or 0),
        ceiling=full(first.ceiling),
        more=more,
    )


def _holds(report: LockReport, name: Callable[[str], str]) -> str:
    method = counted_with(name(report.tokenizer), report.estimate)
    return LOCK["holds" if report.against is None else "alike"].format(
        path=name(report.path),
        against=name(report.against or ""),
        servers=many("server", len(report.kept)),
        tools=many("tool", sum(one.tools for one in report.kept)),
        tokens=full(sum(one.tokens for one in report.kept)),
        method=method,
    )
