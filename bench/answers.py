"""What the contenders answer: a figure that all of them print, so that a fast wrong answer does not go unseen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["last_day", "tokens"]

COUNTED = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
)


def _answer(path: Path) -> Mapping[str, Any] | None:
    """Return the JSON object at *path*, or None where something else stands there."""
    try:
        answer = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) else None


def tokens(path: Path) -> int | None:
    """Return all the tokens, cache included, that the answer at *path* counts; None when it counts none."""
    answer = _answer(path)
    if answer is None:
        return None
    if "total" in answer:
        return sum(int(answer["total"][name]) for name in COUNTED)
    if "totals" in answer:
        return int(answer["totals"]["totalTokens"])
    if "summary" in answer:
        return int(answer["summary"]["totalTokens"])
    return None


def last_day(path: Path) -> Any:
    """Return the last day that econome's answer at *path* covers; None where there is none."""
    answer = _answer(path)
    return answer["coverage"]["last_day"] if answer else None
