"""Minimal Codex rollouts, for tests that need a second agent in the tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.builders import CWD, TIME, Row, lines


def meta(session: str = "c1", *, time: str = TIME, cwd: str = CWD) -> Row:
    """The first line of a rollout."""
    payload = {"id": session, "cwd": cwd, "cli_version": "0.63.0", "git": {"branch": "main"}}
    return {"timestamp": time, "type": "session_meta", "payload": payload}


def turn(model: str = "gpt-5-codex", *, time: str = TIME) -> Row:
    """The line that says which model answers from here on."""
    return {"timestamp": time, "type": "turn_context", "payload": {"model": model, "cwd": CWD}}


def totals(fresh: int, cached: int, output: int) -> Row:
    """A cumulative usage object; cached input is part of *fresh*."""
    return {
        "input_tokens": fresh,
        "cached_input_tokens": cached,
        "output_tokens": output,
        "reasoning_output_tokens": 0,
        "total_tokens": fresh + output,
    }


def spent(total: Row | None, last: Row | None = None, *, time: str = TIME) -> Row:
    """A token count; *total* None is the empty one that some versions write."""
    info: Any = None if total is None else {"total_token_usage": total, "last_token_usage": last}
    return {
        "timestamp": time,
        "type": "event_msg",
        "payload": {"type": "token_count", "info": info},
    }


def rollout(root: Path, *rows: Row | bytes, session: str = "c1", day: str = "2026/01/05") -> Path:
    """Write a rollout under `sessions/`."""
    path = root / "sessions" / day / f"rollout-{day.replace('/', '-')}T10-00-00-{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(rows))
    return path
