"""Where in a TOML file something stands, for who has to mend it, and values of one kind from there.

It reads what was decoded before, and the text of it to find a line. It knows no rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from econome.errors import SettingsError

__all__ = ["Place", "dotted", "line_of"]

_LONGEST = 64
"""Lines that one value is followed through."""

_TRIES = 200
"""Beginnings of a file that are decoded at most."""


_TOLD: Final = 40
"""So many characters of a value that is wrong are repeated."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands: the names that lead to it; it takes from there values of one kind, or says what is wrong.

    A value that is not there is None. *text* is the file's, where errors find the line.
    """

    path: str
    text: str
    names: tuple[str, ...] = ()

    def below(self, name: str) -> Place:
        """Return the place of what has that name here."""
        return Place(self.path, self.text, (*self.names, name))

    def wrong(self, reason: str) -> SettingsError:
        """Return the error that says that what stands here cannot be used, with its line where that is found."""
        line = line_of(self.text, self.names) if self.text and self.names else None
        where = dotted(self.names)
        return SettingsError(self.path, where if line is None else f"line {line}: {where}", reason)

    def expected(self, what: str, value: object) -> SettingsError:
        """Return the error that says what was expected here and what was found."""
        return self.wrong(f"expected {what}, not {_told(value)}")

    def known(self, table: Mapping[str, Any], names: tuple[str, ...]) -> None:
        """Raise the error for the first name that is not one of *names*."""
        for name in table:
            if name not in names:
                raise self.below(name).wrong(f"unknown; known here: {', '.join(names)}")

    def table(self, value: object) -> Mapping[str, Any]:
        """Return a value that has to be a table."""
        if not isinstance(value, dict):
            raise self.expected("a table", value)
        return value

    def tables(
        self, values: Mapping[str, Any], name: str
    ) -> list[tuple[str, Place, Mapping[str, Any]]]:
        """Return the tables in the table *name*: the name of each, its place, and itself."""
        at = self.below(name)
        held = at.table(values.get(name, {}))
        return [(each, at.below(each), at.below(each).table(held[each])) for each in held]

    def amount(self, table: Mapping[str, Any], name: str) -> int | None:
        """Return a whole number of at least 1."""
        value = table.get(name)
        if value is not None and (type(value) is not int or value < 1):
            raise self.below(name).expected("a whole number of at least 1", value)
        return value

    def switch(self, table: Mapping[str, Any], name: str) -> bool | None:
        """Return true or false."""
        value = table.get(name)
        if value is not None and not isinstance(value, bool):
            raise self.below(name).expected("true or false", value)
        return value

    def text_of(self, table: Mapping[str, Any], name: str) -> str | None:
        """Return a text that is not empty."""
        value = table.get(name)
        if value is not None and (not isinstance(value, str) or not value):
            raise self.below(name).expected("a text", value)
        return value

    def variable(self, table: Mapping[str, Any], name: str) -> None:
        """Raise an error unless the name of an environment variable stands there; the value is not repeated."""
        value = table[name]
        if not isinstance(value, str) or not value:  # what else stands there may be a secret
            raise self.below(name).wrong("expected the name of an environment variable")

    def choice(self, table: Mapping[str, Any], name: str, known: tuple[str, ...]) -> str | None:
        """Return one of the *known* texts."""
        value = table.get(name)
        if value is not None and value not in known:
            raise self.below(name).expected(f"one of {', '.join(known)}", value)
        return value


def _told(value: object) -> str:
    """Return a value about as the file has it, cut where it is long."""
    import json

    try:
        told = json.dumps(value, ensure_ascii=False)
    except TypeError:  # dates and times
        told = str(value)
    return told if len(told) <= _TOLD else told[: _TOLD - 1] + "…"


def dotted(names: Sequence[str]) -> str:
    """Return the names that lead to a place as a file would have them, quoted where they must be."""
    return ".".join(
        name if name.replace("-", "").replace("_", "").isalnum() else f'"{name}"' for name in names
    )


def line_of(text: str, names: Sequence[str]) -> int | None:
    """Return the line on which what these names lead to begins, None where that is not found.

    It is the first line that has the last name and whose end, or that of a line soon after it, makes a beginning of the
    file that decodes and has the whole way.
    """
    lines = text.split("\n")
    tries = 0
    for at, line in enumerate(lines):
        if names[-1] not in line:
            continue
        for end in range(at + 1, min(len(lines), at + _LONGEST) + 1):
            tries += 1
            if tries > _TRIES:
                return None
            found = _decoded("\n".join(lines[:end]))
            if found is None:
                continue
            if _leads(found, names):
                return at + 1
            break
    return None


def _decoded(text: str) -> dict[str, Any] | None:
    from tomllib import TOMLDecodeError, loads

    try:
        return loads(text)
    except TOMLDecodeError:
        return None


def _leads(values: object, names: Sequence[str]) -> bool:
    for name in names:
        if not isinstance(values, dict) or name not in values:
            return False
        values = values[name]
    return True
