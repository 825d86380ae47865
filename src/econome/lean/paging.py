"""One page of a kept result: rows from an offset, rows that fit a filter, some fields only (L7).

A page always holds at least one whole row, so that everything kept can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from econome.lean.cells import cell_of
from econome.lean.counting import Count
from econome.lean.exact import compact
from econome.lean.forms import encode
from econome.lean.limits import collection
from econome.lean.selecting import UnknownField, asked, fields_of, narrowed

__all__ = ["Page", "Wanted", "page_of", "page_of_text"]

_USUAL = 50
_LINES = 200


@dataclass(frozen=True, slots=True)
class Page:
    """What `more` answers: *text*, whose data is in *form*; *failed* where it is a refusal."""

    text: str
    failed: bool = False
    form: str = "text"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for of a kept result, and what a page keeps to."""

    offset: int | None
    filter: str | None
    select: tuple[str, ...] | None
    rows: str | None
    page: int | None
    max_bytes: int | None

    @classmethod
    def of(
        cls,
        arguments: Mapping[str, Any],
        *,
        rows: str | None,
        page: int | None,
        max_bytes: int | None,
    ) -> Wanted | Page:
        """Return what the arguments of `more` ask for, or the refusal of what they hold."""
        offset, filter_ = arguments.get("offset"), arguments.get("filter")
        if isinstance(offset, float) and offset.is_integer():
            offset = int(offset)
        if offset is not None and (type(offset) is not int or offset < 0):
            return Page("more: offset: a whole number from 0.", failed=True)
        if filter_ is not None and not isinstance(filter_, str):
            return Page("more: filter: a text, or field=value.", failed=True)
        select = arguments.get("select")
        if isinstance(select, str):
            select = [select]
        if select is not None and not isinstance(select, list):
            return Page("more: select: a list of field names.", failed=True)
        return cls(offset, filter_ or None, asked(select), rows, page, max_bytes)


def page_of(value: Any, wanted: Wanted, count: Count) -> Page:
    """Return the page of a kept value."""
    try:
        if wanted.select is not None:
            value = narrowed(value, wanted.select, rows=wanted.rows)
    except UnknownField as fault:
        return Page(f"more: {fault}", failed=True)
    place = collection(value, wanted.rows)
    if place is None:
        form = encode(value, count)
        return Page(form.text, form=form.form)
    rows = value
    for key in place:
        rows = rows[key]
    name = f"{'.'.join(place)}: " if place else ""
    matching = rows if wanted.filter is None else list(filter(_fits(wanted.filter, rows), rows))
    offset = wanted.offset or 0
    shown = _fitting(matching[offset:], wanted)
    head = _head(name, "rows", offset, len(shown), len(matching), len(rows), wanted.filter)
    form = encode(shown, count)
    return Page(f"{head}\n{form.text}", form=form.form)


def _fitting(rows: list[Any], wanted: Wanted) -> list[Any]:
    page = rows[: wanted.page or (_USUAL if wanted.max_bytes is None else None)]
    if wanted.max_bytes is None:
        return page
    left, shown = wanted.max_bytes, 0
    for row in page:
        left -= len(compact(row).encode()) + 1
        if left < 0 and shown:
            break
        shown += 1
    return page[:shown]


def _fits(filter_: str, rows: list[Any]) -> Callable[[Any], bool]:
    """Return whether a row fits: `field=value` by that field, where rows have it, else by its text, in any case of letters."""
    field, sign, value = filter_.partition("=")
    if sign and field.partition(".")[0] in fields_of(rows):
        return lambda row: value in _values(row, field)
    text = filter_.casefold()
    return lambda row: text in compact(row).casefold()


def _values(row: Any, field: str) -> list[str]:
    found = row
    for key in [field] if isinstance(row, dict) and field in row else field.split("."):
        if not isinstance(found, dict) or key not in found:
            return []
        found = found[key]
    entries = found if isinstance(found, list) else [found]
    return [*(entry for entry in entries if isinstance(entry, str)), *map(cell_of, entries)]


def page_of_text(text: str, wanted: Wanted) -> Page:
    """Return the page of a kept text: its lines."""
    if wanted.select is not None:
        return Page(
            "more: select: this is a text and has no fields; use offset or filter.", failed=True
        )
    lines = text.split("\n")
    needle = wanted.filter.casefold() if wanted.filter else None
    matching = lines if needle is None else [line for line in lines if needle in line.casefold()]
    offset = wanted.offset or 0
    left = wanted.max_bytes
    shown: list[str] = []
    for line in matching[
        offset : offset + (wanted.page or (_LINES if left is None else len(lines)))
    ]:
        if left is not None:
            left -= len(line.encode("utf-8", "surrogatepass")) + 1
            if left < 0 and shown:
                break
        shown.append(line)
    head = _head("", "lines", offset, len(shown), len(matching), len(lines), wanted.filter)
    return Page("\n".join([head, *shown]))


def _head(
    name: str, what: str, offset: int, shown: int, matching: int, total: int, filter_: str | None
) -> str:
    of = f"{matching} {what}" if filter_ is None else f"{matching} of {total} {what} that fit"
    if not shown:
        return f"[more] {name}none of {of} from offset {offset}"
    after = offset + shown
    rest = "the end" if after >= matching else f"next offset={after}"
    return f"[more] {name}{offset}-{after - 1} of {of}, {rest}"
