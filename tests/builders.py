"""Valid transcripts, made small: a test shows only what it changes.

Rows are plain dicts. A row leaves out what its place in the tree says anyway (session, side chain,
agent); `Tree` fills these in when it writes the row into a file, unless the row has them already.
Lines given as bytes are written as they are.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Line = Row | bytes

MODEL = "claude-haiku-4-5-20251001"
TIME = "2026-01-05T10:00:00.000Z"
CWD = "/home/dev/shop"
SLUG = "-home-dev-shop"
SPACE = uuid.UUID("6d1f9d0c-5f0e-4f4e-9c66-5f6f1f0f7a11")


def uuid_of(name: str) -> str:
    """A UUID that is always the same for *name*."""
    return str(uuid.uuid5(SPACE, name))


def counts(
    fresh: Any = 3,
    output: Any = 50,
    read: Any = 1000,
    write: Any = 200,
    w5m: Any = None,
    w1h: Any = 0,
    searches: Any = 0,
    **more: Any,
) -> Row:
    """A usage object; writes are 5-minute ones unless the split is given."""
    five = write - w1h if w5m is None and isinstance(write, int) else w5m
    return {
        "input_tokens": fresh,
        "cache_creation_input_tokens": write,
        "cache_read_input_tokens": read,
        "cache_creation": {"ephemeral_5m_input_tokens": five, "ephemeral_1h_input_tokens": w1h},
        "output_tokens": output,
        "server_tool_use": {"web_search_requests": searches, "web_fetch_requests": 0},
        "service_tier": "standard",
        **more,
    }


def assistant(
    name: str = "a",
    *,
    time: str | None = TIME,
    model: str | None = MODEL,
    stop: str | None = "end_turn",
    cwd: str | None = CWD,
    usage: Row | None = None,
    content: list[Row] | None = None,
    message: Row | None = None,
    **more: Any,
) -> Row:
    """One line of the response *name*; *message* and *more* override fields of either level.

    A field given as None stays out of the line.
    """
    inner = {
        "id": f"msg_01{name}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": "Done."}] if content is None else content,
        "stop_reason": stop,
        "usage": counts() if usage is None else usage,
        **(message or {}),
    }
    row = {
        "parentUuid": None,
        "cwd": cwd,
        "version": "2.1.200",
        "gitBranch": "main",
        "message": {k: v for k, v in inner.items() if v is not None or k == "stop_reason"},
        "requestId": f"req_011{name}",
        "type": "assistant",
        "uuid": uuid_of(name),
        "timestamp": time,
        **more,
    }
    return {k: v for k, v in row.items() if v is not None or k == "parentUuid"}


def user(text: str = "Go on.", *, time: str = TIME, content: Any = None, **more: Any) -> Row:
    """A prompt, or what *content* says."""
    message = {"role": "user", "content": text if content is None else content}
    row = {"type": "user", "uuid": uuid_of(text), "timestamp": time, "cwd": CWD, "message": message}
    return {**row, **more}


def call(tool_id: str = "toolu_01", kind: str | None = "Explore", tool: str = "Agent") -> Row:
    """The content block with which a main agent starts a sub-agent."""
    given = {"description": "Look around", "prompt": "Look."}
    return {
        "type": "tool_use",
        "id": tool_id,
        "name": tool,
        "input": given if kind is None else {**given, "subagent_type": kind},
    }


def returned(agent_id: str, tool_id: str = "toolu_01", **result: Any) -> Row:
    """The line that gives a sub-agent's answer to its parent."""
    return user(
        content=[{"type": "tool_result", "tool_use_id": tool_id, "content": "Found."}],
        toolUseResult={
            "status": "completed",
            "agentId": agent_id,
            "totalTokens": 999_999,
            "usage": counts(fresh=999_999),
            **result,
        },
    )


def progress(row: Row) -> Row:
    """An `agent_progress` line that repeats the message of *row* (never counted)."""
    data = {"type": "agent_progress", "agentId": "a1", "message": row}
    return {"type": "progress", "uuid": uuid_of("progress"), "timestamp": TIME, "data": data}


def without(row: Row, *names: str) -> Row:
    """*row* with some of its fields left out."""
    return {name: value for name, value in row.items() if name not in names}


def line(row: Row, **style: Any) -> bytes:
    """The bytes of *row*, without a line end."""
    return json.dumps(row, **style).encode()


def lines(rows: Iterable[Line], end: bytes = b"\n") -> bytes:
    """The bytes of *rows*, each with its line end."""
    return b"".join((row if isinstance(row, bytes) else line(row)) + end for row in rows)


class Tree:
    """A root with transcripts under `projects/`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "projects").mkdir(parents=True, exist_ok=True)

    def put(self, path: str, *rows: Line, **defaults: Any) -> Path:
        """Write *rows* into *path* below `projects/`, with *defaults* where a row has no value."""
        target = self.root / "projects" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        full = [row if isinstance(row, bytes) else {**defaults, **row} for row in rows]
        target.write_bytes(lines(full))
        return target

    def main(self, session: str, *rows: Line, slug: str = SLUG) -> Path:
        """Write a main transcript."""
        return self.put(f"{slug}/{session}.jsonl", *rows, sessionId=session, isSidechain=False)

    def agent(
        self,
        session: str,
        agent_id: str,
        *rows: Line,
        meta: Row | bytes | None = None,
        slug: str = SLUG,
        folder: str = "{session}/subagents",
    ) -> Path:
        """Write a sub-agent's transcript, with its meta file when *meta* is given."""
        name = f"{slug}/{folder.format(session=session)}/agent-{agent_id}".replace("//", "/")
        path = self.put(
            f"{name}.jsonl", *rows, sessionId=session, isSidechain=True, agentId=agent_id
        )
        if meta is not None:
            data = meta if isinstance(meta, bytes) else line(meta)
            path.with_suffix("").with_suffix(".meta.json").write_bytes(data)
        return path
