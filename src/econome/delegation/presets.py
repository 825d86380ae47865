"""Named ways to ask a model: what it is told, how, and what its answer must be (D6).

It reads the text of a presets file strictly: a name that is not known is an error, since what is mistyped would
otherwise be silently without effect. It knows no file and reaches no model.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

import msgspec

from econome.delegation.checks import Check, read_check
from econome.delegation.formats import Format, read_format
from econome.errors import DelegationRefused, PresetError

__all__ = ["CODER", "Preset", "read_presets"]

CODER: Final = "opencode"
"""The backend that changes files in a clone; every other one answers with a text."""

_TEXT = Format("text")
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}", re.IGNORECASE)
_TOKENS_LIMIT = 1_000_000
_KINDS: dict[str, tuple[type, ...]] = {
    "a text": (str,),
    "a number": (int, float),
    "a whole number": (int,),
}


@dataclass(frozen=True, slots=True)
class Preset:
    """A named way to ask; what is None is left to the backend, or to its own choice."""

    name: str
    description: str = ""
    backend: str | None = None
    model: str | None = None
    system: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    format: Format = _TEXT
    checks: tuple[Check, ...] = ()

    @property
    def digest(self) -> str:
        """Return what tells this state of the preset from another, so that a score of another is not taken for its own."""
        return hashlib.sha256(msgspec.json.encode(self, order="sorted")).hexdigest()[:16]


_KNOWN = sorted({field.name for field in fields(Preset)} - {"name"} | {"schema"})


def read_presets(text: str, path: str) -> dict[str, Preset]:
    """Return the presets that the *text* of the file *path* defines, by name.

    Raises:
        PresetError: it is no TOML, a name is not known or a value cannot be used.
    """
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise PresetError(path, "", str(error)) from None
    return {name: _read(_Table(table, path, name)) for name, table in tables.items()}


class _Table:
    """The table of a preset, whose values are asked for one by one."""

    def __init__(self, raw: object, path: str, name: str) -> None:
        self.path, self.name = path, name
        if not _NAME.fullmatch(name):
            raise PresetError(
                path, repr(name), "expected a name of letters, digits, dots and dashes"
            )
        if not isinstance(raw, dict):
            raise PresetError(path, name, "expected a table")
        self.raw: dict[str, Any] = raw
        for key in raw:
            if key not in _KNOWN:
                raise self.wrong(key, f"unknown; known: {', '.join(_KNOWN)}")

    def wrong(self, key: str, reason: str) -> PresetError:
        return PresetError(self.path, f"{self.name}.{key}", reason)

    def value(self, key: str, kind: str) -> Any:
        value = self.raw.get(key)
        if value is not None and type(value) not in _KINDS[kind]:
            raise self.wrong(key, f"expected {kind}")
        return value

    def text(self, key: str) -> str | None:
        value: str | None = self.value(key, "a text")
        if value is not None and not value.strip():
            raise self.wrong(key, "expected a text")
        return None if value is None else value.strip()

    def number(self, key: str, least: float, most: float, kind: str) -> Any:
        value = self.value(key, kind)
        if value is not None and not least <= value <= most:
            raise self.wrong(key, f"expected {kind} from {least:,.10g} to {most:,.10g}")
        return value


def _read(table: _Table) -> Preset:
    temperature = table.number("temperature", 0, 2, "a number")
    description = table.text("description") or ""
    if "\n" in description:
        raise table.wrong("description", "expected one line")
    return Preset(
        name=table.name,
        description=description,
        backend=table.text("backend"),
        model=table.text("model"),
        system=table.text("system"),
        temperature=None if temperature is None else float(temperature),
        max_tokens=table.number("max_tokens", 1, _TOKENS_LIMIT, "a whole number"),
        format=_format(table),
        checks=_checks(table),
    )


def _format(table: _Table) -> Format:
    schema = table.raw.get("schema")
    named = table.text("format") or ("text" if schema is None else "json")
    if schema is not None:
        if named != "json":
            raise table.wrong("schema", 'only for format = "json"')
        schema = _schema(table, schema)
    try:
        return read_format(named, schema)
    except DelegationRefused as error:
        where, _, reason = str(error).partition(": ")
        raise table.wrong(where, reason) from None


def _schema(table: _Table, schema: object) -> Mapping[str, Any]:
    if isinstance(schema, str):
        try:
            schema = msgspec.json.decode(schema)
        except (msgspec.DecodeError, RecursionError) as error:
            raise table.wrong("schema", f"not JSON: {error}") from None
    if not isinstance(schema, dict):
        raise table.wrong("schema", "expected a table, or a text that holds a JSON object")
    return schema


def _checks(table: _Table) -> tuple[Check, ...]:
    raw = table.raw.get("checks", [])
    if not isinstance(raw, list):
        raise table.wrong("checks", f"expected tables, each begun with [[{table.name}.checks]]")
    found = []
    for number, each in enumerate(raw, 1):
        try:
            found.append(read_check(each))
        except ValueError as error:
            raise table.wrong(f"checks[{number}]", str(error)) from None
    if found and table.raw.get("backend") == CODER:
        raise table.wrong("checks", "what a coder does cannot be checked so; leave them out")
    return tuple(found)
