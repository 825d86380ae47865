"""What one answer costs, by the kinds of its blocks: payload and overhead, its class, and at most one piece of advice (L13).

It counts what the model reads of an answer, by a tokenizer that is given, and keeps no text. What is no text is estimated
by `images.py` and says by which method. It has seen one answer and knows no other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from econome.contract.images import (
    AS_AUDIO,
    AS_BASE64,
    audio_tokens,
    blob_tokens,
    is_image,
    weighed_image,
)
from econome.contract.static import THRESHOLDS, risk_of
from econome.lean.actions import too_deep
from econome.lean.counting import Count
from econome.lean.payload import payload_of

__all__ = [
    "CEILING",
    "FLOOR",
    "OVERHEAD",
    "PAYLOAD",
    "RATIOS",
    "BlockProfile",
    "Part",
    "ResponseProfile",
    "parts_of",
    "profile_response",
]

PAYLOAD: Final = ("data", "text", "image", "audio", "resource", "link")
"""The kinds of blocks that are what was asked for; `data` is a value, `text` a text that holds none."""

OVERHEAD: Final = ("invalidation", "cut", "note", "ui", "rules", "suggestions")
"""The kinds that are said beside it, as `econome.lean.blocks` has them; any kind that is not payload is one as well."""

RATIOS: Final = ("share", "data")
"""What overhead is held against: the whole answer, or its payload."""

FLOOR: Final = 200
"""Tokens of overhead below which nothing is said of it."""

CEILING: Final = 0.30
"""The ratio above which overhead is warned of."""

Part = tuple[str, object]
"""One block: its kind, and its text or its content as it is on the wire."""

_DEEPEST: Final = 500
"""Levels up to which every Python writes a structure as JSON; a deeper one is hostile, and is weighed as a word."""

_OPENINGS: Final = (
    ("Stale now: ", "invalidation"),
    ("<cache_invalidation", "invalidation"),
    ("[cut] ", "cut"),
    ("Rules:\n- ", "rules"),
    ("<domain_rules>", "rules"),
    ("<llm_directives>", "rules"),
    ("Next:\n- ", "suggestions"),
    ("<action_suggestions>", "suggestions"),
    ("<ui_passthrough", "ui"),
)
"""What texts beside the data begin with, where libraries that are known write them."""


@dataclass(frozen=True, slots=True)
class BlockProfile:
    """One block: its kind and tokens; *method* is how it was estimated, empty where its text was counted."""

    kind: str
    tokens: int
    method: str = ""


@dataclass(frozen=True, slots=True)
class ResponseProfile:
    """One answer of *tool*.

    *payload* and *overhead* add up to *total*, as the blocks do. *ratio* is what the caller asked for, infinite where there
    is nothing but overhead to hold against no payload. *advisory* is empty where there is nothing to say.
    """

    tool: str
    blocks: tuple[BlockProfile, ...]
    total: int
    payload: int
    overhead: int
    ratio: float
    risk: str
    advisory: str

    @property
    def by_kind(self) -> dict[str, int]:
        """Tokens by kind of block, in the order in which the kinds came."""
        found: dict[str, int] = {}
        for block in self.blocks:
            found[block.kind] = found.get(block.kind, 0) + block.tokens
        return found

    @property
    def estimated(self) -> tuple[str, ...]:
        """The methods by which what is no text was estimated."""
        return tuple(sorted({block.method for block in self.blocks} - {""}))


def profile_response(
    parts: Iterable[Part],
    *,
    count: Count,
    tool: str = "the tool",
    ratio: str = "share",
    floor: int = FLOOR,
    ceiling: float = CEILING,
    thresholds: Sequence[int] = THRESHOLDS,
    overhead_last: int | None = None,
) -> ResponseProfile:
    """Return the profile of an answer of these *parts*.

    *ratio* is `share`, overhead over all, or `data`, overhead over payload. Overhead of fewer than *floor* tokens, or of
    no more than the *ceiling*, is not warned of. *overhead_last* says that the last so many parts are the overhead,
    whatever their kinds.

    Raises:
        ValueError: there is no such ratio.
    """
    if ratio not in RATIOS:
        raise ValueError(f"ratio {ratio!r}: expected one of {', '.join(RATIOS)}")
    blocks = tuple(_block(kind, content, count) for kind, content in parts)
    beside = [block.kind not in PAYLOAD for block in blocks]
    if overhead_last is not None:
        first = len(blocks) - max(overhead_last, 0)
        beside = [at >= first for at in range(len(blocks))]
    total = sum(block.tokens for block in blocks)
    overhead = sum(block.tokens for block, own in zip(blocks, beside, strict=True) if own)
    against = total if ratio == "share" else total - overhead
    risk = risk_of(total, thresholds)
    return ResponseProfile(
        tool=tool,
        blocks=blocks,
        total=total,
        payload=total - overhead,
        overhead=overhead,
        ratio=_ratio(overhead, against),
        risk=risk,
        advisory=_advisory(tool, risk, total, overhead, against, floor, ceiling),
    )


def _ratio(overhead: int, against: int) -> float:
    if against:
        return overhead / against
    return float("inf") if overhead else 0.0


def _advisory(
    tool: str, risk: str, total: int, overhead: int, against: int, floor: int, ceiling: float
) -> str:
    if risk == "critical":
        return f"COGNITIVE OVERLOAD: an answer of {tool} is {total} tokens. Give it a limit of rows or a cap on bytes."
    if risk == "high":
        return f"HIGH TOKEN DENSITY: an answer of {tool} is {total} tokens. Trim its fields or page through it."
    if _ratio(overhead, against) > ceiling and overhead >= floor:
        return (
            f"OVERHEAD WARNING: {_percent(overhead, against)} of an answer of {tool} is overhead. "
            "Say its rules and hints once, in the description."
        )
    return ""


def _percent(part: int, whole: int) -> str:
    """Return a share in whole percent, halves up."""
    return f"{(200 * part + whole) // (2 * whole)}%" if whole else "Infinity%"


def _block(kind: str, content: object, count: Count) -> BlockProfile:
    if isinstance(content, Mapping):
        return _content(kind, content, count)
    text = content if isinstance(content, str) else _json(content)
    return BlockProfile(kind, count(text))


def _content(kind: str, content: Mapping[str, Any], count: Count) -> BlockProfile:
    what = content.get("type")
    if what == "text" and isinstance(content.get("text"), str):
        text = content["text"]
        return BlockProfile(kind, count(text))
    if what == "image":
        tokens, method = weighed_image(content.get("data"))
        return BlockProfile(kind, tokens, method)
    if what == "audio":
        data = content.get("data")
        return BlockProfile(kind, audio_tokens(data), AS_AUDIO)
    inner = content.get("resource")
    if what == "resource" and isinstance(inner, Mapping):
        return _resource(kind, inner, count)
    if what == "resource_link":
        names = ("uri", "name", "title", "description", "mimeType")
        text = _json({name: content[name] for name in names if name in content})
        return BlockProfile(kind, count(text))
    text = _json(content)
    return BlockProfile(kind, count(text))


def _resource(kind: str, inner: Mapping[str, Any], count: Count) -> BlockProfile:
    """Return what an embedded resource weighs: its text with its address; a blob, as an image or as its base64."""
    at = inner.get("uri")
    address = at if isinstance(at, str) else ""
    text, blob = inner.get("text"), inner.get("blob")
    if isinstance(text, str):
        return BlockProfile(kind, count(address) + count(text))
    if is_image(inner):
        tokens, method = weighed_image(blob)
        return BlockProfile(kind, count(address) + tokens, method)
    return BlockProfile(kind, count(address) + blob_tokens(blob), AS_BASE64)


def _json(value: object) -> str:
    """Return *value* as compact JSON, whatever it is; how deep a writer of JSON goes differs between versions of Python."""
    if too_deep(value, _DEEPEST):
        return repr(type(value))
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (TypeError, ValueError, RecursionError):
        return repr(type(value))


_KINDS: Final[Mapping[str, str]] = {
    "image": "image",
    "audio": "audio",
    "resource": "resource",
    "resource_link": "link",
}


def parts_of(result: object, *, schema: Mapping[str, Any] | None = None) -> tuple[Part, ...]:
    """Return the parts of a result of `tools/call` that a model reads.

    As Claude Code does, a structure stands in for the texts beside it. A text is `data` where a value ends it, and the
    lines before that value are a `note`, which is overhead; a text beside others is of the kind that its beginning shows.
    An error is a text.
    """
    if not isinstance(result, Mapping):
        return () if result is None else (("text", _json(result)),)
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [block for block in blocks if _is_text(block)]
    others = [block for block in blocks if not _is_text(block)]
    whole: list[Part] = []
    if len(texts) <= 1 or "structuredContent" in result:
        whole = _whole(result, texts, schema)
    else:
        whole = [_beside(block["text"]) for block in texts]
    return (*whole, *((_kind(block), block) for block in others))


def _whole(
    result: Mapping[str, Any], texts: Sequence[Mapping[str, Any]], schema: Mapping[str, Any] | None
) -> list[Part]:
    """Return the parts of a result whose data is its structure or its one text."""
    found = None
    if not too_deep(result, _DEEPEST):
        try:
            found = payload_of({**result, "content": list(texts)}, schema=schema)
        except (RecursionError, TypeError, ValueError):
            pass
    if found is None:  # an error, or what has no JSON
        structure = result.get("structuredContent")
        said = [("text", block["text"]) for block in texts]
        return said or ([] if structure is None else [("data", _json(structure))])
    if found.plain:
        return [("text", found.before)] if found.before else []
    if found.lead and found.wrap is None:
        return [("note", found.lead), ("data", found.before[len(found.lead) :])]
    return [("data", found.before)]


def _beside(text: str) -> Part:
    kind = next((own for opening, own in _OPENINGS if text.startswith(opening)), None)
    if kind is None:
        found = payload_of({"content": [{"type": "text", "text": text}]})
        kind = "text" if found is None or found.plain else "data"
    return kind, text


def _is_text(block: object) -> bool:
    return (
        isinstance(block, Mapping)
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    )


def _kind(block: object) -> str:
    what = block.get("type") if isinstance(block, Mapping) else None
    return _KINDS.get(what, "text") if isinstance(what, str) else "text"
