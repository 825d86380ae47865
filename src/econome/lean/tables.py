"""A value as lines a model reads: objects as `key:value`, collections as tables under one head, nested rows beneath their row.

The grammar, with `→` for a tab:

- `(…)` on the first line says what the marks in heads mean, where there are any (`columns.py`).
- `key:cell` is an entry of an object, `key:` alone an object whose entries follow, one blank deeper.
- `key[3] a→b` is a list of three objects with these keys, one line each; `key[3x2]` one of three lists; without a key it is
  the whole value. A dotted name is a key inside an object.
- A column `name(below)` holds lists of objects: they follow each row, one blank deeper, under a head of their own; with
  `name(below, same columns)` under the same one. A lone `[]` is an empty list where no line means no such key.
- `key{3} (key)→a→b` is an object of three objects.
- `key[1+2x3] a→b→c` is a list of three lists, the first of which is the head. `names[3]` alone is a list of the names in the head
  of the one table `rows[2x3] a→b→c` beside it.

It knows the value and how it is written; what is smallest is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from econome.lean.cells import ABSENT, cell_of, key_of
from econome.lean.columns import PLAIN, Marks, column_cells
from econome.lean.exact import compact
from econome.lean.heads import is_headed, names_of
from econome.lean.rows import Unfit, columns_of

__all__ = ["BELOW", "EMPTY", "KEY", "SAME", "table"]

BELOW, SAME, KEY, EMPTY = "(below)", "(below, same columns)", "(key)", "[]"

_DEEPEST = 24
_WIDEST = 200
_TOLD = 24
"""Characters of a value up to which the first line repeats it."""

_Head = tuple[str, str]
"""A column's name, and the value or the ends that its head holds."""
_ANY: _Head = ("", "")


@dataclass(slots=True)
class _Page:
    """The lines so far, and the marks they used, with a head where the mark stands for a value."""

    rich: bool
    blocks: bool
    lines: list[str] = field(default_factory=list)
    used: dict[str, _Head] = field(default_factory=dict)


def table(value: object, *, rich: bool, blocks: bool) -> str:
    """Return *value*, a list or an object, as lines.

    With *rich*, heads say at once what the rows of a column have in common; with *blocks*, nested collections go beneath
    their rows instead of into a cell.

    Raises:
        Unfit: it has no such form, or none that could be smaller than its JSON.
    """
    page = _Page(rich, blocks)
    if type(value) is list:
        if not _collection(page, "", value, 0):
            raise Unfit("no collection")
    elif type(value) is dict and value:
        _entries(page, value, 0)
    else:
        raise Unfit("neither list nor object")
    legend = _legend(page.used)
    return "\n".join([legend, *page.lines] if legend else page.lines)


def _legend(used: Mapping[str, _Head]) -> str:
    says = {
        "": "blank: null",
        "[]": "blank under []: empty list",
        "?": "blank under ?: no such key",
        "^": "blank under ^: as above",
    }
    said = [text for mark, text in says.items() if mark in used]
    if "=" in used:
        name, value = used["="]
        told = len(value) <= _TOLD
        said.append(f"{name}={value}: {value} in all rows" if told else "=x: x in all rows")
    if "*" in used:
        name, fixed = used["*"]
        before, _, after = fixed.partition("*")
        before = before if len(before) <= _TOLD else f"…{before[-_TOLD // 2 :]}"
        after = after if len(after) <= _TOLD else f"{after[: _TOLD // 2]}…"
        said.append(f"{name}={before}*{after}: * is the cell")
    return f"({'; '.join(said)})" if said else ""


def _entries(page: _Page, value: Mapping[str, Any], depth: int) -> None:
    if depth > _DEEPEST:
        raise Unfit("nested too deep")
    indent = " " * depth
    names, rows, lines = _beside(page, value, depth)
    for name, entry in value.items():
        key = key_of(name)
        if name == names:
            page.lines.append(f"{indent}{key}[{len(entry)}]")
            continue
        if name == rows:
            page.lines += lines
            continue
        if type(entry) is list and len(entry) > 1 and _collection(page, key, entry, depth):
            continue
        if type(entry) is dict and entry:
            if len(entry) > 2 and _mapping(page, key, entry, depth):
                continue
            if any(type(inner) in (dict, list) for inner in entry.values()):
                page.lines.append(f"{indent}{key}:")
                _entries(page, entry, depth + 1)
                continue
        page.lines.append(f"{indent}{key}:{cell_of(entry)}")


