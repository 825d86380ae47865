"""Profiles of servers that were captured and recorded."""

from __future__ import annotations

import json
from typing import Any

from econome.contract.captured import Captured
from econome.contract.profile import profile
from econome.contract.recorded import Recording
from econome.tokenizers import tokenizer
from tests.lean.schemas import count

METHOD = tokenizer()


def captured(tools: Any, **more: Any) -> Captured:
    """Return what a server told."""
    return Captured("fs", tuple(tools), tuple(tools), **more)


def look(of: Captured, **more: Any) -> dict[str, Any]:
    """Return the profile by the default tokenizer."""
    return profile(of, count=count, tokenizer=METHOD.name, estimate=True, **more)


def recorded(*answers: tuple[str, Any], method: str = "features-v1") -> Recording:
    """Return the recording of tools that answered with these results, None where one never did."""
    lines = []
    for at, (name, result) in enumerate(answers):
        lines.append({"id": at, "method": "tools/call", "params": {"name": name}})
        if result is not None:
            lines.append({"id": at, "result": result})
    return Recording.read((json.dumps(one).encode() for one in lines), method=tokenizer(method))


def says(*texts: str) -> dict[str, Any]:
    """Return a result of texts."""
    return {"content": [{"type": "text", "text": text} for text in texts]}
