"""What only a session's own files say, read when one session is looked at: its cost records, who started whom.

These files are small in number: one main transcript, and a meta file beside each sub-agent's transcript.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from econome.usage.fold import HELPERS

__all__ = ["cost_record", "parents"]

_REPEATING = tuple(prefix for prefix, _ in HELPERS)
_MARK = b'"cost-state"'
_CHUNK = 1 << 20
_LONGEST_LINE = 1 << 23  # the longest line seen in real transcripts is a third of it


def cost_record(roots: Iterable[str], session: str) -> dict[str, Any] | None:
    """Return the largest `cost-state` record of a session (F15), or None where it has none.

    Records are cumulative, so they are never added; of equal ones the last counts. Amounts are `Decimal`.
    """
    best: dict[str, Any] | None = None
    for path in _main_files(roots, session):
        for line in _marked_lines(path, _MARK):
            record = _json(line)
            if record.get("type") != "cost-state" or record.get("sessionId", session) != session:
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


def _marked_lines(path: str, mark: bytes) -> Iterator[bytes]:
    """Yield the lines of a file that hold *mark*, but for endless ones; a file that cannot be read has none."""
    try:
        with open(path, "rb") as file:
            held, skipping = b"", False
            while chunk := file.read(_CHUNK):
                *lines, held = (held + chunk).split(b"\n")
                if lines and skipping:
                    lines, skipping = lines[1:], False
                yield from (line for line in lines if mark in line)
                if len(held) > _LONGEST_LINE:
                    held, skipping = b"", True
            if mark in held and not skipping:
                yield held
    except OSError:
        return


def _cost(record: dict[str, Any]) -> Decimal:
    value = record.get("totalCostUSD")
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return Decimal(-1)
    amount = Decimal(value)
    return amount if amount.is_finite() else Decimal(-1)


def parents(roots: Iterable[str], agent_files: Iterable[str]) -> dict[str, str]:
    """Return the sub-agent that started each sub-agent, by id; those the main thread started are left out.

    A meta file says so (`parentAgentId`), else the transcript in which the call was answered
    (`toolUseResult.agentId`). *agent_files* are paths of sub-agents' transcripts below their root.
    """
    bases, files = list(roots), list(agent_files)
    found: dict[str, str] = {}
    for base in bases:
        for relative in files:
            path = os.path.join(base, relative)
            name = _agent(relative)
            parent = _meta(f"{path.removesuffix('.jsonl')}.meta.json").get("parentAgentId")
            if isinstance(parent, str) and parent:
                found[name] = parent
            if not f"agent-{name}".startswith(_REPEATING):  # a call in such a file is not its own
                for started in _started(path):
                    found.setdefault(started, name)
    return found


def _agent(relative: str) -> str:
    return relative.rpartition("/")[2].removesuffix(".jsonl").removeprefix("agent-")


def _started(path: str) -> Iterator[str]:
    """Yield the ids of the agents whose answer stands in a transcript."""
    for line in _marked_lines(path, b'"agentId"'):
        if b'"toolUseResult"' in line:
            result = _json(line).get("toolUseResult")
            started = result.get("agentId") if isinstance(result, dict) else None
            if isinstance(started, str) and started:
                yield started


def _meta(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return _json(file.read())
    except OSError:
        return {}


def _json(data: bytes) -> dict[str, Any]:
    """Return the object that *data* holds; an empty one where it holds none."""
    try:
        text = data.decode("utf-8-sig", "replace").strip("\0 \r\t\n")
        value = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
