"""The value of the lines that `tables.py` writes.

It knows the grammar and nothing of how a form is chosen; what is not of the grammar is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from econome.lean.cells import ABSENT, value_of
from econome.lean.columns import PLAIN, Marks, column_values, marks_of
from econome.lean.rows import Column, Path, objects_of
from econome.lean.tables import BELOW, EMPTY, KEY, SAME

__all__ = ["untable"]

_NAME = r'(?:"(?:[^"\\]|\\.)*"|[^"\'~.:=?^*(){}\[\]\t]+)'
_LINE = re.compile(rf"( *)({_NAME})?(?:(\[|\{{)(1\+)?(\d+)(?:x(\d+))?[\]}}](?: (.*))?|:(.*))")
_HEAD = re.compile(rf"((?:\(key\)|{_NAME})(?:\.{_NAME})*)(.*)", re.DOTALL)
_NAMED = re.compile(_NAME)
_PART = re.compile(_NAME + r"|\(key\)")
_loads = json.JSONDecoder().decode


_Place = tuple[int, int]
_ROOT: _Place = (-1, 0)


@dataclass(slots=True)
class _Head:
    """One column's name, its marks, and whether it lies beneath its rows."""

    path: Path
    marks: Marks
    below: str = ""


@dataclass(slots=True)
class _Level:
    """The heads of one level of a table, and its rows: lines, the row above each, whether an empty list follows."""

    heads: list[_Head]
    lines: list[str] = field(default_factory=list)
    parents: list[_Place] = field(default_factory=list)
    filled: set[int] = field(default_factory=set)

    @property
    def optional(self) -> bool:
        return any(head.below and head.marks.blank for head in self.heads)

    @property
    def same(self) -> bool:
        return any(head.below == SAME for head in self.heads)


class _Lines:
    """The lines of a text, the place reached, and the names in the last head of lists until they are asked for."""

    def __init__(self, text: str) -> None:
        self.all = text.split("\n")
        self.at = 1 if self.all[0].startswith("(") else 0
        self.names: list[str] | None = None

    def peek(self) -> str | None:
        return self.all[self.at] if self.at < len(self.all) else None


def untable(text: str) -> Any:
    """Return the value of *text*.

    Raises:
        ValueError: it is not of the grammar.
    """
    lines = _Lines(text)
    try:
        first = lines.peek() or ""
        value = _whole(lines, first) if first[:1] in "[{" else _entries(lines, 0)
    except (IndexError, KeyError, StopIteration, TypeError, RecursionError) as fault:
        raise ValueError("no table") from fault
    if lines.peek() is not None:
        raise ValueError("lines after the end")
    return value


def _whole(lines: _Lines, first: str) -> Any:
    found = _LINE.fullmatch(first)
    if found is None:
        raise ValueError("no head")
    lines.at += 1
    value = _collection(lines, found, 0)
    if lines.names is not None:
        raise ValueError("a table whose names are nowhere")
    return value


