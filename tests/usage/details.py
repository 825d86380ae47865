"""Small transcripts for the tests of the detail pass, and a root with its database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from econome.usage import detail as d
from econome.usage.readers.claude_detail import Detail, refresh
from tests.builders import CWD, SLUG, Row, assistant, lines

SALT = b"s" * 32
SESSION = "11111111-1111-4111-8111-111111111111"
ID = "toolu_01AAAAAAAAAAAAAAAAAAAAAA"


def at(minutes: float) -> str:
    """The time of a line, *minutes* after the start."""
    seconds = round(minutes * 60)
    return f"2026-01-05T{10 + seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z"


def ns(minutes: float) -> int:
    return (1_767_607_200 + round(minutes * 60)) * 10**9


def call(identity: str = ID, name: str = "Read", *, minutes: float = 0, **more: Any) -> Row:
    given = more.pop("given", {"file_path": "/home/dev/shop/a.py"})
    block = {"type": "tool_use", "id": identity, "name": name, "input": given}
    row = assistant(content=[block], time=at(minutes), **more)
    return {"uuid": f"u-call-{identity}", "requestId": "req_1", "sessionId": SESSION, **row, **more}


def result(
    identity: str = ID, content: Any = "four", *, minutes: float = 1, failed: bool | None = None
) -> Row:
    block: Row = {"type": "tool_result", "tool_use_id": identity, "content": content}
    if failed is not None:
        block["is_error"] = failed
    message = {"role": "user", "content": [block]}
    row = {"type": "user", "message": message, "timestamp": at(minutes), "cwd": CWD}
    return row | {"sessionId": SESSION, "uuid": f"u-result-{identity}"}


def said(minutes: float, **more: Any) -> Row:
    message = {"role": "user", "content": "hello"}
    row = {"type": "user", "message": message, "timestamp": at(minutes), "cwd": CWD}
    return row | {"sessionId": SESSION, "uuid": f"u-said-{minutes}", **more}


def compacted(uuid: str = "u-compact", minutes: float = 3, **facts: Any) -> Row:
    row = {"type": "system", "subtype": "compact_boundary", "timestamp": at(minutes), "cwd": CWD}
    return row | {"sessionId": SESSION, "uuid": uuid, "compactMetadata": facts}


class Place:
    """A root and its database."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "claude"
        self.database = folder / "data" / "detail.db"
        (self.root / "projects").mkdir(parents=True)

    def write(self, *rows: Row | bytes, path: str = f"{SESSION}.jsonl") -> Path:
        file = self.root / "projects" / SLUG / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(lines(rows))
        return file

    def refresh(self) -> Detail:
        return refresh([self.root], self.database, SALT)

    def calls(self) -> list[d.ToolCall]:
        with self.refresh() as detail:
            return list(detail.calls())
