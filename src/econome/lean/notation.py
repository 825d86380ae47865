"""How a schema is written in a signature: a notation near TypeScript that says all of it, with every text in its place.

A field is `name?:type=default (text)`; a field without a type is a string. Types are `string number integer boolean
null any never object array`, literals (`'open'`, `3`), unions `a|b`, lists `T[]`, objects `{a, b?:T}` with `*:T` for
any other field, `#Name` for a definition, `oneOf(A, B)` and `allOf(A, B)`. What has no sign of its own stands behind
the type in angle brackets, each keyword with its JSON: `string<format=uri,minLength=1>`; bounds of a number are
`integer<1..100>`. So nothing is left out, and what is written can be read back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from econome.lean.schemas import compact, is_plain_null, is_regular, says_nothing

__all__ = ["CLOSED", "OPEN", "Hand", "facets_text", "key_text", "value_text"]

CLOSED = "$"
"""Stands behind an object that takes no fields but those named, where most take others."""

OPEN = "..."
"""Stands as the last field of an object that takes others, where most do not."""

_KEY = re.compile(r"[A-Za-z_$@][A-Za-z0-9_$@.-]*")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_QUOTABLE = re.compile(r"[^'\\\x00-\x1f]*")
_DEFINITION = re.compile(r"#/(\$defs|definitions)/([A-Za-z_][A-Za-z0-9_.-]*)")
_BASES = frozenset({"string", "number", "integer", "boolean", "null", "object", "array"})
_OF_TYPE: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}


def key_text(key: str) -> str:
    """Return the name of a field or an action, quoted where it is no plain word."""
    return key if _KEY.fullmatch(key) else compact(key)


def value_text(value: object) -> str:
    """Return a value of JSON, a text in single quotes where that says it."""
    if isinstance(value, str) and _QUOTABLE.fullmatch(value):
        return f"'{value}'"
    return compact(value)


def _text(text: str) -> str:
    """Return a text in round brackets where its own are paired, else as JSON."""
    depth = 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
    plain = depth == 0 and text == text.strip()
    return f"({text})" if plain else compact(text)


@dataclass(frozen=True, slots=True)
class _Written:
    """A type as written; a *union* needs brackets before anything may follow it."""

    text: str
    union: bool = False

    def grouped(self) -> str:
        return f"({self.text})" if self.union else self.text


@dataclass(frozen=True, slots=True)
class Hand:
    """Writes schemas under one set of conventions.

    *shared* are fields that were written once before, the JSON of each by its name: where the same field comes again
    its name suffices. *closed* says that objects take no other fields unless they say so. *texts* is off where texts,
    defaults and bounds are left out. *definitions* is the keyword that the definitions in use stand under.
    """

    shared: Mapping[str, str] = field(default_factory=dict)
    closed: bool = False
    texts: bool = True
    definitions: str = "$defs"

    def fields(self, schema: Mapping[str, Any]) -> tuple[str, list[str], str]:
        """Return what stands between the brackets of an object, the keywords used up, and the mark behind them."""
        used = ["properties", "required", "additionalProperties"]
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        others = schema.get("additionalProperties", True)
        known = {name for name in required if name in properties}
        if len(known) != len(required):
            used.remove("required")  # it stays a keyword: it names what the properties do not
            known = set()
        parts = [self.field(key, part, key in known) for key, part in properties.items()]
        if isinstance(others, Mapping) and others:
            parts.append("*" + self.body(others, "*"))
        elif self.closed and others is not False:
            parts.append(OPEN)
        mark = CLOSED if others is False and not self.closed else ""
        return ", ".join(parts), used, mark

    def field(self, key: str, schema: object, required: bool) -> str:
        """Return one field: its name, its type, what it is if not given, and its text."""
        name = key_text(key) + ("" if required else "?")
        if key in self.shared and self.shared[key] == compact(schema):
            return name
        body = self.body(schema, key)
        if key in self.shared and not body.startswith(":"):
            body = f":string{body}"
        return name + body

    def body(self, schema: object, key: str) -> str:
        """Return what stands behind the name of a field."""
        rest = dict(schema) if isinstance(schema, Mapping) else {}
        if says_nothing(rest.get("title"), key):
            del rest["title"]
        text, default = self._annotations(rest)
        kind = self._kind(schema if isinstance(schema, bool) else rest).text
        return ("" if kind == "string" else f":{kind}") + default + text

    def _annotations(self, rest: dict[str, Any]) -> tuple[str, str]:
        """Take text and default out of *rest* and return them as written."""
        text = rest.get("description")
        written = ""
        if isinstance(text, str):
            del rest["description"]
            written = f" {_text(text)}" if self.texts and text else ""
        default = ""
        if "default" in rest:
            said = self.texts and not is_plain_null(rest)
            value = rest.pop("default")
            if said:
                default = f"={value_text(value)}"
        return written, default

    def _kind(self, schema: object) -> _Written:
        """Return the whole type of a schema, which may be boolean."""
        if not isinstance(schema, Mapping):
            return _Written("never" if schema is False else "any")
        rest = dict(schema)
        if not self.texts:
            rest.pop("title", None)
        base = self._base(rest)
        facets = facets_text(rest) if self.texts else ""
        return _Written(base.grouped() + facets) if facets else base

    def _alternative(self, schema: object) -> _Written:
        """Return a type that stands inside another, in brackets where it carries more than itself."""
        if not isinstance(schema, Mapping):
            return self._kind(schema)
        rest = dict(schema)
        text, default = self._annotations(rest)
        kind = self._kind(rest)
        return _Written(f"({kind.text}{default}{text})") if text or default else kind

    def _base(self, rest: dict[str, Any]) -> _Written:
        """Take the keywords that a sign stands for out of *rest* and return the sign."""
        for write in (self._literals, self._reference, self._several, self._list, self._object):
            base = write(rest)
            if base is not None:
                return base
        kind = rest.get("type")
        if isinstance(kind, str) and kind in _BASES:
            del rest["type"]
            return _Written(kind)
        if isinstance(kind, list) and len(kind) > 1 and rest.keys() == {"type"}:
            if all(isinstance(one, str) and one in _BASES for one in kind):
                del rest["type"]
                return _Written("|".join(kind), union=True)
        return _Written("any")

    def _literals(self, rest: dict[str, Any]) -> _Written | None:
        values = rest.get("enum", [rest["const"]] if "const" in rest else None)
        if not isinstance(values, list) or not values or ("enum" in rest and "const" in rest):
            return None
        if not all(isinstance(value, str | int | float | None) for value in values):
            return None
        kinds = rest.get("type", list(_OF_TYPE))
        kinds = kinds if isinstance(kinds, list) else [kinds]
        names = [kind for kind in kinds if isinstance(kind, str)]
        allowed = tuple(one for name in names for one in _OF_TYPE.get(name, ()))
        if not all(_is_one_of(value, allowed) for value in values):
            return None
        for keyword in ("enum", "const", "type"):
            rest.pop(keyword, None)
        return _Written("|".join(map(value_text, values)), union=len(values) > 1)

    def _reference(self, rest: dict[str, Any]) -> _Written | None:
        target = rest.get("$ref")
        found = _DEFINITION.fullmatch(target) if isinstance(target, str) else None
        if found is None or found[1] != self.definitions or rest.keys() != {"$ref"}:
            return None
        del rest["$ref"]
        return _Written(f"#{found[2]}")

    def _several(self, rest: dict[str, Any]) -> _Written | None:
        present = [keyword for keyword in ("anyOf", "oneOf", "allOf") if keyword in rest]
        if len(present) != 1 or rest.keys() - {"title"} != set(present):
            return None
        keyword = present[0]
        parts = rest[keyword]
        if not isinstance(parts, list) or not parts:
            return None
        if not all(isinstance(part, Mapping | bool) for part in parts):
            return None
        written = [self._alternative(part).text for part in parts]
        del rest[keyword]
        if keyword == "anyOf" and len(parts) > 1:
            return _Written("|".join(written), union=True)
        return _Written(f"{keyword}({', '.join(written)})")

    def _list(self, rest: dict[str, Any]) -> _Written | None:
        items = rest.get("items")
        if rest.get("type") != "array" or not isinstance(items, Mapping):
            return None
        del rest["type"], rest["items"]
        return _Written(f"{self._alternative(items).grouped()}[]")

    def _object(self, rest: dict[str, Any]) -> _Written | None:
        if rest.get("type") != "object" or not is_regular(rest):
            return None
        del rest["type"]
        inside, used, closing = self.fields(rest)
        simple = not rest.get("properties") and rest.get("additionalProperties", True) in (True, {})
        for keyword in used:
            rest.pop(keyword, None)
        return _Written("object" if simple else f"{{{inside}}}{closing}")


def _is_one_of(value: object, kinds: tuple[type, ...]) -> bool:
    return bool in kinds if isinstance(value, bool) else isinstance(value, kinds)


def facets_text(rest: Mapping[str, Any]) -> str:
    """Return what no sign stands for, each keyword with its JSON."""
    left = dict(rest)
    parts = []
    low, high = left.get("minimum"), left.get("maximum")
    numbers = [bound for bound in (low, high) if bound is not None]
    if numbers and all(type(bound) in (int, float) for bound in numbers):
        left.pop("minimum", None)
        left.pop("maximum", None)
        parts.append("..".join("" if bound is None else compact(bound) for bound in (low, high)))
    for keyword, value in left.items():
        word = isinstance(value, str) and _WORD.fullmatch(value)
        plain = word and value not in ("true", "false", "null")
        parts.append(f"{key_text(keyword)}={value if plain else compact(value)}")
    return f"<{','.join(parts)}>" if parts else ""
