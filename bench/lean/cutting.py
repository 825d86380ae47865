"""The check of a cut answer: what is left is the beginning of what was, the note counts what is not, and `more` has the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.lean.guard import Verdict, beside, differences, originals
from bench.lean.reading import readings

__all__ = ["MARK", "Ask", "Rest", "compare_cut"]

MARK = "[cut] "

Ask = Callable[[dict[str, Any]], str]
"""Calls `more` with these arguments and returns the text it answers."""

Path = tuple[str, ...]

_HANDLE = re.compile(r'"handle":"([0-9a-f]+)"')
_SAID = re.compile(r"(?:([^;:]+): )?(\d+) of (\d+)(?: lines)? shown(?: whole)?, (\d+) hidden")
_OTHERS = re.compile(r"(\d+) hidden in (\d+) other lists")
_PAGE = re.compile(r"\[more\] .*?, (?:next offset (\d+)|the end)$")
_MOST_PAGES = 500


@dataclass(slots=True)
class Rest:
    """What was fetched to see that nothing is gone for good."""

    pages: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Cut:
    path: Path
    total: int
    shown: int


def compare_cut(said: Mapping[str, Any], shown: Mapping[str, Any], ask: Ask) -> tuple[Verdict, int]:
    """Hold a cut answer against what the server said, and read the rest with *ask*; return how many pages that took."""
    faults = beside(said, shown)
    texts = [block["text"] for block in shown["content"] if block["type"] == "text"]
    note, text = texts[0], "\n".join(texts[1:])
    handle = _HANDLE.search(note)
    if handle is None:
        return Verdict(None, (*faults, "the note has no handle")), 0
    rest = Rest()
    best: list[str] | None = None
    for value, form, kept in _taken(said, text):
        cuts: list[_Cut] = []
        wrong = list(_shorter(value, kept, (), cuts))
        if wrong or not cuts:
            best = wrong if best is None or len(wrong) < len(best) else best
            continue
        faults += _counted(note, cuts)
        for path in _lists(cuts):
            _fetch(value, path, handle[1], ask, rest)
        return Verdict(f"{form}, cut", (*faults, *rest.faults)), rest.pages
    return Verdict(None, (*faults, *(best or ["no decoder reads it"])[:5])), 0


def _taken(said: Mapping[str, Any], text: str) -> Iterator[tuple[Any, str, Any]]:
    """Yield what the answer may have been, and what the shown *text* then holds of it."""
    for lead, value in originals(said):
        if isinstance(value, str):
            if not lead:
                yield value.split("\n"), "text", text.split("\n")
        elif text.startswith(lead):
            yield from ((value, form, kept) for form, kept in readings(text[len(lead) :]))


def _shorter(one: Any, other: Any, path: Path, cuts: list[_Cut]) -> Iterator[str]:
    """Yield where *other* is not *one* with lists that end early; note those lists."""
    if isinstance(one, list) and isinstance(other, list):
        if len(other) > len(one):
            yield f"{'.'.join(path)}: {len(one)} became {len(other)}"
        if len(other) < len(one):
            cuts.append(_Cut(path, len(one), len(other)))
        for number, (first, second) in enumerate(zip(one, other, strict=False)):
            yield from _shorter(first, second, (*path, str(number)), cuts)
    elif isinstance(one, dict) and isinstance(other, dict):
        if list(one) != list(other):
            yield f"{'.'.join(path)}: the keys or their order differ"
        for name in one.keys() & other.keys():
            yield from _shorter(one[name], other[name], (*path, name), cuts)
    elif isinstance(one, str) and isinstance(other, str) and not cuts and path == ("0",):
        if not one.startswith(other):  # a line that is too long is shown up to somewhere
            yield f"{one[:40]!r} became {other[:40]!r}"
    else:
        yield from differences(one, other, ".".join(path))


def _counted(note: str, cuts: list[_Cut]) -> list[str]:
    """Return what the note says wrongly about *cuts*."""
    parts = _SAID.findall(note.removeprefix(MARK))
    said = {name.strip(): tuple(map(int, rest)) for name, *rest in parts}
    true = {".".join(cut.path): (cut.shown, cut.total, cut.total - cut.shown) for cut in cuts}
    faults = [
        f"the note says {said[name]} of {name or 'all'}, not {true.get(name)}"
        for name in said
        if said[name] != true.get(name)
    ]
    hidden = sum(one[2] for one in said.values())
    others = _OTHERS.search(note)
    hidden += int(others[1]) if others else 0
    if hidden != sum(one[2] for one in true.values()):
        faults.append(f"the note counts {hidden} hidden")
    return faults


def _lists(cuts: list[_Cut]) -> list[Path]:
    """Return the outermost lists that have anything missing: the keys up to the first number."""
    found: dict[Path, None] = {}
    for cut in cuts:
        end = next((at for at, key in enumerate(cut.path) if key.isdecimal()), len(cut.path))
        found[cut.path[:end]] = None
    return list(found)


def _fetch(value: Any, path: Path, handle: str, ask: Ask, rest: Rest) -> None:
    """Read the whole list at *path* page by page and compare it."""
    whole = value
    for key in path:
        whole = whole[key]
    rows: list[Any] = []
    offset: int | None = 0
    while offset is not None and rest.pages < _MOST_PAGES:
        arguments: dict[str, Any] = {"handle": handle, "offset": offset}
        if path:
            arguments["rows"] = ".".join(path)
        head, _, body = ask(arguments).partition("\n")
        rest.pages += 1
        turned = _PAGE.match(head)
        if turned is None:
            rest.faults.append(f"more: {head[:200]}")
            return
        page = _rows(body, whole[len(rows) :])
        if page is None:
            rest.faults.append(
                f"more {'.'.join(path)} from {offset}: not the rows that are missing"
            )
            return
        rows += page
        offset = int(turned[1]) if turned[1] else None
    rest.faults += [f"more: {fault}" for fault in list(differences(whole, rows))[:3]]


def _rows(text: str, expected: list[Any]) -> list[Any] | None:
    """Return the rows that a page holds, None where it holds others than those that come next."""
    if expected and all(isinstance(one, str) for one in expected):
        lines = text.split("\n")
        if lines == expected[: len(lines)]:
            return lines
    for _, read in readings(text):
        if isinstance(read, list) and read and not list(differences(expected[: len(read)], read)):
            return read
    return None
