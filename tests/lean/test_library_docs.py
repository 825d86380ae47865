"""The page on the library names all there is, and its example does what the page says."""

from __future__ import annotations

import inspect
import runpy
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from econome import lean as room
from econome.lean import Economy, Machine, lean
from tests.lean.library import CLAUDE, ERAS, STRANGER, asked, run
from tests.requirements import requirement

pytestmark = requirement("L4", "L6", "L11")

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = {name: (DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("lean", "workflows")}
PAGE = "".join(PAGES.values())
EXAMPLE = DOCS / "examples" / "lean_server.py"


def test_every_option_is_named_in_the_page() -> None:
    named = {one.name for kind in (Economy, Machine) for one in fields(kind)}
    named |= inspect.signature(lean).parameters.keys()
    told = [
        name
        for name in sorted(named)
        if f"`{name}" in PAGE or f"{name}=" in PAGE or f"*{name}*" in PAGE
    ]
    assert told == sorted(named - {"initial"}) or told == sorted(named)


def test_every_name_of_the_room_is_named_in_the_page() -> None:
    assert [name for name in room.__all__ if name not in PAGE] == []


@pytest.mark.parametrize("page, example", [("lean", "lean_server"), ("workflows", "lean_workflow")])
def test_the_example_stands_in_its_page(page: str, example: str) -> None:
    text = (DOCS / "examples" / f"{example}.py").read_text(encoding="utf-8")
    assert f"```python\n{text.strip()}\n```" in PAGES[page]


def test_the_example_offers_select_and_has_nothing_to_remark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ENABLE_TOOL_SEARCH", raising=False)
    made: Any = runpy.run_path(str(EXAMPLE))["server"].middleware[-1]
    (listing, *_) = made.shown.tools()
    assert listing["name"] == "list_invoices"
    assert "_select" in listing["inputSchema"]["properties"]
    assert made.shown.notes == ()


@ERAS
def test_the_example_of_a_workflow_works(era: str) -> None:
    server: Any = runpy.run_path(str(DOCS / "examples" / "lean_workflow.py"))["server"]

    async def body() -> None:
        async with asked(server, era, CLAUDE) as one:
            refused = "pay: closed in state empty. Open now: add. Then: add opens pay."
            assert refused in PAGES["workflows"]
            assert await one.said("pay") == [f"!{refused}"]
            workflow = (await one.said("add", item="tea"))[-1].removeprefix("workflow: ")
            assert await one.said("pay", workflow=workflow) == ["paid"]
            (said,) = await one.said("pay", workflow=workflow)
            assert said.startswith("!pay: closed in state paid.")

    run(body)


@ERAS
@pytest.mark.parametrize("client", [CLAUDE, STRANGER])
def test_the_example_works(era: str, client: str) -> None:
    server: Any = runpy.run_path(str(EXAMPLE))["server"]

    async def body() -> None:
        async with asked(server, era, client) as one:
            before = await one.tools()
            assert await one.said("pay", id=3) == [
                "!pay: closed in state new. Open now: list_invoices, draft. Then: draft opens pay."
            ]
            note, _, rules = await one.said("list_invoices")
            assert note.startswith("[cut] 50 of 4250 shown, 4200 hidden.")
            assert rules == "Rules:\n- cents, not euros; 4250 invoices in all"
            workflow = (await one.said("draft", id=3))[-1].removeprefix("workflow: ")
            assert await one.said("pay", id=3, workflow=workflow) == ["3 paid"]
            assert await one.tools() == before

    run(body)
