"""Transcripts and events whose every name is meant to do harm: to marks, to addresses, to the direction of writing, to the width."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.builders import Tree, assistant, counts

__all__ = ["NAMES", "PROOF", "write_hostile"]

PROOF = "data-broken-out"
"""An attribute that stands in a page only if a name became a part of it."""

NAMES = (
    f'<img src=x onerror="document.body.setAttribute(&quot;{PROOF}&quot;,1)">',
    f"<script>document.body.setAttribute('{PROOF}',1)</script>",
    f'"><svg onload=document.body.setAttribute("{PROOF}",1)>',
    f"' onmouseover='document.body.setAttribute(\"{PROOF}\",1)' x='",
    "{{ 7 * 7 }}{% raw %}${7*7}",
    "javascript:document.body.remove()",
    "\u202egnp.live\u202c \u2066mixed\u2069",
    "مشروع التجربة",
    "a" * 500,
    "no-break-" * 55,
    "👩🏽‍💻🔥🇫🇷",
    "../../etc/passwd?x=1&y=2#z",
    "=HYPERLINK(1)",
    "line\nbreak\ttab\x07bell",
)


def write_hostile(home: Path) -> None:
    """Write a session for each name, which is its project, its model, its branch and the type of its sub-agent."""
    tree = Tree(home / "claude")
    for at, name in enumerate(NAMES):
        session = f"hostile-{at}"
        more: dict[str, Any] = {"cwd": f"/home/dev/{name}", "gitBranch": name}
        time = f"2026-10-{10 + at % 6:02d}T{at % 24:02d}:00:00.000Z"
        spent = counts(fresh=200_000 + at, output=9_000)
        tree.main(
            session,
            assistant(f"m{at}", time=time, model=name, usage=spent, **more),
            assistant(f"k{at}", time=time, usage=spent, content=[_called(name)], **more),
            slug=f"-hostile-{at}",
        )
        tree.agent(
            session,
            f"a{at}",
            assistant(f"s{at}", time=time, usage=spent, attributionAgent=name, **more),
            slug=f"-hostile-{at}",
        )


def _called(name: str) -> dict[str, Any]:
    """Return the call of a tool of an MCP server, both called *name*."""
    return {
        "type": "tool_use",
        "id": f"toolu_{name[:20]}",
        "name": f"mcp__{name}__{name}",
        "input": {},
    }
