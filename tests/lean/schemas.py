"""Random input schemas and arguments, valid ones and others, and small menus of tools to show economies on."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from econome.tokenizers import tokenizer

__all__ = [
    "BILLING",
    "FILES",
    "alike_tools",
    "arguments_for",
    "count",
    "named_tools",
    "schemas",
    "tool",
    "values",
]

Schema = dict[str, Any]


count = tokenizer("features-v1").count
"""The default tokenizer, by which forms are chosen."""


def tool(
    name: str, description: str = "", /, required: tuple[str, ...] = (), **fields: Any
) -> Schema:
    """Return a tool as `tools/list` shows it; a field is its schema, or the name of its type."""
    properties = {
        key: {"type": part} if isinstance(part, str) else part for key, part in fields.items()
    }
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "inputSchema": schema}


BILLING = [
    tool("get_invoice", "Retrieve an invoice by ID", ("id",), id="string"),
    tool(
        "refund", "Refund an invoice", ("id", "amount_cents"), id="string", amount_cents="integer"
    ),
    tool("list_invoices", "List the tenant invoices"),
]
"""The three actions of the acceptance cases."""

_WHERE = "Only paths below the roots that the client gave are taken."
_PATH = {"type": "string", "description": "Path from a root (no leading slash)", "title": "Path"}

FILES = [
    tool(
        "read_lines",
        f"Read some lines of a text. Long lines are cut at 2,000 characters. {_WHERE}",
        ("path",),
        path=_PATH,
        first={"type": "integer", "minimum": 1, "default": 1, "description": "First line"},
        last={"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None, "title": "Last"},
    ),
    tool(
        "write_text",
        f"Write a text to a file; what it held is lost! {_WHERE}",
        ("path", "text"),
        path=_PATH,
        text="string",
        mode={"enum": ["new", "append", "replace"], "default": "new"},
    ),
    tool(
        "find_text",
        f"Find a pattern.\n\nNotes:\n- a pattern is (mostly) what grep takes: `a|b`, \\d\n- {_WHERE}",
        ("pattern",),
        pattern={"type": "string", "minLength": 1, "format": "regex", "pattern": "^[^\\n]+$"},
        paths={
            "type": "array",
            "items": {"type": "string", "description": "One (or more)"},
            "minItems": 1,
            "uniqueItems": True,
        },
        options={
            "type": "object",
            "properties": {
                "case": {"type": "boolean", "default": False},
                "around": {"type": "integer", "minimum": 0, "maximum": 9},
            },
            "required": ["case"],
            "additionalProperties": False,
        },
    ),
]
"""Three tools with texts in common, bounds, an enum, a nullable field and a closed object."""

_KEYS = st.sampled_from(
    [
        "id",
        "name",
        "path",
        "limit",
        "action",
        "of",
        "_select",
        "describe",
        "a-b",
        "a b",
        "$x",
        "x.y",
        "é",
        "*",
        "",
        "items",
        "type",
        "title",
    ]
)
_TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            "The id",
            "A path (from the root)",
            "odd ) bracket (",
            'a "quoted" one',
            "two\nlines",
            " x ",
            "it's, so: {a|b}",
        ]
    ),
    st.text(max_size=12),
)
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.5, 1.0, -2.25]),
    st.sampled_from(["a", "b", "it's", "x y", "", "1", "null", "<>"]),
)


@st.composite
def _annotated(draw: st.DrawFn, inner: st.SearchStrategy[Schema]) -> Schema:
    schema = dict(draw(inner))
    if draw(st.booleans()):
        schema["description"] = draw(_TEXTS)
    if draw(st.integers(0, 3)) == 0:
        schema["title"] = draw(st.sampled_from(["Id", "Name", "Path", "Something else", ""]))
    if draw(st.integers(0, 3)) == 0:
        schema["default"] = draw(st.one_of(_SCALARS, st.just([]), st.just({"a": ["("]})))
    return schema


def _leaves() -> st.SearchStrategy[Schema]:
    bounds = st.fixed_dictionaries(
        {},
        optional={
            "minimum": st.integers(-2, 2),
            "maximum": st.sampled_from([0, 3, 2.5]),
            "multipleOf": st.just(1),
        },
    )
    lengths = st.fixed_dictionaries(
        {},
        optional={
            "minLength": st.integers(0, 1),
            "maxLength": st.integers(1, 3),
            "pattern": st.just("^[a-z>,]*$"),
            "format": st.just("uri"),
        },
    )
    return st.one_of(
        st.sampled_from(
            [{"type": kind} for kind in ("string", "boolean", "null", "object", "array")]
        ),
        st.just({}),
        st.builds(lambda more: {"type": "string", **more}, lengths),
        st.builds(
            lambda kind, more: {"type": kind, **more},
            st.sampled_from(["integer", "number"]),
            bounds,
        ),
        st.builds(lambda values: {"enum": values}, st.lists(_SCALARS, min_size=1, max_size=3)),
        st.builds(
            lambda values: {"type": "string", "enum": values},
            st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, unique=True),
        ),
        st.builds(lambda value: {"const": value}, _SCALARS),
        st.sampled_from(
            [
                {"type": ["string", "null"]},
                {"type": ["integer", "string"], "minimum": 1},
                {"enum": [{"a": 1}, "x"]},
            ]
        ),
        st.sampled_from([{"$ref": "#/$defs/Node"}, {"$ref": "#/$defs/Other"}]),
    )


def _deeper(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    some = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.builds(
            lambda items, more: {"type": "array", "items": items, **more},
            inner,
            st.sampled_from([{}, {"minItems": 1}, {"uniqueItems": True}]),
        ),
        st.builds(
            lambda keyword, parts: {keyword: parts},
            st.sampled_from(["anyOf", "oneOf", "allOf"]),
            some,
        ),
        st.builds(lambda part: {"not": part}, inner),
        st.builds(lambda one, two: {"if": one, "then": two}, inner, inner),
        _objects(inner),
    )


@st.composite
def _objects(draw: st.DrawFn, inner: st.SearchStrategy[Schema]) -> Schema:
    parts: st.SearchStrategy[Any] = st.one_of(inner, st.booleans())
    properties = draw(st.dictionaries(_KEYS, parts, max_size=4))
    required = [key for key in properties if draw(st.booleans())]
    schema: Schema = {"type": "object", "properties": properties}
    empty = draw(st.booleans())
    if required or empty:
        schema["required"] = required
    if draw(st.integers(0, 9)) == 0:
        schema["required"] = [*required, "undeclared"]
    choices: list[Any] = ["absent", "absent", False, True, {}, {"type": "integer"}]
    others = draw(st.sampled_from(choices))
    if others != "absent":
        schema["additionalProperties"] = others
    if draw(st.integers(0, 9)) == 0:
        schema["patternProperties"] = {"^x": {"type": "string"}}
    return schema


_ANY = st.recursive(_annotated(_leaves()), lambda inner: _annotated(_deeper(inner)), max_leaves=8)

_DEFINITIONS = {
    "Node": {
        "type": "object",
        "title": "Node",
        "properties": {"next": {"$ref": "#/$defs/Node"}, "name": {"type": "string"}},
        "required": ["name"],
    },
    "Other": {"type": "string", "description": "a text, of a kind"},
}


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """Draw an input schema: an object with fields of every kind, definitions that may refer to themselves."""
    schema = dict(draw(_objects(_ANY)))
    if '"$ref"' in repr(schema).replace("'", '"') or draw(st.booleans()):
        schema["$defs"] = _DEFINITIONS
    if draw(st.booleans()):
        schema["$schema"] = draw(
            st.sampled_from(
                [
                    "http://json-schema.org/draft-07/schema#",
                    "https://json-schema.org/draft/2020-12/schema",
                    "http://json-schema.org/draft-04/schema#",
                ]
            )
        )
    if draw(st.integers(0, 4)) == 0:
        schema["minProperties"] = draw(st.integers(0, 2))
    return schema


values: st.SearchStrategy[Any] = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(_KEYS, inner, max_size=2)),
    max_leaves=4,
)
"""Any value of JSON, small."""


@st.composite
def arguments_for(draw: st.DrawFn, schema: Schema) -> Schema:
    """Draw arguments that often fit *schema*: its own fields, each often with a value of its type."""
    given: Schema = {}
    for key, part in schema.get("properties", {}).items():
        if key in schema.get("required", ()) or draw(st.booleans()):
            given[key] = draw(_fitting(part))
    if draw(st.integers(0, 3)) == 0:
        given[draw(_KEYS)] = draw(values)
    keys = draw(st.permutations(list(given)))
    return {key: given[key] for key in keys}


def _fitting(part: Any) -> st.SearchStrategy[Any]:
    if not isinstance(part, dict):
        return values
    if isinstance(part.get("enum"), list) and part["enum"]:
        return st.one_of(st.sampled_from(part["enum"]), values)
    if "const" in part:
        return st.one_of(st.just(part["const"]), values)
    plain: dict[Any, st.SearchStrategy[Any]] = {
        "string": st.sampled_from(["a", "b", "abc", ""]),
        "integer": st.integers(-2, 4),
        "number": st.sampled_from([0, 1, 0.5, 2.5]),
        "boolean": st.booleans(),
        "null": st.none(),
        "array": st.lists(_SCALARS, max_size=2),
        "object": st.dictionaries(_KEYS, _SCALARS, max_size=2),
    }
    kind = part.get("type")
    if kind == "object" and "properties" in part:
        return arguments_for(part)
    if kind == "array" and "items" in part:
        return st.lists(_fitting(part["items"]), max_size=2)
    return plain[kind] if isinstance(kind, str) else values


_SENTENCES = [
    "Only paths below the roots are taken, as everywhere.",
    "Does it (e.g. once or twice); then it stops!",
    "Is it the one that was asked for at first?",
    "Short.",
]


_SEVERAL = [
    {"type": "integer"},
    {"type": "integer", "minimum": 1, "description": "A number (or so)."},
    {"type": "number", "default": 2, "description": "A number (or so)."},
    {"type": ["integer", "null"], "title": "How many"},
    {"enum": [1, 2]},
    {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
    {"description": "Of any kind, e.g. this; (that"},
    True,
]
"""One field as several actions may see it without a contradiction."""


@st.composite
def alike_tools(draw: st.DrawFn) -> list[Schema]:
    """Draw tools whose fields of one name are of one kind, though they say different things of them."""
    tools = []
    for name in draw(
        st.lists(
            st.sampled_from(["get", "list", "a b", "list_all"]), min_size=2, max_size=4, unique=True
        )
    ):
        keys = draw(
            st.lists(st.sampled_from(["n", "action", "a b", "For"]), max_size=3, unique=True)
        )
        fields = {key: draw(st.sampled_from(_SEVERAL)) for key in keys}
        needed = [key for key in keys if draw(st.booleans())]
        closed = {"additionalProperties": False} if draw(st.booleans()) else {}
        schema = {"type": "object", "properties": fields, "required": needed, **closed}
        tools.append(
            {"name": name, "description": draw(st.sampled_from(_SENTENCES)), "inputSchema": schema}
        )
    return tools


@st.composite
def named_tools(draw: st.DrawFn) -> list[Schema]:
    """Draw the tools of a server, of different names."""
    names = draw(
        st.lists(
            st.sampled_from(
                ["get", "list", "make", "describe", "action", "more", "find", "a b", "x.y", "fs"]
            ),
            min_size=1,
            max_size=5,
            unique=True,
        )
    )
    said = st.one_of(_TEXTS, st.lists(st.sampled_from(_SENTENCES), max_size=3).map(" ".join))
    return [
        {"name": name, "description": draw(said), "inputSchema": draw(schemas())} for name in names
    ]
