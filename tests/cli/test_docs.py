"""The page on JSON names every key of every answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from econome.demo.tree import DemoTree
from tests.builders import Tree, assistant
from tests.cli.test_app import JSON_COMMANDS
from tests.door import run

PAGE = Path(__file__).parents[2] / "docs" / "json.md"


def _keys(value: Any) -> Iterator[str]:
    """Yield every key of an answer but those of a check's facts, which its words explain."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield key
            if key != "facts":
                yield from _keys(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _keys(entry)


def _told() -> set[str]:
    return set(re.findall(r"`([a-z0-9_./]+)`", PAGE.read_text(encoding="utf-8")))


def test_the_page_names_every_key_and_schema(demo: DemoTree) -> None:
    told = _told() | {"schema"}
    for schema, line in JSON_COMMANDS:
        assert schema in told
        assert set(_keys(json.loads(run(*line).out))) - told == set()


def test_the_page_names_every_key_of_a_session(tree: Tree) -> None:
    record = {"type": "cost-state", "sessionId": "s1", "totalCostUSD": 1, "modelUsage": {"m": {}}}
    tree.main("s1", assistant("a", model="nobody-9"), record)
    answer = json.loads(run("session", "s1", "--json").out)
    assert answer["schema"] in _told()
    assert set(_keys(answer)) - _told() - {"schema"} == set()
