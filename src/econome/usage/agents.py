"""What kind of agent a sub-agent's file is of, where its own lines do not say (F10, F16). Takes bytes."""

from __future__ import annotations

from collections.abc import Iterable
from json import loads
from typing import Any

from econome.usage.rows import text_or
from econome.usage.salvage import salvage

__all__ = ["called_type", "meta_type"]


def meta_type(data: bytes) -> str:
    """Return the `agentType` of a meta file, or "" where it is missing, empty or broken."""
    try:
        meta = loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return ""
    return text_or(meta.get("agentType"), "") if isinstance(meta, dict) else ""


def called_type(transcripts: Iterable[bytes], agent_id: str) -> str:
    """Return the type that the parent's call gave an agent, or "".

    *transcripts* are the files of the agent's session, taken twice at most: first for the tool result whose
    `toolUseResult.agentId` is the agent, then, where it names no type, for the tool call it answers.
    """
    files = list(transcripts)
    for data in files:
        for record in _records(data, agent_id.encode(), b'"toolUseResult"'):
            result = record.get("toolUseResult")
            if not isinstance(result, dict) or result.get("agentId") != agent_id:
                continue
            known = text_or(result.get("agentType"), "")
            for call in [] if known else _answered(record):
                known = known or _asked_type(files, call)
            if known:
                return known
    return ""


def _records(data: bytes, needle: bytes, also: bytes) -> Iterable[dict[str, Any]]:
    """The records on the lines of *data* that hold both byte strings."""
    at = data.find(needle)
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        if data.find(also, start, end) >= 0:
            yield from salvage(data[start:end])[0]
        at = data.find(needle, end)


def _blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return (
        [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    )


def _answered(record: dict[str, Any]) -> list[str]:
    """The ids of the calls that a tool result's record answers."""
    return [call for block in _blocks(record) if (call := text_or(block.get("tool_use_id"), ""))]


def _asked_type(files: list[bytes], call: str) -> str:
    for data in files:
        for record in _records(data, call.encode("utf-8", "replace"), b'"tool_use"'):
            for block in _blocks(record):
                asked = block.get("input")
                if block.get("id") == call and isinstance(asked, dict):
                    return text_or(asked.get("subagent_type"), "")
    return ""
