"""What the menu of tools costs a model on every turn, counted by a real tokenizer as Claude Code sends it."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from typing import Any, cast

import pytest

from econome.server.delegating.tools import Counter
from econome.server.desk import Desk
from econome.server.tools import Tool, tools
from tests.house.source import REPOSITORY
from tests.requirements import requirement

LIMIT = 900
PREFIX = "mcp__econome__"
"""What Claude Code puts before the name of a tool of the server `econome`."""


@pytest.fixture
def offered() -> dict[str, Tool]:
    """Return the tools, which are called by nobody here."""
    return tools(cast(Desk, None), Counter(cast(Any, None)))


def _sent(offered: dict[str, Tool]) -> list[dict[str, Any]]:
    """Return the tools as they stand in a request to the model (seen by `make realclient`)."""
    return [
        {
            "name": PREFIX + tool.name,
            "description": tool.description,
            "input_schema": dict(tool.arguments),
        }
        for tool in offered.values()
    ]


def _tokens(value: object) -> int:
    import quicktok

    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return len(quicktok.get_encoding("o200k_base").encode(text))


@requirement("D8")
@pytest.mark.skipif(find_spec("quicktok") is None, reason="quicktok has no wheel for this Python")
def test_the_whole_menu_costs_what_its_page_says_and_less_than_the_limit(
    offered: dict[str, Tool],
) -> None:
    page = (REPOSITORY / "docs" / "delegation.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z]+)` \| .* \| ([0-9]+) \|$", page, re.MULTILINE)
    each = [(one["name"].removeprefix(PREFIX), _tokens(one)) for one in _sent(offered)]
    assert [(name, int(count)) for name, count in rows if name in offered] == each
    whole = _tokens(_sent(offered))
    handing = _tokens([one for one in _sent(offered) if one["name"] != f"{PREFIX}bilan"])
    counted = f"is {whole} tokens by the tokenizer o200k, {handing} of them for handing work over"
    assert counted in " ".join(page.split())
    assert f"holds it below {LIMIT}" in " ".join(page.split())
    assert whole < LIMIT


@requirement("D1", "D8")
def test_every_description_is_short_and_no_schema_says_what_costs_and_tells_nothing(
    offered: dict[str, Tool],
) -> None:
    assert max(len(tool.description) for tool in offered.values()) < 160
    text = json.dumps(_sent(offered))
    assert [word for word in ("title", "$schema", "outputSchema", "examples") if word in text] == []
