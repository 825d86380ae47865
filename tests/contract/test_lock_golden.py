"""The exact bytes of a lock: every Python writes them, and each entry of a server has its line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from econome.contract import files
from econome.contract.canonical import digest
from econome.contract.captured import Captured
from econome.contract.lockfile import Lock, read, written
from econome.contract.promises import promise
from econome.errors import LockBroken
from tests.contract.captures import count, tool
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")

GOLDEN = Path(__file__).with_name("golden.lock")


def _number(**rules: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"n": {"type": "number", **rules}}, "required": ["n"]}


TOOLS = (
    tool("größe", description="Misst die Höhe 😀 \u2028 und \ufb33.\n\t\"So\" \\ so.\x7f"),
    tool(
        "floats",
        inputSchema=_number(
            minimum=-0.0,
            maximum=1e21,
            multipleOf=0.1,
            enum=[1.0, 5e-324, 1e-7, 0.000001, 1.5e300, 333333333.3333333, 123456789012345680000.0],
        ),
    ),
    tool(
        "integers",
        inputSchema=_number(minimum=-(2**53), maximum=2**53 + 1, enum=[10**21, 10**20, 0, True]),
        outputSchema={"type": ["object", "null"], "properties": {"ids": {"type": "array"}}},
        annotations={"readOnlyHint": True},
        _meta={"left": "out"},
    ),
)  # fmt: skip


def _lock() -> Lock:
    captured = Captured(
        "läden",
        TOOLS,
        TOOLS,
        prompts=({"name": "grüß", "arguments": [{"name": "wen", "required": True}]},),
        resources=({"uri": "file:///a", "name": "a"}, {"uri": "file:///b", "name": "b"}),
        templates=(
            {"uriTemplate": "shop://{id}", "name": "one"},
            {"uriTemplate": "shop://{id}/{part}", "name": "part"},
        ),
        instructions="Ask first.\r\nThen — buy.",
        capabilities={"tools": {"listChanged": False}},
        economies={"größe": {"limit": 50, "short": "Höhe"}},
    )
    return Lock("features-v1", {"läden": promise(captured, count=count)})


def test_a_lock_has_the_same_bytes_everywhere() -> None:
    assert written(_lock()) == GOLDEN.read_bytes()


def test_what_was_locked_elsewhere_is_read_and_written_again_as_it_was() -> None:
    held = read(GOLDEN.read_bytes(), "golden.lock")
    assert written(held) == GOLDEN.read_bytes()
    numbers = held.servers["läden"]["tools"]["integers"]["declared"]["inputSchema"]
    assert numbers["properties"]["n"]["maximum"] == 2**53


def test_each_prompt_resource_and_template_has_a_line_of_its_own() -> None:
    lines = [line.partition('":')[0] for line in GOLDEN.read_text("utf-8").splitlines()]
    begun = {name: lines.index(f'"{name}') for name in ("prompts", "resources", "templates")}
    assert lines[begun["prompts"] : begun["prompts"] + 2] == ['"prompts', '"grüß']
    assert lines[begun["resources"] : begun["resources"] + 3] == ['"resources', '"file:///a', '"file:///b']  # fmt: skip
    assert lines[begun["templates"] : begun["templates"] + 3] == ['"templates', '"shop://{id}', '"shop://{id}/{part}']  # fmt: skip


@pytest.mark.parametrize("place", ["tool", "menu", "server", "body"])
def test_a_member_that_no_lock_has_is_refused_though_its_digest_matches(place: str) -> None:
    body: dict[str, Any] = json.loads(GOLDEN.read_bytes())
    del body["digest"]
    server = body["servers"]["läden"]
    held = {"tool": server["tools"]["floats"], "menu": server["menu"], "server": server, "body": body}  # fmt: skip
    held[place]["more"] = 1
    with pytest.raises(LockBroken, match=r"it is not of the shape of a lock: .*`more`"):
        read(json.dumps({**body, "digest": digest(body)}).encode(), "golden.lock")


@pytest.mark.parametrize("kind", ["file", "link"])
def test_nothing_is_written_through_what_stands_where_a_draft_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path, beside, other = (tmp_path / name for name in ("a.lock", "a.lock.0000.new", "other"))
    other.write_bytes(b"mine")
    if kind == "link":
        beside.symlink_to(other)
    else:
        beside.write_bytes(b"mine")
    monkeypatch.setattr(os, "urandom", lambda _: b"\0\0")
    with pytest.raises(LockBroken, match="it cannot be written: File exists"):
        files.replace(str(path), b"new")
    assert sorted(os.listdir(tmp_path)) == ["a.lock.0000.new", "other"]
    assert (beside.read_bytes(), other.read_bytes()) == (b"mine", b"mine")
