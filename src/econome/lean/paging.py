"""One page of a kept result: rows from an offset, rows that fit a filter, some fields only (L7).

A page always holds at least one whole row, so that everything kept can be read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from econome.lean.cells import cell_of
from econome.lean.counting import Count
from econome.lean.exact import compact
from econome.lean.forms import encode
from econome.lean.limits import collection, list_names, located, place_text, with_lists
from econome.lean.pointers import value_at
from econome.lean.selecting import UnknownField, asked, fields_of, leads, narrow, narrowed
from econome.lean.tables import KEY

__all__ = ["FIELDS", "Page", "Wanted", "page_of", "page_of_text"]

FIELDS = ("handle", "offset", "filter", "select", "rows")
"""What `more` takes; only the handle is required."""

_USUAL = 50
_LINES = 200
_MANY = 30
_NUMBER = re.compile(r"[0-9]{1,9}")
_FIELD = re.compile(r"[^\s=<>!?&:/\"']+")


@dataclass(frozen=True, slots=True)
class Page:
    """What `more` answers: *text*, whose data is in *form*; *failed* where it is a refusal."""

    text: str
    failed: bool = False
    form: str = "text"


def _refused(text: str) -> Page:
    return Page(f"more: {text}", failed=True)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for of a kept result, and what a page keeps to.

    *named* is the list that is asked for, *rows* the one that is read where none is.
    """

    offset: int | None
    filter: str | None
    select: tuple[str, ...] | None
    named: str | None
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
        unknown = [str(name)[:64] for name in arguments if name not in FIELDS]
        if unknown:
            names = ", ".join(FIELDS)
            return _refused(f"it has no field {', '.join(unknown)}, its fields are: {names}.")
        offset, filter_, named = (arguments.get(name) for name in ("offset", "filter", "rows"))
        if isinstance(offset, float) and offset.is_integer():
            offset = int(offset)
        if isinstance(offset, str) and _NUMBER.fullmatch(offset):
            offset = int(offset)
        if offset is not None and (type(offset) is not int or offset < 0):
            return _refused("offset: a whole number from 0.")
        if filter_ is not None and not isinstance(filter_, str):
            return _refused("filter: a text, or field=value.")
        if named is not None and not isinstance(named, str):
            return _refused("rows: the name of a list.")
        select = arguments.get("select")
        if isinstance(select, str):
            select = [select]
        if select is not None and not isinstance(select, list):
            return _refused("select: a list of field names.")
        return cls(offset, filter_ or None, asked(select), named or None, rows, page, max_bytes)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Which rows a page is made of: where they lie, and the *fields* of each, or of the *whole* value, that are asked for."""

    place: tuple[str, ...]
    fields: tuple[str, ...] | None = None
    whole: tuple[str, ...] | None = None


def page_of(value: Any, wanted: Wanted, count: Count) -> Page:
    """Return the page of a kept value: of the rows that fit those from the offset, of these the fields asked for."""
    try:
        found = _found(value, wanted)
        if isinstance(found, Page):
            return found
        if found is None:
            return _whole(value, wanted, count)
        rows = _rows_at(value, found.place)
        matching = rows if wanted.filter is None else _matching(rows, wanted.filter)
    except UnknownField as fault:
        return _refused(str(fault))
    offset = wanted.offset or 0
    shown = _fitting(matching[offset:], found.fields, wanted)
    name = f"{place_text(found.place)}: " if found.place else ""
    head = _head(name, "row", offset, len(shown), len(matching), len(rows), wanted.filter)
    form = encode(_beside(value, found, shown), count)
    return Page(f"{head}\n{form.text}", form=form.form)


def _whole(value: Any, wanted: Wanted, count: Count) -> Page:
    """Return what has no rows."""
    if wanted.filter is not None:
        return _refused("filter: there are no rows here to filter.")
    form = encode(value if wanted.select is None else narrow(value, wanted.select), count)
    return Page(form.text, form=form.form)


def _found(value: Any, wanted: Wanted) -> _Rows | Page | None:
    """Return the rows that are asked for; None where what is asked for is no list; a refusal where no list is meant, or several.

    Raises:
        UnknownField: a field is selected that there is not.
    """
    place, select = collection(value, wanted.rows), wanted.select
    if wanted.named is not None:
        place = located(value, wanted.named)
        if place is None:
            names = list_names(value)
            known = f"; choose from: {_few(names)}" if names else ""
            return _refused(f"rows: there is no list {wanted.named[:64]}{known}")
    if select is None:
        return None if place is None else _Rows(place)
    if place is not None and (not place or wanted.named is not None):
        rows = _rows_at(value, place)
        unknown = [name for name in select if not leads(rows, name)]
        if unknown and rows:
            raise UnknownField(unknown, fields_of(rows))
        return _Rows(place, fields=select)
    if not all(leads(value, name) for name in select):
        narrowed(value, select, rows=wanted.rows)  # refuses what are no fields of its rows either
        return None if place is None else _Rows(place, fields=select)
    chosen = narrow(value, select)
    names = list_names(chosen)
    if len(names) > 1:
        return _refused(f"select: there are several lists; choose by rows one of: {_few(names)}")
    place = collection(chosen)
    return None if place is None else _Rows(place, whole=select)


def _rows_at(value: Any, place: tuple[str, ...]) -> list[Any]:
    """Return the rows there; those of an object have its keys as a field, which a column of a table has too."""
    own = value_at(value, place)
    if isinstance(own, dict):
        return [{KEY: name, **row} for name, row in own.items()]
    rows: list[Any] = own
    return rows


def _few(names: list[str]) -> str:
    return ", ".join(names[:_MANY]) + (" …" if len(names) > _MANY else "")


def _beside(value: Any, found: _Rows, shown: list[Any]) -> Any:
    """Return the rows of a page, in their place where more than they were asked for."""
    if found.whole is None:
        return shown
    data = inner = narrow(with_lists(value, {found.place: shown}), found.whole)
    for key in found.place:
        if inner.keys() != {key}:
            return data
        inner = inner[key]
    return inner


def _fitting(rows: list[Any], fields: tuple[str, ...] | None, wanted: Wanted) -> list[Any]:
    """Return the rows from the first on that one page holds, of each the fields asked for."""
    most = wanted.page or (_USUAL if wanted.max_bytes is None else len(rows))
    left, shown = wanted.max_bytes, list[Any]()
    for row in rows[:most]:
        own = row if fields is None else narrow(row, fields)
        if left is not None:
            left -= len(compact(own).encode()) + 1
            if left < 0 and shown:
                break
        shown.append(own)
    return shown


def _matching(rows: list[Any], filter_: str) -> list[Any]:
    """Return the rows that fit: by a field where they have it, else by their text, in any case of letters.

    Raises:
        UnknownField: it names a field that they do not have, nor do they hold it as a text.
    """
    field, sign, value = (part.strip() for part in filter_.partition("="))
    if sign and leads(rows, field):
        return [row for row in rows if value in _values(row, field)]
    text = filter_.casefold()
    matching = [row for row in rows if text in compact(row).casefold()]
    if not matching and sign and _FIELD.fullmatch(field) and (known := fields_of(rows)):
        raise UnknownField([field[:64]], known)
    return matching


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
    for name, value in (("select", wanted.select), ("rows", wanted.named)):
        if value is not None:
            return _refused(f"{name}: this is a text of lines; use offset or filter.")
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
    head = _head("", "line", offset, len(shown), len(matching), len(lines), wanted.filter)
    return Page("\n".join([head, *shown]))


def _head(
    name: str, what: str, offset: int, shown: int, matching: int, total: int, filter_: str | None
) -> str:
    """Return the sentence that a page begins with: what of what it is, and where to read on."""
    begin = f"[more] {name}"
    all_ = _counted(total, what)
    if filter_ is not None and not matching:
        return f"{begin}none of {all_} fits the filter"
    fit = f"{matching} of {all_} {'fits' if matching == 1 else 'fit'} the filter"
    if not shown:
        there = f"there are {all_}" if filter_ is None else fit
        return f"{begin}nothing from offset {offset} on, {there}"
    after = offset + shown
    rest = f"next offset {after}" if after < matching else "the end"
    if filter_ is None:
        return f"{begin}{shown} of {all_} from offset {offset}, {rest}"
    if shown == matching:
        return f"{begin}{fit}, all shown"
    return f"{begin}{fit}, {shown} shown from offset {offset}, {rest}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
