"""Transcripts, events and servers whose every name is meant to do harm: to marks, to addresses, to the direction of writing, to the width."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from econome.contract.kept import keep
from econome.contract.measured import SCHEMA, Measured, MeasuredTool
from econome.delegation.journal import JOURNAL
from econome.savings.reading import LEDGER
from econome.settings import Settings
from tests.builders import Tree, assistant, counts
from tests.savings.builders import delegation, request_id
from tests.savings.ledgers import Written, ended

__all__ = ["NAMES", "PROOF", "write_hostile", "write_hostile_work"]

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


def write_hostile_work(settings: Settings) -> None:
    """Write what was delegated with each name, which is its client, session, preset and model, and a server with such tools."""
    written = Written()
    for at, name in enumerate(NAMES):
        number = 900 + at
        date = f"2026-10-{10 + at % 6:02d}T09:00:00.000Z"
        of = {"client": name, "session_id": name, "id": f"{at}:{name}"}
        written.events.append(delegation(number, date=date, **of))
        request = request_id(number)
        written.journal.append(ended(request, preset=name, modele=name))
    for file, lines in ((LEDGER, written.ledger_lines()), (JOURNAL, written.journal_lines())):
        with (Path(settings.ledger_dir()) / file).open("ab") as kept:
            kept.writelines(lines)
    tools = tuple(MeasuredTool(name, 100, 1 / len(NAMES), 0, name, "bounded") for name in NAMES)
    menu = Measured(
        SCHEMA, NAMES[1], "2026-10-17T08:00:00Z", "stdio", "features-v1", True, len(tools), 1400, 90,
        version=NAMES[1], declared=len(tools), risks={"bounded": len(tools)}, largest=tools,
    )  # fmt: skip
    keep(settings.data_dir, [menu])
