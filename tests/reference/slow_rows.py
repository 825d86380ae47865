"""The reading half of the reference: files of a tree, their lines, their rows (rules R1-R4, F14).

Every rule is applied as it is written, one after another, on plain dicts. Nothing here is fast and
nothing is shared with the product.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from stat import S_ISREG
from typing import Any

HELPERS = {
    "agent-acompact-": "compaction",
    "agent-aside_question-": "side question",
    "agent-aprompt_suggestion-": "suggestion",
}
COUNTERS = ("input", "output", "read", "write", "w5m", "w1h", "searches", "fetches")
Counts = dict[str, int | None]


class RejectedRow(Exception):
    """A counter of the row breaks R4."""


class NotJson(ValueError):
    """NaN and Infinity are no JSON (R3)."""


@dataclass
class File:
    """One transcript file and where it stands; *place* is the session that its path names."""

    rank: tuple[int, bytes]
    real: Path
    slug: str
    place: str
    stem: str
    objects: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    @property
    def helper(self) -> str | None:
        """The label of a helper agent's file (F10)."""
        return next((label for head, label in HELPERS.items() if self.stem.startswith(head)), None)

    @property
    def agent_id(self) -> str | None:
        """The agent whose file this is, or None for a main transcript."""
        return self.stem.removeprefix("agent-") if self.stem.startswith("agent-") else None


@dataclass
class Reading:
    """What was read, and R6's counts of how it went."""

    files: list[File] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    lines: int = 0
    malformed: int = 0
    pending: int = 0


def paths_below(folder: Path, seen: tuple[tuple[int, int], ...] = ()) -> Iterator[Path]:
    """Every path to a ``*.jsonl`` below *folder* that passes no directory twice."""
    try:
        stat = folder.stat()
        names = sorted(os.listdir(folder))
    except OSError:
        return
    here = (stat.st_dev, stat.st_ino)
    if here in seen:
        return
    for name in names:
        path = folder / name
        if path.is_dir():
            yield from paths_below(path, (*seen, here))
        elif name.endswith(".jsonl"):
            yield path


def find_files(roots: list[Path], reading: Reading) -> list[File]:
    """R2: each (device, inode) once, under its smallest path."""
    found: dict[tuple[int, int], File] = {}
    for order, root in enumerate(roots):
        for path in paths_below(root / "projects"):
            try:
                stat = path.stat()
            except OSError:
                reading.unreadable.append(str(path))
                continue
            below = path.relative_to(root / "projects")
            rank = (order, os.fsencode(below))
            place = below.parts[1 if len(below.parts) > 1 else 0].removesuffix(".jsonl")
            file = File(rank, path, below.parts[0], place, path.name.removesuffix(".jsonl"))
            if not S_ISREG(stat.st_mode):
                reading.unreadable.append(str(path))
                continue
            key = (stat.st_dev, stat.st_ino)
            if key not in found or rank < found[key].rank:
                found[key] = file
    return sorted(found.values(), key=lambda file: file.rank)


def _whole(text: str) -> int:
    """Any number of digits; more than R4 allows is all the same to it."""
    return int(text) if len(text) < 4000 else 1 << 4000


def _refuse(name: str) -> Any:
    raise NotJson(name)


DECODER = json.JSONDecoder(parse_int=_whole, parse_constant=_refuse, strict=False)
BLANK = " \t\r\n"


def decode_at(text: str, place: int) -> tuple[Any, int] | None:
    """The JSON value at *place* and where it ends, or None."""
    try:
        return DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None


def objects_of(text: str) -> tuple[list[dict[str, Any]], bool]:
    """The objects of one line and whether all of the line was understood (R3, F14)."""
    objects: list[dict[str, Any]] = []
    place = 0
    while True:
        while place < len(text) and text[place] in BLANK:
            place += 1
        if place == len(text):
            return objects, bool(objects)
        decoded = decode_at(text, place)
        if decoded is None or not isinstance(decoded[0], dict):
            break
        objects.append(decoded[0])
        place = decoded[1]
    while (place := text.find("{", place)) >= 0:  # F14: after damage, at each `{`
        decoded = decode_at(text, place)
        own = ("type", "uuid", "sessionId", "timestamp")
        if decoded and all(isinstance(decoded[0].get(name), str) for name in own):
            objects.append(decoded[0])
            place = decoded[1]
        else:
            place += 1
    return objects, False


def read_file(file: File, reading: Reading) -> None:
    """Fill the objects of *file*: (line number, object)."""
    try:
        data = file.real.read_bytes()
    except OSError:
        reading.unreadable.append(str(file.real))
        return
    reading.files.append(file)
    pieces = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    last = len(pieces) - 1
    for number, piece in enumerate(pieces):
        if number == last and not piece:
            break
        reading.lines += 1
        objects, whole = objects_of(piece.replace(b"\0", b" ").decode("utf-8", "replace"))
        if number == last and not whole:
            reading.pending += 1
            break
        reading.malformed += not whole
        file.objects += [(number, value) for value in objects]


def counter(value: Any) -> int | None:
    """R4 for one counter; None when it says nothing."""
    if value is None:
        return None
    if isinstance(value, bool):
        raise RejectedRow
    if isinstance(value, str):
        if not re.fullmatch("[0-9]{1,16}", value):
            raise RejectedRow
        value = int(value)
    if isinstance(value, float):
        if not value.is_integer():
            raise RejectedRow
        value = int(value)
    if not isinstance(value, int) or not 0 <= value <= 2**53:
        raise RejectedRow
    return value


def part(value: Any, name: str) -> Any:
    """The field *name* of a dict, None of anything else."""
    return value.get(name) if isinstance(value, dict) else None


def counts_of(usage: dict[str, Any]) -> Counts:
    """The counters of a usage object.

    Raises:
        RejectedRow: one of them is no counter.
    """
    split, server = usage.get("cache_creation"), usage.get("server_tool_use")
    return {
        "input": counter(usage.get("input_tokens")),
        "output": counter(usage.get("output_tokens")),
        "read": counter(usage.get("cache_read_input_tokens")),
        "write": counter(usage.get("cache_creation_input_tokens")),
        "w5m": counter(part(split, "ephemeral_5m_input_tokens")),
        "w1h": counter(part(split, "ephemeral_1h_input_tokens")),
        "searches": counter(part(server, "web_search_requests")),
        "fetches": counter(part(server, "web_fetch_requests")),
    }


def advice_of(usage: dict[str, Any]) -> dict[int, tuple[dict[str, Any], Counts]]:
    """The advisor items of `usage.iterations` by position (F6); they have token counters only.

    Raises:
        RejectedRow: a counter of one of them is no counter.
    """
    items = usage.get("iterations")
    return {
        place: (item, counts_of({**item, "server_tool_use": None}))
        for place, item in enumerate(items if isinstance(items, list) else [])
        if part(item, "type") == "advisor_message"
    }


MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?", re.ASCII
)


def nanoseconds(value: Any) -> int | None:
    """F7: the instant since 1970 in ns, None when the text is no usable time."""
    found = MOMENT.fullmatch(value) if isinstance(value, str) else None
    if not found:
        return None
    day, clock, fraction, offset = found.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=UTC)
        if offset and offset != "Z":
            shift = timedelta(hours=int(offset[1:3]), minutes=int(offset[-2:]))
            moment -= shift if offset[0] == "+" else -shift
    except (ValueError, OverflowError):
        return None
    whole = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    return whole * 10**9 + int((fraction or "").ljust(9, "0"))


def text_or_none(value: Any) -> str | None:
    """A text that says something."""
    return value if isinstance(value, str) and value else None
