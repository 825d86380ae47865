"""Of a server with the library, a profile starts from what is really listed, and names what the library lists besides."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from econome.__main__ import main

SERVER = """
import sys

sys.path.insert(0, {root!r})

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel
from econome.lean import economy, lean

class Item(BaseModel):
    id: int
    name: str

server = MCPServer("shop")

@server.tool()
@economy(limit=20)
def find(word: str) -> list[Item]:
    "Find items by a word."
    return []

@server.tool()
def item(id: int) -> Item:
    "Return one item."
    return Item(id=1, name="")

lean(server, menu={form!r})
server.run()
"""


def _words(path: Path, form: str) -> tuple[str, ...]:
    script = path / "server.py"
    script.write_text(SERVER.format(root=str(Path(__file__).parents[2]), form=form), "utf-8")
    return ("--name", "shop", "--", sys.executable, str(script))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["flat", "grouped"])
def test_every_figure_starts_from_what_is_listed(
    form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page, words = tmp_path / "report.html", _words(tmp_path, form)
    assert main(["profile", "--json", "--html", str(page), *words]) == 0
    (server,) = json.loads(capfd.readouterr().out)["servers"]
    menu: dict[str, Any] = server["menu"]
    listed = {one["tool"]: one["tokens"] for one in menu["listed"]}
    assert sum(listed.values()) == menu["per_turn"] != menu["declared"]
    assert sum(one["listed"] for one in menu["listed"]) == menu["deferred"]
    own = {one["tool"] for one in menu["listed"] if not one["declared"]}
    assert own == ({"more"} if form == "flat" else set(listed))
    befores = {
        row["tokens_before"] for row in server["economies"] if row["economy"] in ("group", "compact")
    }  # fmt: skip
    assert befores == {menu["per_turn"]}
    text = page.read_text(encoding="utf-8")
    assert f'<p class="headline">{menu["per_turn"]:,}</p>' in text
    assert f'as it is</span></td><td data-title="tokens" class="figures"><span>{menu["per_turn"]:,}<' in text  # fmt: skip


@pytest.mark.slow
def test_a_menu_that_is_dearer_than_its_tools_is_told_so(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = _words(tmp_path, "flat")
    assert main(["profile", "--json", *words]) == 0
    menu = json.loads(capfd.readouterr().out)["servers"][0]["menu"]
    assert main(["profile", *words]) == 0
    heading, differs, own, *_ = capfd.readouterr().out.splitlines()
    more = next(one["tokens"] for one in menu["listed"] if one["tool"] == "more")
    assert heading == f"shop: {menu['per_turn']} tokens in every turn, for 3 tools"
    difference = menu["per_turn"] - menu["declared"]
    assert difference > 0
    assert differs == f"That is {difference} more than the {menu['declared']} of its 2 tools one by one."  # fmt: skip
    assert own == f"What the library lists of its own: `more` ({more}); the table below has the tools alone."  # fmt: skip
