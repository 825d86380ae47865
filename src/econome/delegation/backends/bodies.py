"""The bodies that go to an OpenAI-compatible server, and the list of models that comes back.

It knows the names of the API. It sends nothing, and takes nothing for a list of models that is not exactly one. What a
server says of a failure is told in words of ours or not at all: its own may hold the prompt or the key in any disguise.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from econome.delegation.ports import Prompt

__all__ = ["TOO_LONG", "body_of", "models_in", "reported", "writes_text"]

_MODELS_LIMIT = 2000
_NAME_LIMIT = 200
_SILENT = (
    "embed", "bge-", "e5-", "gte-", "minilm", "rerank", "whisper", "tts-", "-tts", "clip-", "stable-diffusion",
)  # fmt: skip
"""What stands in the names of models that write no text."""

_SAID_LIMIT = 1000
TOO_LONG: Final = "the prompt is longer than the model's context"
"""What is said of a prompt that a model cannot take."""

_FAILURES = (
    (
        r"context[ _](?:length|size|window)|maximum context|exceeds? the context|too many tokens|prompt is too long",
        TOO_LONG,
    ),
    (r"load(?:ing)? (?:the )?model|model is (?:still )?(?:being )?load", "the model is still being loaded; ask again later"),
    (
        r"model_not_found|(?:no such|unknown) model|model\b.{0,250}\b(?:not found|not exist|not available)",
        "it has no such model",
    ),
    (
        r"out of memory|(?:insufficient|not enough|more)(?: \w+)? memory|failed to allocate",
        "there is not enough memory for the model",
    ),
    (r"rate.limit|too many requests|quota", "it takes no more requests for now"),
)  # fmt: skip
"""What stands in what servers say, and what we say then."""


def body_of(prompt: Prompt, model: str, *, held: bool = True) -> dict[str, Any]:
    """Return the request for an answer to *prompt*; *held* to its schema, where it has one."""
    system = [] if prompt.system is None else [{"role": "system", "content": prompt.system}]
    body: dict[str, Any] = {
        "model": model,
        "messages": [*system, {"role": "user", "content": prompt.user}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if prompt.temperature is not None:
        body["temperature"] = prompt.temperature
    if prompt.max_tokens is not None:
        body["max_tokens"] = prompt.max_tokens
    if prompt.schema is not None and held:
        schema = {"name": "answer", "strict": True, "schema": dict(prompt.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def models_in(data: bytes) -> tuple[str, ...] | None:
    """Return the models that an answer of `/v1/models` lists, those that write text; None where it is no such list."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        return None
    rows = answer.get("data") if isinstance(answer, dict) else None
    # Ollama without a model answers null.
    if rows is None and isinstance(answer, dict) and answer.get("object") == "list":
        rows = [] if "data" in answer else None
    if not isinstance(rows, list) or answer.get("object") != "list" or len(rows) > _MODELS_LIMIT:
        return None
    names = [_name(row) for row in rows]
    if "" in names:
        return None
    return tuple(name for name in names if writes_text(name))


def reported(body: object) -> str:
    """Return `: what failed` as an error's body tells it, in words of ours; nothing where they do not fit."""
    error = body.get("error", body) if isinstance(body, dict) else None
    if isinstance(error, dict):
        parts = [error.get(name) for name in ("message", "detail", "code", "type")]
    else:
        parts = [error]
    said = " ".join(part[:_SAID_LIMIT] for part in parts if isinstance(part, str)).lower()
    for pattern, words in _FAILURES:
        if re.search(pattern, said, re.DOTALL):
            return f": {words}"
    return ""


def writes_text(model: str) -> bool:
    """Return whether a model of this name writes text, as far as a name tells."""
    low = model.lower()
    return not any(part in low for part in _SILENT)


def _name(row: object) -> str:
    """Return the name of a model, empty where it is none."""
    name = row.get("id") if isinstance(row, dict) else None
    good = isinstance(name, str) and len(name) <= _NAME_LIMIT and name.isprintable()
    return str(name) if good else ""
