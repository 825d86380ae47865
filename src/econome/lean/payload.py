"""Where the data of a result lies: in its structure, in its one text, or behind a few lines of that text.

What the structure says is a string stays one, whatever it holds: it may be a file that somebody wants to edit. So may a text
that ends with a line end, which files do and serialisers do not. It finds and puts back; it changes no value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from econome.lean.exact import (
    LONGEST,
    compact,
    read_compact,
    read_json,
    read_literal,
    same,
    written,
)

__all__ = ["Payload", "holds_data", "is_returned", "payload_of", "repeats"]

# What a list or an object begins with; most of what else stands in brackets does not.
_BEGUN = r"""(?:\[\s*(?:[\[\]{"'0-9-]|(?:true|false|null|True|False|None)\b)|\{\s*["'}])"""
_FIRST, _OPENING = re.compile(r"\s*" + _BEGUN), re.compile(r"\n" + _BEGUN)
_OPPOSITE = {"]": "[", "}": "{"}
_FIRST_QUOTE = 8
"""A quote of Python's within so many characters means a literal rather than JSON."""
_LONGEST_LEAD = 2_000
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Payload:
    """The data of a result.

    *before* is what a client's model reads of the untouched result. *plain* says that it is a text and no data; *text* is that
    text. Else *value* is the data, after *lead*, the lines before it in the text, and *json* its compact JSON where that is
    known. *wrap* is the one key of a structure that does nothing but wrap it, *texts* says that it wraps a text.
    """

    before: str
    plain: bool
    text: str = ""
    value: Any = None
    lead: str = ""
    wrap: str | None = None
    texts: bool = False
    json: str | None = None

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


def payload_of(
    result: Mapping[str, Any],
    longest: int = LONGEST,
    *,
    wire: bool = False,
    json: bool | None = None,
    schema: Mapping[str, Any] | None = None,
) -> Payload | None:
    """Return where the data of *result* lies, None where it is no plain result: an error, a task, a question.

    A text of more than *longest* characters is taken for a text. A result from the *wire* was read from JSON. *json* says
    that JSON in texts is data, or that it never is; *schema* is the output schema of the tool, where it is known.
    """
    content = result.get("content")
    if not isinstance(content, list) or result.get("isError") is True:
        return None
    if result.get("resultType", "complete") != "complete":
        return None
    texts: list[str] = []
    for block in content:
        if not isinstance(block, dict):
            return None
        if block.get("type") == "text":
            text = block.get("text")
            if not isinstance(text, str):
                return None
            texts.append(text)
    if "structuredContent" in result:
        found = _structure(result["structuredContent"], texts, written if wire else compact)
        if found is None or not found.texts:
            return found
        if json is None and not is_returned(result, schema):
            return found
        return _text(found.before, found.text, longest, json, wrap=found.wrap)
    joined = texts[0] if len(texts) == 1 else "\n".join(texts)
    if len(texts) != 1:
        return Payload(joined, plain=True, text=joined)
    return _text(joined, joined, longest, json)


def holds_data(text: str, json: bool | None = None) -> bool:
    """Tell whether a list or an object that is data may end *text*; *json* as above."""
    if json is None:
        return not text[-1:].isspace() and bool(_openings(text))
    return json and bool(_openings(text))


def is_returned(result: Mapping[str, Any], schema: Mapping[str, Any] | None) -> bool:
    """Tell whether the structure of *result* is what FastMCP or the SDK puts around the plain value a function returned."""
    meta = result.get("_meta")
    own = meta.get("fastmcp") if isinstance(meta, dict) else None
    if isinstance(own, dict) and own.get("wrap_result") is True:
        return True
    if schema is None:
        return False
    if schema.get("x-fastmcp-wrap-result") is True:
        return True
    title, fields = schema.get("title"), schema.get("properties")
    titled = isinstance(title, str) and title.endswith("Output")
    return titled and isinstance(fields, Mapping) and list(fields) == ["result"]


def _structure(
    value: object, texts: list[str], compacted: Callable[[object], str]
) -> Payload | None:
    try:
        before = compacted(value)
        if not before.isascii():
            before.encode()  # a lone surrogate has no bytes
    except (TypeError, ValueError):
        return None
    if isinstance(value, dict) and len(value) == 1:
        ((name, inner),) = value.items()
        if isinstance(inner, str) and [text for text in texts if text] == [inner]:
            return Payload(before, plain=True, text=inner, wrap=name, texts=True)
        if name == "result" and isinstance(inner, dict | list):
            own = before[len('{"result":') : -1]
            return Payload(before, plain=False, value=inner, wrap=name, json=own)
    return Payload(before, plain=False, value=value, json=before)


def _text(
    before: str, text: str, longest: int, json: bool | None, wrap: str | None = None
) -> Payload:
    found = _data_in(text) if len(text) <= longest and holds_data(text, json) else None
    if found is None:
        return Payload(before, plain=True, text=text, wrap=wrap, texts=wrap is not None)
    lead, value, own = found
    return Payload(
        before,
        plain=False,
        text=text,
        value=value,
        lead=lead,
        wrap=wrap,
        texts=wrap is not None,
        json=own,
    )


def _data_in(text: str) -> tuple[str, Any, str] | None:
    """Return the lines before the list or object that ends *text*, that value, and its compact JSON; None where there is none."""
    for at in _openings(text):
        readers = [read_compact, _read_literal] if at == 0 else [read_compact]
        if "'" in text[:_FIRST_QUOTE]:
            readers.reverse()
        for read in readers:
            try:
                value, own = read(text[at:])
            except ValueError:
                continue
            if isinstance(value, dict | list):
                return text[:at], value, own
    return None


def _openings(text: str) -> list[int]:
    """Return where a list or object that ends *text* may begin."""
    end = text[-1:] if not text[-1:].isspace() else text.rstrip()[-1:]
    if end not in _OPPOSITE:
        return []
    found = [0] if _FIRST.match(text) else []
    lines = islice(_OPENING.finditer(text, 0, _LONGEST_LEAD), _TRIES)
    return found + [line.start() + 1 for line in lines if line[0][1] == _OPPOSITE[end]]


def _read_literal(text: str) -> tuple[Any, str]:
    value = read_literal(text)
    return value, written(value)


def repeats(result: Mapping[str, Any], value: object) -> bool:
    """Tell whether the texts of *result* say again what *value* says: as one JSON, or as one for each item."""
    blocks = result["content"]
    texts = [block["text"] for block in blocks if block.get("type") == "text"]
    try:
        values = [read_json(text) for text in texts]
    except ValueError:
        return False
    return (len(values) == 1 and same(values[0], value)) or (bool(values) and same(values, value))
