"""Reads signatures back into schemas, written apart from what writes them: what comes out is all that a menu says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["Reader", "normal", "read_listing", "read_signature", "said_by"]

_KEY = re.compile(r"[A-Za-z_$@][A-Za-z0-9_$@.-]*")
_WORD = re.compile(r"[A-Za-z]+")
_RANGE = re.compile(r"(-?[0-9][0-9.e+-]*?)?\.\.(-?[0-9][0-9.e+-]*)?(?=[,>])")
_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?=[,>])")
_DECODER = json.JSONDecoder()

Schema = dict[str, Any]


class Reader:
    """One text and the place in it that was read so far."""

    def __init__(
        self, text: str, shared: Mapping[str, Any] | None = None, closed: bool = False
    ) -> None:
        self.text, self.place, self.shared, self.closed = text, 0, shared or {}, closed
        self.container = "$defs"

    def at(self, sign: str) -> bool:
        return self.text.startswith(sign, self.place)

    def take(self, sign: str) -> bool:
        if self.at(sign):
            self.place += len(sign)
            return True
        return False

    def need(self, sign: str) -> None:
        assert self.take(sign), f"expected {sign!r} at {self.text[self.place :][:60]!r}"

    def match(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.place)
        if found is None:
            return None
        self.place = found.end()
        return found[0]

    def json(self) -> Any:
        value, self.place = _DECODER.raw_decode(self.text, self.place)
        return value

    def value(self) -> Any:
        if self.take("'"):
            end = self.text.index("'", self.place)
            text, self.place = self.text[self.place : end], end + 1
            return text
        return self.json()

    def key(self) -> str:
        if self.at('"'):
            key: str = self.json()
            return key
        word = self.match(_KEY)
        assert word is not None, f"no name at {self.text[self.place :][:60]!r}"
        return word

    def note(self) -> str | None:
        """Read the text of a field, if there is one."""
        if self.at(' "'):
            self.place += 1
            text: str = self.json()
            return text
        if not self.take(" ("):
            return None
        depth, start = 1, self.place
        while depth:
            depth += {"(": 1, ")": -1}.get(self.text[self.place], 0)
            self.place += 1
        return self.text[start : self.place - 1]

    def annotated(self, kind: Schema) -> Schema:
        if self.take("="):
            kind = {**kind, "default": self.value()}
        text = self.note()
        return kind if text is None else {**kind, "description": text}

    def field(self, named: bool = True) -> tuple[str, bool, Schema]:
        name = "*" if named and self.take("*") else self.key()
        optional = self.take("?")
        if self.take(":"):
            return name, not optional, self.annotated(self.type())
        if name in self.shared and not self.at("=") and not self.at(" (") and not self.at(' "'):
            return name, not optional, self.shared[name]
        return name, not optional, self.annotated({"type": "string"})

    def object(self, end: str) -> Schema:
        """Read the fields of an object up to the bracket that ends it, and the marks behind it."""
        properties: Schema = {}
        required = []
        others: Any = not self.closed
        while not self.take(end):
            if properties or others not in (True, False):
                self.need(", ")
            if self.take("..."):
                others = True
                self.need(end)
                break
            star = self.at("*")
            name, needed, schema = self.field()
            if star:
                others = schema
                continue
            properties[name] = schema
            if needed:
                required.append(name)
        if self.take("$"):
            others = False
        whole: Schema = {"properties": properties, "required": required}
        return {**whole, "additionalProperties": others}

    def facets(self, kind: Schema) -> Schema:
        if not self.take("<"):
            return kind
        whole = dict(kind)
        while True:
            bounds = self.match(_RANGE)
            if bounds is not None:
                low, high = bounds.split("..") if not bounds.startswith("..") else ("", bounds[2:])
                whole |= {"minimum": json.loads(low)} if low else {}
                whole |= {"maximum": json.loads(high)} if high else {}
            else:
                keyword = self.key()
                self.need("=")
                bare = None if self.at('"') else self.match(_BARE)
                if bare in ("true", "false", "null"):
                    whole[keyword] = json.loads(bare)
                else:
                    whole[keyword] = bare if bare is not None else self.json()
            if self.take(">"):
                return whole
            self.need(",")

    def type(self) -> Schema:
        kinds = [self.single()]
        while self.take("|"):
            kinds.append(self.single())
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}

    def single(self) -> Schema:
        kind = self.facets(self.base())
        while self.take("[]"):
            kind = self.facets({"type": "array", "items": kind})
        return kind

    def base(self) -> Schema:
        if self.take("("):
            kind = self.annotated(self.type())
            self.need(")")
            return kind
        if self.take("{"):
            return {"type": "object", **self.object("}")}
        if self.take("#"):
            return {"$ref": f"#/{self.container}/{self.key()}"}
        if self.at("'") or self.at('"') or self.text[self.place] in "-0123456789":
            return {"enum": [self.value()]}
        word = self.match(_WORD)
        if word in ("oneOf", "allOf", "anyOf") and self.take("("):
            parts = [self.annotated(self.type())]
            while self.take(", "):
                parts.append(self.annotated(self.type()))
            self.need(")")
            return {word: parts}
        if word in ("true", "false"):
            return {"enum": [word == "true"]}
        if word in ("any", "never"):
            return {} if word == "any" else {"not": {}}
        assert word in ("string", "number", "integer", "boolean", "null", "object", "array"), word
        return {"type": word}

    def action(self, container: str) -> tuple[str, Schema]:
        """Read a line up to its description."""
        self.container = container
        name = self.key()
        self.take("!")  # destructive
        self.need("(")
        schema = self.facets({"type": "object", **self.object(")")})
        if self.take(" where "):
            defined: Schema = {}
            while True:
                key, _, part = self.field(named=False)
                defined[key] = part
                if not self.take(", "):
                    break
            schema[container] = defined
        return name, schema


def read_signature(
    text: str,
    *,
    container: str = "$defs",
    shared: Mapping[str, Any] | None = None,
    closed: bool = False,
) -> tuple[str, Schema, str]:
    """Return the name, the schema and the description that a signature says."""
    reader = Reader(text, shared, closed)
    name, schema = reader.action(container)
    if reader.place == len(text):
        return name, schema, ""
    reader.need(": ")
    return name, schema, text[reader.place :]


def read_listing(
    text: str, names: list[str], container: Callable[[str], str]
) -> list[tuple[str, Schema, str]]:
    """Return what a listing of the actions *names* says of each."""
    legend, _, rest = text.partition("\n")
    closed = legend.endswith("no other fields")
    shared: Schema = {}
    if rest.startswith("Shared: "):
        shared, rest = _read_shared(rest.removeprefix("Shared: "), closed)
    notes: dict[str, str] = {}
    while re.match(r"\[\d+\] ", rest):
        line, _, rest = rest.partition("\n")
        mark, _, note = line.partition(" ")
        notes[mark] = note
    reader = Reader(rest, shared, closed)
    said = []
    for number, name in enumerate(names):
        read, schema = reader.action(container(name))
        assert read == name
        described, start = reader.take(": "), reader.place
        if number + 1 < len(names):
            after = f"\n{_head(names[number + 1])}("
            reader.place = rest.index(after, start) + 1
            description = rest[start : reader.place - 1]
        else:
            description = rest[start:]
        assert described or not description
        for mark, note in notes.items():
            description = description.replace(mark, note)
        said.append((name, schema, description))
    return said


def _read_shared(text: str, closed: bool) -> tuple[Schema, str]:
    """Read the fields that are written once, and return what follows; one may use another that stands later."""
    shared: Schema = {}
    while True:
        reader, found = Reader(text, {}, closed), dict[str, Any]()
        while not found or reader.take(", "):
            start = reader.place
            name = reader.key()
            reader.place = start
            reader.shared = {key: part for key, part in shared.items() if key != name}
            found[name] = reader.field(named=False)[2]
        if found == shared:
            return shared, text[reader.place :].removeprefix("\n")
        shared = found


def _head(name: str) -> str:
    return name if _KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


_MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _silent(title: object, name: str) -> bool:
    """Tell whether a title is the name again, as pydantic writes it."""
    if not isinstance(title, str):
        return False
    said = _letters(title)
    for ending in (
        "",
        "arguments",
        "args",
        "input",
        "inputs",
        "params",
        "parameters",
        "request",
        "schema",
    ):
        stem = said.removesuffix(ending) if said.endswith(ending) else None
        if stem is not None and (
            stem == _letters(name) or (ending and stem and _letters(name).endswith(stem))
        ):
            return True
    return False


def normal(schema: Any, name: str = "") -> Any:
    """Return a schema in the one form that all ways of saying the same have, without what says nothing."""
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    if not isinstance(schema, dict):
        return schema
    whole = dict(schema)
    if _silent(whole.get("title"), name):
        del whole["title"]
    if whole.get("description") == "":
        del whole["description"]
    for keyword in _MAPS:
        if isinstance(whole.get(keyword), dict):
            whole[keyword] = {key: normal(part, key) for key, part in whole[keyword].items()}
    for keyword in _ONE:
        if isinstance(whole.get(keyword), dict | bool):
            whole[keyword] = normal(whole[keyword])
    for keyword in _SEVERAL:
        if isinstance(whole.get(keyword), list):
            whole[keyword] = [normal(part) for part in whole[keyword]]
    for keyword, nothing in (("properties", {}), ("required", []), ("additionalProperties", {})):
        if keyword in whole and whole[keyword] == nothing:
            del whole[keyword]
    if isinstance(whole.get("required"), list):
        whole["required"] = sorted(whole["required"])
    return _alternatives(whole)


def _alternatives(whole: Schema) -> Schema:
    """Return a schema with its literals and kinds as one flat list of alternatives."""
    notes: Schema = {
        key: whole.pop(key) for key in ("title", "description", "default") if key in whole
    }
    if "const" in whole and "enum" not in whole:
        whole["enum"] = [whole.pop("const")]
    values, kinds = whole.get("enum"), whole.get("type")
    if (
        isinstance(values, list)
        and values
        and all(isinstance(one, str | int | float | None) for one in values)
    ):
        allowed = [kinds] if isinstance(kinds, str) else kinds or []
        if all(any(_is_a(value, kind) for kind in allowed) for value in values):
            whole.pop("type", None)
        if len(values) > 1 and "anyOf" not in whole:
            whole["anyOf"] = [{"enum": [value]} for value in whole.pop("enum")]
    if isinstance(kinds, list) and whole.keys() == {"type"}:
        whole = {"anyOf": [_alternatives({"type": kind}) for kind in kinds]}
    if whole == {"type": "null"}:
        whole = {"enum": [None]}
    if isinstance(whole.get("anyOf"), list):
        flat: list[Any] = []
        for part in whole["anyOf"]:
            flat.extend(
                part["anyOf"] if part.keys() == {"anyOf"} and len(part["anyOf"]) > 1 else [part]
            )
        whole["anyOf"] = flat
        if notes.get("default", 0) is None and {"enum": [None]} in flat:
            del notes["default"]
    if notes.get("default", 0) is None and isinstance(kinds, list) and "null" in kinds:
        del notes["default"]
    return {**whole, **notes}


def _is_a(value: object, kind: object) -> bool:
    known = _TYPES.get(kind, ()) if isinstance(kind, str) else ()
    return bool in known if isinstance(value, bool) else isinstance(value, known)


def said_by(tool: Mapping[str, Any]) -> tuple[str, Any, str]:
    """Return what the tool of a server says: its name, its schema in the normal form, and its description."""
    schema = dict(tool["inputSchema"])
    schema.setdefault("type", "object")
    schema.pop("title", None)  # the name of a class or a function; the tool has its own
    return tool["name"], normal(schema, tool["name"]), tool.get("description") or ""