def _beside(
    page: _Page, value: Mapping[str, Any], depth: int
) -> tuple[str | None, str | None, list[str]]:
    """Return the key of a list of names, that of the lists they are for, and the lines of these as a table of such columns."""
    names, rows = names_of(value)
    if names is None or rows is None:
        return None, None, []
    used = dict(page.used)
    try:
        return names, rows, _headed(page, f"{key_of(rows)}[", value[names], value[rows], depth)
    except Unfit:
        page.used = used
        return None, None, []


def _headed(
    page: _Page, begun: str, names: Sequence[str], rows: Sequence[Sequence[Any]], depth: int
) -> list[str]:
    objects = [dict(zip(names, row, strict=False)) for row in rows]
    return _lines(page, f"{begun}{len(rows)}x{len(names)}]", objects, depth)


def _collection(page: _Page, key: str, rows: Sequence[Any], depth: int) -> bool:
    """Write a list of objects or of lists under its head; tell whether it has that form."""
    kinds = set(map(type, rows))
    used = dict(page.used)
    try:
        if kinds == {dict}:
            lines = _lines(page, f"{key}[{len(rows)}]", rows, depth)
        elif kinds == {list}:
            lines = _matrix(page, key, rows, depth)
        else:
            return False
    except Unfit:
        page.used = used
        return False
    page.lines += lines
    return True


def _lines(page: _Page, name: str, rows: Sequence[Mapping[str, Any]], depth: int) -> list[str]:
    head, bodies = _objects(page, name, rows, depth)
    if name.endswith("}"):  # the first column is of the object's own keys, which no quotes are for
        quoted = key_of(KEY)
        head[0] = head[0].replace(f"{name} {quoted}", f"{name} {KEY}", 1)
        page.used |= {mark: (KEY, own[1]) for mark, own in page.used.items() if own[0] == quoted}
    return head + [line for body in bodies for line in body]


def _mapping(page: _Page, key: str, value: Mapping[str, Any], depth: int) -> bool:
    if not all(type(entry) is dict and entry for entry in value.values()):
        return False
    if any(KEY in entry for entry in value.values()):
        return False
    rows = [{KEY: name, **entry} for name, entry in value.items()]
    used = dict(page.used)
    try:
        lines = _lines(page, f"{key}{{{len(rows)}}}", rows, depth)
    except Unfit:
        lines = []
    if not lines or sum(map(len, lines)) >= len(compact(value)):
        page.used = used
        return False
    page.lines += lines
    return True


def _matrix(page: _Page, key: str, rows: Sequence[Sequence[Any]], depth: int) -> list[str]:
    if is_headed(rows):
        return _headed(page, f"{key}[1+", rows[0], rows[1:], depth)
    width = max(map(len, rows))
    if not 1 <= width <= _WIDEST:
        raise Unfit("no matrix")
    columns = [[row[at] if at < len(row) else ABSENT for row in rows] for at in range(width)]
    heads, cells = [], []
    for values in columns:
        marks, own = column_cells(values, rich=page.rich)
        _note(page, "", marks, own)
        heads.append(str(marks))
        if not marks.constant:
            cells.append(own)
    head = "\t".join(heads)
    indent = " " * depth
    lines = [f"{indent}{key}[{len(rows)}x{width}]{' ' + head if head.strip(chr(9)) else ''}"]
    return lines + [indent + line for line in _joined(cells, len(rows))]


def _joined(cells: Sequence[Sequence[str]], rows: int) -> list[str]:
    if not cells:
        return [""] * rows
    return ["\t".join(row).rstrip("\t") for row in zip(*cells, strict=True)]


def _note(page: _Page, name: str, marks: Marks, cells: Sequence[str]) -> None:
    """Keep which marks there are, and of those that stand for a value the shortest head."""
    if marks.fixed is not None:
        mark, head = "*" if marks.ends else "=", (name, marks.fixed)
        page.used[mark] = min(page.used.get(mark, head), head, key=lambda one: len("".join(one)))
    if "" in cells:
        page.used[marks.blank or ("[]" if marks.many else "")] = _ANY


