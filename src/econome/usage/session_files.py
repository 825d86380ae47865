"""What only a session's own files say, read when one session is looked at: its cost records, who started whom.

These files are small in number: one main transcript, and a meta file beside each sub-agent's transcript.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

__all__ = ["cost_record", "parents"]

_MARK = b'"cost-state"'
_CHUNK = 1 << 20
_LONGEST_RECORD = 1 << 22  # a cost record names a few models; a longer line is none


def cost_record(roots: Iterable[str], session: str) -> dict[str, Any] | None:
    """Return the largest `cost-state` record of a session (F15), or None where it has none.

    Records are cumulative, so they are never added; of equal ones the last counts. Amounts are `Decimal`.
    """
    best: dict[str, Any] | None = None
    for path in _main_files(roots, session):
        for line in _marked_lines(path):
            record = _record(line)
            if record is None or record.get("sessionId", session) != session:
                continue
            if best is None or _cost(record) >= _cost(best):
                best = record
    return best


def _main_files(roots: Iterable[str], session: str) -> Iterator[str]:
    """Yield the main transcripts of a session: `projects/<project>/<session>.jsonl`."""
    if os.path.basename(session) != session:
        return
    for root in roots:
        try:
            with os.scandir(os.path.join(root, "projects")) as entries:
                folders = sorted(entry.path for entry in entries if entry.is_dir())
        except OSError:
            continue
        for folder in folders:
            path = os.path.join(folder, f"{session}.jsonl")
            if os.path.isfile(path):
                yield path


def _marked_lines(path: str) -> Iterator[bytes]:
    """Yield the lines of a file that speak of a cost record; memory stays bounded on any line."""
    try:
        with open(path, "rb") as file:
            held = b""
            while chunk := file.read(_CHUNK):
                *lines, held = (held + chunk).split(b"\n")
                yield from (line for line in lines if _MARK in line)
                if len(held) > _LONGEST_RECORD:
                    held = held[-len(_MARK) :]
            if _MARK in held:
                yield held
    except OSError:
        return


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line.decode("utf-8-sig", "replace").strip("\0 \r\t"), parse_float=Decimal)
    except (ValueError, RecursionError):
        return None
    known = isinstance(value, dict) and value.get("type") == "cost-state"
    return value if known else None


def _cost(record: dict[str, Any]) -> Decimal:
    value = record.get("totalCostUSD")
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return Decimal(-1)
    amount = Decimal(value)
    return amount if amount.is_finite() else Decimal(-1)


def parents(roots: Iterable[str], agent_files: Iterable[str]) -> dict[str, str]:
    """Return the agent that started each agent, by id, where a meta file says so (`parentAgentId`).

    *agent_files* are paths of sub-agents' transcripts below their root.
    """
    found: dict[str, str] = {}
    bases = list(roots)
    for relative in agent_files:
        stem = relative.removesuffix(".jsonl")
        for base in bases:
            parent = _meta(os.path.join(base, f"{stem}.meta.json")).get("parentAgentId")
            if isinstance(parent, str) and parent:
                found[stem.rpartition("/")[2].removeprefix("agent-")] = parent
                break
    return found


def _meta(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read().decode("utf-8-sig", "replace"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