def _entries(lines: _Lines, depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    waiting: dict[str, int] = {}
    names: list[str] | None = None
    while (line := lines.peek()) is not None:
        found = _LINE.fullmatch(line)
        if found is None or found[2] is None or len(found[1]) > depth:
            raise ValueError(f"no entry: {line[:40]}")
        if len(found[1]) < depth:
            break
        key = _name(found[2])
        if key in value:
            raise ValueError("a key twice")
        lines.at += 1
        if found[3] == "[" and not (found[4] or found[6] or found[7]):
            value[key] = None
            waiting[key] = int(found[5])
        elif found[3] is not None:
            value[key] = _collection(lines, found, depth)
            names, lines.names = lines.names or names, None
        elif found[8]:
            value[key] = value_of(found[8])
        else:
            value[key] = _entries(lines, depth + 1)
    if len(waiting) != (names is not None) or any(n != len(names or ()) for n in waiting.values()):
        raise ValueError("names without a table, or a table without its names")
    return value | dict.fromkeys(waiting, names)


def _name(text: str) -> str:
    return str(_loads(text)) if text.startswith('"') else text


def _collection(lines: _Lines, found: re.Match[str], depth: int) -> Any:
    count, heads = int(found[5]), found[7] or ""
    if found[6] is not None and _NAMED.match(heads):
        names, lists = _headed(lines, count, int(found[6]), heads, depth)
        if found[4]:
            return [names, *lists]
        lines.names = names
        return lists
    if found[4]:
        raise ValueError("a head that is none")
    if found[6] is not None:
        return _matrix(lines, count, int(found[6]), heads, depth)
    rows = _objects(lines, count, heads, depth)
    if found[3] == "[":
        return rows
    return {row.pop(KEY): row for row in rows}


def _headed(
    lines: _Lines, count: int, width: int, heads: str, depth: int
) -> tuple[list[str], list[list[Any]]]:
    """Return the names of the columns of lists, and the lists."""
    names = list(dict.fromkeys(head.path[0] for head in _heads(heads)))
    if len(names) != width:
        raise ValueError("a head of another width")
    rows = _objects(lines, count, heads, depth)
    return names, [[row[name] for name in names if name in row] for row in rows]


def _matrix(lines: _Lines, count: int, width: int, heads: str, depth: int) -> list[list[Any]]:
    marks = [marks_of(head) for head in heads.split("\t")] if heads else [Marks()] * width
    columns = _columns(_taken(lines, count, depth), marks, count)
    rows = zip(*columns, strict=True)
    return [[value for value in row if value is not ABSENT] for row in rows]


def _taken(lines: _Lines, count: int, depth: int) -> list[str]:
    own = lines.all[lines.at : lines.at + count]
    lines.at += count
    return [_stripped(line, depth) for line in own] if depth else own


def _stripped(line: str, depth: int) -> str:
    if line[:depth].strip(" "):
        raise ValueError("an indentation that is none")
    return line[depth:]


def _columns(own: Sequence[str], marks: Sequence[Marks], count: int) -> list[list[Any]]:
    width = sum(not one.constant for one in marks)
    table = [line.split("\t") for line in own]
    widths = set(map(len, table))
    if len(table) != count or max(widths, default=0) > max(width, 1):
        raise ValueError("rows that do not fit their head")
    if min(widths, default=width) < width:
        table = [cells + [""] * (width - len(cells)) for cells in table]
    turned = iter(zip(*table, strict=True)) if table else iter([()] * width)
    return [column_values(one, () if one.constant else next(turned), count) for one in marks]


def _heads(text: str) -> list[_Head]:
    heads = []
    for head in text.split("\t"):
        if head.isidentifier():  # as most are
            heads.append(_Head((head,), PLAIN))
            continue
        found = _HEAD.fullmatch(head)
        if found is None:
            raise ValueError(f"no column: {head[:40]}")
        path = tuple(part if part == KEY else _name(part) for part in _PART.findall(found[1]))
        rest = found[2]
        below = next((kind for kind in (SAME, BELOW) if rest in (kind, f"?{kind}")), "")
        marks = Marks(blank="?" if rest[:1] == "?" else "") if below else marks_of(rest)
        heads.append(_Head(path, marks, below))
    return heads


def _objects(lines: _Lines, count: int, heads: str, depth: int) -> list[dict[str, Any]]:
    levels = [_Level(_heads(heads))]
    while any(head.below == BELOW for head in levels[-1].heads):
        levels.append(_Level(_heads(_stripped(lines.all[lines.at], depth + len(levels)))))
        lines.at += 1
    if len(levels) == 1 and not any(head.below for head in levels[0].heads):
        known = levels[0].heads
        found = _columns(_taken(lines, count, depth), [head.marks for head in known], count)
        pairs = zip(known, found, strict=True)
        return objects_of([Column(head.path, values) for head, values in pairs], count)
    _gather(lines, levels, count, depth)
    having = {parent for level in levels for parent in level.parents}
    kids: dict[_Place, list[dict[str, Any]]] = {place: [] for place in having}
    for number in range(len(levels) - 1, -1, -1):
        rows = _built(levels[number], number, kids)
        for parent, row in zip(levels[number].parents, rows, strict=True):
            kids[parent].append(row)
    return kids[_ROOT]


def _gather(lines: _Lines, levels: list[_Level], count: int, depth: int) -> None:
    """Give each line of a table with rows beneath rows to its level."""
    above: list[_Place] = [_ROOT]  # the last row of each depth, the whole first
    roots = 0
    while (line := lines.peek()) is not None:
        content = line.lstrip(" ")
        nest = len(line) - len(content) - depth
        if nest < 0 or (nest == 0 and roots == count):
            break
        parent = above[nest]
        lines.at += 1
        if content == EMPTY and nest and levels[parent[0]].optional:
            levels[parent[0]].filled.add(parent[1])
            continue
        number = min(nest, len(levels) - 1)
        if nest >= len(levels) and not levels[-1].same:
            raise ValueError("a row beneath none")
        level = levels[number]
        del above[nest + 1 :]
        above.append((number, len(level.lines)))
        level.lines.append(content)
        level.parents.append(parent)
        roots += nest == 0
    if roots != count:
        raise ValueError("rows are missing")


def _built(
    level: _Level, number: int, kids: dict[_Place, list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    count = len(level.lines)
    flat = iter(
        _columns(level.lines, [head.marks for head in level.heads if not head.below], count)
    )
    columns: list[Column] = []
    for head in level.heads:
        if not head.below:
            columns.append(Column(head.path, next(flat)))
            continue
        values: list[Any] = []
        for at in range(count):
            missing: Any = ABSENT if level.optional and at not in level.filled else []
            values.append(kids.get((number, at), missing))
        columns.append(Column(head.path, values))
    return objects_of(columns, count)
