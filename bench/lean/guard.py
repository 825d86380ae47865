"""The check that nothing is lost: every answer is read back and held, field by field, against what the server said.

It reads with decoders of its own and those of the format's authors, and uses nothing of what made the answer.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bench.lean.reading import readings

__all__ = ["Verdict", "beside", "compare", "differences", "originals"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The form an answer was read back from, None where none gave it back, and what is wrong with it."""

    form: str | None
    faults: tuple[str, ...] = ()


def compare(said: Mapping[str, Any], shown: Mapping[str, Any]) -> Verdict:
    """Hold what a client was *shown* against what the server *said*."""
    if said == shown:
        return Verdict("untouched")
    faults = beside(said, shown)
    if "structuredContent" in shown:
        if shown["structuredContent"] != said.get("structuredContent"):
            faults.append("the structure differs")
        return Verdict("structure", tuple(faults))
    read, wrong = _read_back(said, _text(shown))
    return Verdict(read, tuple(faults) + wrong)


def beside(said: Mapping[str, Any], shown: Mapping[str, Any]) -> list[str]:
    """Return what differs beside texts and structure, which no economy may touch."""
    names = (set(said) | set(shown)) - {"content", "structuredContent"}
    faults = [f"{name} differs" for name in sorted(names) if said.get(name) != shown.get(name)]
    if _pictures(said) != _pictures(shown):
        faults.append("a block that is no text differs")
    return faults


def _pictures(result: Mapping[str, Any]) -> list[Any]:
    return [block for block in result["content"] if block["type"] != "text"]


def _text(result: Mapping[str, Any]) -> str:
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")


def originals(said: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what an answer may be taken for: lines in front and the value after them, the surest first.

    A text is a value of its own; it is also the value that it writes as JSON or as a Python literal. A structure of one
    field that repeats the text is that text.
    """
    texts = [_text(said)]
    if "structuredContent" in said:
        whole = said["structuredContent"]
        yield "", whole
        if isinstance(whole, dict) and len(whole) == 1:
            (inner,) = whole.values()
            yield "", inner
            texts = [inner] if isinstance(inner, str) else []
        else:
            texts = []
    for text in texts:
        yield "", text
        yield from ((lead, value) for lead, rest in _split(text) for value in _values(rest))


def _split(text: str) -> Iterator[tuple[str, str]]:
    """Yield every way to take lines off the front of *text* so that the rest may be data."""
    at = 0
    for line in text.splitlines(keepends=True)[:20]:
        if line.lstrip()[:1] in ("[", "{"):
            yield text[:at], text[at:]
        at += len(line)


def _values(text: str) -> Iterator[Any]:
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        if isinstance(value, dict | list):
            yield value


def _read_back(said: Mapping[str, Any], shown: str) -> tuple[str | None, tuple[str, ...]]:
    closest: list[str] | None = None
    for lead, value in originals(said):
        if value == shown and not lead:
            return "text", ()
        if not shown.startswith(lead) or isinstance(value, str):
            continue
        for form, read in readings(shown[len(lead) :]):
            found = list(differences(value, read))
            if not found:
                return form, ()
            if closest is None or len(found) < len(closest):
                closest = found
    return None, tuple((closest or ["no decoder reads it"])[:5])


def differences(one: Any, other: Any, path: str = "$") -> Iterator[str]:
    """Yield where two values differ, types included: 1 is not 1.0, nor True, and 0.0 is not -0.0."""
    if type(one) is not type(other):
        yield f"{path}: {type(one).__name__} became {type(other).__name__}"
    elif isinstance(one, dict):
        if list(one) != list(other):
            yield f"{path}: the keys or their order differ"
        for name in one.keys() & other.keys():
            yield from differences(one[name], other[name], f"{path}.{name}")
    elif isinstance(one, list):
        if len(one) != len(other):
            yield f"{path}: {len(one)} items became {len(other)}"
        for number, (first, second) in enumerate(zip(one, other, strict=False)):
            yield from differences(first, second, f"{path}[{number}]")
    elif one != other or (
        isinstance(one, float) and math.copysign(1, one) != math.copysign(1, other)
    ):
        yield f"{path}: {one!r} became {other!r}"
