"""What a session of Claude Code left: the calls of tools in its transcripts with their results, and the menu it sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Call", "Said", "calls", "menu", "said"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one of econome's tools: its id, its name, what it was given and the JSON that it answered."""

    id: str
    tool: str
    given: dict[str, Any]
    answer: dict[str, Any]
    file: str


@dataclass(frozen=True, slots=True)
class Said:
    """A call of a tool, and the text that the model read of its answer."""

    given: dict[str, Any]
    text: str
    failed: bool


def said(folder: Path, prefix: str) -> list[Said]:
    """Return the calls of the tools whose names begin with *prefix*, in order, with what the model read."""
    return [
        Said(use["input"], _text(result["content"], "\n"), bool(result.get("is_error")))
        for _, use, result in _answered(folder, prefix)
    ]


def calls(folder: Path, prefix: str) -> list[Call]:
    """Return the calls of the tools whose names begin with *prefix*, in all transcripts below a folder."""
    return [
        Call(
            use["id"],
            use["name"].removeprefix(prefix),
            use["input"],
            json.loads(_text(result["content"])),
            path.name,
        )
        for path, use, result in _answered(folder, prefix)
    ]


def _answered(folder: Path, prefix: str) -> Iterator[tuple[Path, dict[str, Any], dict[str, Any]]]:
    """Yield each call of such a tool that was answered, with its file and its answer, as blocks."""
    for path in sorted(folder.rglob("*.jsonl")):
        begun: dict[str, dict[str, Any]] = {}
        for block in _blocks(path):
            if block.get("type") == "tool_use" and block["name"].startswith(prefix):
                begun[block["id"]] = block
            elif block.get("type") == "tool_result" and block["tool_use_id"] in begun:
                yield path, begun.pop(block["tool_use_id"]), block


def _blocks(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        content = (json.loads(line).get("message") or {}).get("content")
        if isinstance(content, list):
            yield from (block for block in content if isinstance(block, dict))


def _text(content: Any, between: str = "") -> str:
    if isinstance(content, str):
        return content
    return between.join(block.get("text", "") for block in content)


def menu(requests: Path, prefix: str) -> list[dict[str, Any]]:
    """Return the tools whose names begin with *prefix* as the first recorded request that has any sent them."""
    for path in sorted(requests.glob("*.json")):
        body = json.loads(path.read_text(encoding="utf-8")).get("body") or {}
        tools = [tool for tool in body.get("tools", []) if tool["name"].startswith(prefix)]
        if tools:
            return tools
    return []