def _objects(
    page: _Page, name: str, rows: Sequence[Mapping[str, Any]], depth: int
) -> tuple[list[str], list[list[str]]]:
    """Return the lines of the head, and those of each row with what lies beneath it."""
    if depth > _DEEPEST:
        raise Unfit("nested too deep")
    below = _block(rows) if page.blocks else None
    levels = [0] * len(rows)
    same = below is not None and any(below in kid for row in rows for kid in row.get(below, ()))
    if below is not None and same:
        rows, levels = _unrolled(rows, below)
    heads, own = _own(page, rows, below, same=same)
    indent = " " * depth
    head = [f"{indent}{name}{' ' if name else ''}" + "\t".join(heads)]
    if below is None:
        return head, [[indent + line] for line in own]
    kids_head, kids = (
        ([], iter(()))
        if same
        else _beneath(page, [k for row in rows for k in row.get(below, ())], depth)
    )
    optional = any(below not in row for row in rows)
    bodies: list[list[str]] = []
    for row, level, line in zip(rows, levels, own, strict=True):
        if level == 0:
            bodies.append([])
        deeper = " " * level + indent
        bodies[-1].append(deeper + line)
        if optional and row.get(below) == []:
            bodies[-1].append(f"{deeper} {EMPTY}")
        if not same:
            for _ in row.get(below, ()):
                bodies[-1] += next(kids)
    return head + kids_head, bodies


def _beneath(
    page: _Page, kids: Sequence[Mapping[str, Any]], depth: int
) -> tuple[list[str], Iterator[list[str]]]:
    head, bodies = _objects(page, "", kids, depth + 1)
    return head, iter(bodies)


def _block(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the key whose lists of objects go beneath their rows: the one with the most of them."""
    sizes: dict[str, int] = {}
    for key in dict.fromkeys(chain.from_iterable(rows)):
        lists = [row[key] for row in rows if key in row]
        if set(map(type, lists)) != {list}:
            continue
        kids = list(chain.from_iterable(lists))
        if all(kids) and set(map(type, kids)) <= {dict}:
            sizes[key] = len(kids)
    best = max(sizes, key=lambda key: sizes[key], default=None)
    return best if best is not None and sizes[best] > 1 else None


def _unrolled(
    rows: Sequence[Mapping[str, Any]], below: str
) -> tuple[list[Mapping[str, Any]], list[int]]:
    """Put every row of a tree before those beneath it, and return with them how deep each lies."""
    flat: list[Mapping[str, Any]] = []
    levels: list[int] = []
    waiting = [(row, 0) for row in reversed(rows)]
    while waiting:
        row, level = waiting.pop()
        kids = row.get(below, [])
        if level > _DEEPEST or type(kids) is not list or any(type(kid) is not dict for kid in kids):
            raise Unfit("no tree")
        flat.append(row)
        levels.append(level)
        waiting += [(kid, level + 1) for kid in reversed(kids)]
    return flat, levels


def _own(
    page: _Page, rows: Sequence[Mapping[str, Any]], below: str | None, *, same: bool
) -> tuple[list[str], list[str]]:
    """Return the heads, and the line of each row without what lies beneath it."""
    seen = rows
    if below is not None:  # its place among the columns counts, what is in it does not
        seen = [{key: 0 if key == below else value for key, value in row.items()} for row in rows]
    heads: list[str] = []
    cells: list[list[str]] = []
    for column in columns_of(seen):
        name = ".".join(key_of(key) for key in column.path)
        if column.path == (below,):
            blank = "?" if ABSENT in column.values else ""
            page.used.update(dict.fromkeys(blank, _ANY))
            heads.append(f"{name}{blank}{SAME if same else BELOW}")
            continue
        marks, own = column_cells(column.values, rich=page.rich)
        _note(page, name, marks, own)
        heads.append(name if marks is PLAIN else f"{name}{marks}")
        if not marks.constant:
            cells.append(own)
    if not heads:
        raise Unfit("objects without keys")
    return heads, _joined(cells, len(rows))
