"""The slower pass counts what is there and keeps no word of it (F16)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from econome.demo import tree as demo
from econome.usage.readers.claude_detail import refresh
from tests.builders import Row, lines
from tests.requirements import requirement
from tests.usage.details import SALT, Place, call, compacted, result

pytestmark = requirement("F16")


# Privacy


IDS = ("id", "tool_use_id", "uuid", "sessionId", "agentId", "requestId", "timestamp", "cwd")
ATTRIBUTED = (
    *(f"attribution{kind}" for kind in ("Agent", "Skill", "Plugin", "McpServer", "McpTool")),
    "version",
)
KEPT = frozenset((*IDS, "type", "subtype", "name", "trigger"))


def marked(value: Any, marks: list[str], key: str = "") -> Any:
    """Put a mark into every text of a record, but for the ids and names that are meant to be kept."""
    if isinstance(value, dict):
        return {name: marked(inner, marks, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [marked(inner, marks, key) for inner in value]
    if isinstance(value, str) and key not in KEPT:
        marks.append(f"MARK{len(marks):06}KRAM")
        return f"{value} {marks[-1]}"
    return value


def test_no_text_of_a_transcript_reaches_the_database(tmp_path: Path) -> None:
    place = Place(tmp_path)
    tree = demo.write(tmp_path / "demo", 20_742)
    marks: list[str] = []
    for file in sorted((tree.claude / "projects").rglob("*.jsonl"))[:60]:
        try:
            records = [json.loads(line) for line in file.read_bytes().splitlines()]
        except ValueError:
            continue
        target = place.root / file.relative_to(tree.claude)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(lines([marked(record, marks) for record in records]))
    place.write(
        call(name="Odd MARKodd name", given={"file_path": "/MARKpath", "MARKkey": {"MARKdeep": 1}}),
        call(
            "MARK an id that is a sentence",
            agentId="MARK an agent",
            requestId="MARK a request",
            sessionId="MARK a session",
        ),
        result(
            "MARK an id that is a sentence", [{"type": "image", "source": {"data": "MARKdata"}}]
        ),
        call() | {name: f"MARK of a whole sentence, {name}" for name in ATTRIBUTED},
        compacted(trigger="MARK because of this", preTokens="MARK"),
        b'{"type":"user","MARK broken',
    )
    with place.refresh() as detail:
        assert (len(list(detail.calls())) > 200, len(marks) > 2000) == (True, True)
        stored = b"".join(path.read_bytes() for path in place.database.parent.iterdir())
    assert b"MARK" not in stored
    assert b"KRAM" not in stored


# Real shapes


def independent(root: Path) -> Iterator[tuple[str, Row, Row]]:
    """Yield the path, the record and the block of every tool call and result, read slowly."""
    for file in sorted((root / "projects").rglob("*.jsonl")):
        for line in file.read_bytes().split(b"\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            message = record.get("message") if isinstance(record, dict) else None
            content = message.get("content") if isinstance(message, dict) else None
            for block in content if isinstance(content, list) else ():
                if isinstance(block, dict) and record["type"] in ("user", "assistant"):
                    yield str(file), record, block


def test_real_shapes_give_the_same_counts_as_a_slow_count(corpus: Path, tmp_path: Path) -> None:
    names: dict[str, str] = {}
    sizes: dict[str, int] = {}
    failures: dict[str, bool] = {}
    for _, _, block in independent(corpus):
        if block["type"] == "tool_use":
            names[block["id"]] = block["name"]
        elif block["type"] == "tool_result":
            content = block.get("content")
            texts = [content] if isinstance(content, str) else content or []
            lengths = [len(t) if isinstance(t, str) else len(t.get("text", "")) for t in texts]
            sizes[block["tool_use_id"]] = sum(lengths)
            failures[block["tool_use_id"]] = block.get("is_error") is True
    with refresh([corpus], tmp_path / "detail.db", SALT) as detail:
        calls = list(detail.calls())
        compactions = len(detail.compactions())
    assert {call.id: call.name for call in calls} == names
    assert len(calls) == len(names)
    assert {call.id for call in calls if call.failed is None} == names.keys() - sizes.keys()
    assert {call.id: call.failed for call in calls if call.id in failures} == {
        identity: failed for identity, failed in failures.items() if identity in names
    }
    texts = {c.id: sum(p.characters for p in c.parts if p.kind == "text") for c in calls if c.parts}
    assert texts == {identity: sizes[identity] for identity in texts}
    assert compactions == 11
