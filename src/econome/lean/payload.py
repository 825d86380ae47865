"""Where the data of a result lies: in its structure, in its one text, or behind a few lines of that text.

It finds and puts back; it changes no value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from econome.lean.exact import compact, read_json, read_literal

__all__ = ["Payload", "payload_of"]


@dataclass(frozen=True, slots=True)
class Payload:
    """The data of a result.

    *before* is what a client's model reads of the untouched result. *plain* says that it is a text and no data; *text* is that
    text. Else *value* is the data, after *lead*, the lines before it in the text.
    """

    before: str
    plain: bool
    text: str = ""
    value: Any = None
    lead: str = ""

    def replaced(
        self, result: Mapping[str, Any], text: str, note: str | None = None
    ) -> dict[str, Any]:
        """Return *result* with *text* in place of its first text block, *note* first, and no structure."""
        content: list[Any] = [] if note is None else [{"type": "text", "text": note}]
        pending: str | None = text
        for block in result["content"]:
            if block.get("type") != "text":
                content.append(block)
            elif pending is not None:
                content.append({**block, "text": pending})
                pending = None
        if pending is not None:
            content.append({"type": "text", "text": pending})
        return {
            name: content if name == "content" else value
            for name, value in result.items()
            if name != "structuredContent"
        }


def payload_of(result: Mapping[str, Any]) -> Payload | None:
    """Return where the data of *result* lies, None where it is no plain result: an error, a task, a question."""
    content = result.get("content")
    if not isinstance(content, list) or result.get("isError") is True:
        return None
    if result.get("resultType", "complete") != "complete":
        return None
    if not all(isinstance(block, dict) for block in content):
        return None
    texts = [block.get("text") for block in content if block.get("type") == "text"]
    if not all(isinstance(text, str) for text in texts):
        return None
    if "structuredContent" in result:
        return _structure(result["structuredContent"], [text for text in texts if text])
    joined = "\n".join(text for text in texts if text is not None)
    return _text(joined, joined) if len(texts) == 1 else Payload(joined, plain=True, text=joined)


def _structure(value: object, texts: list[str]) -> Payload | None:
    try:
        before = compact(value)
        before.encode()
    except (TypeError, ValueError):
        return None
    if isinstance(value, dict) and len(value) == 1:
        (inner,) = value.values()
        if isinstance(inner, str) and texts == [inner]:  # the text, wrapped to be an object
            return _text(before, inner)
        if "result" in value:
            return Payload(before, plain=False, value=inner)
    return Payload(before, plain=False, value=value)


def _text(before: str, text: str) -> Payload:
    value = _read(text)
    if value is not None:
        return Payload(before, plain=False, text=text, value=value)
    return Payload(before, plain=True, text=text)


def _read(text: str) -> Any:
    """Return the list or object that *text* is, None where it is none."""
    begun = text.lstrip()[:1]
    if begun not in ("{", "["):
        return None
    for read in (read_json, read_literal):
        try:
            value = read(text)
        except ValueError:
            continue
        return value if isinstance(value, dict | list) else None
    return None
