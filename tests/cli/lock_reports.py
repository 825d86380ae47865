"""Comparisons with a lock, made by hand for the tests of how they are shown."""

from __future__ import annotations

from typing import Any

from econome.cli.lock_report import Kept, LockReport
from econome.contract.ceilings import Over
from econome.contract.drift import Drift
from econome.contract.findings import Finding

__all__ = ["HOSTILE", "OVER", "finding", "report"]

HOSTILE = (
    "a|b`c``d [click](http://evil.example/x) ![p](http://evil.example/p.png) @octocat #12 GH-7 octo/repo#3 "
    "<img src=x onerror=alert(1)><script>x</script></details><!-- **bold** _em_ ~~no~~ www.evil.example me@evil.example\n"
    "| row | row |\n# head\n- item\n> quote\r\x1b[31mred\x1b[0m\x07 \u202eevil\u202c \u200bhidden \U000e0041 \ud800 {0} &amp; \\| \\"
)
"""What a server would write to get at whoever reads a report."""

OVER = Over("fail", "shop", "server", "shop", 2100, 2000)


def finding(kind: str = "call-refused", **more: Any) -> Finding:
    """Return a difference of a tool."""
    said = {
        "server": "shop",
        "subject": "tool",
        "name": "search",
        "text": "It needs a region.",
    } | more
    return Finding(kind, **said)


def report(*findings: Finding, **more: Any) -> LockReport:
    """Return a comparison of one server with those differences."""
    drift = Drift(
        findings=findings,
        tokens=more.pop("tokens", {"shop": (1204, 1310)}),
        unchecked=more.pop("unchecked", ()),
    )
    said: dict[str, Any] = {"uri": "econome.lock", "kept": (Kept("shop", 12, 1204, "low"),)} | more
    return LockReport("econome.lock", drift, "features-v1", **said)
