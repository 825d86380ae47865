"""A signature says all of a schema: what a reader of its own gets back is the schema again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given

from econome.lean.actions import action_of
from econome.lean.signatures import listing, signature, skeleton
from tests.conftest import REPOSITORY
from tests.lean.notation_reader import normal, read_listing, read_signature, said_by
from tests.lean.schemas import FILES, count, named_tools, schemas, tool
from tests.requirements import requirement

pytestmark = requirement("L2")

Schema = dict[str, Any]


def _without_dialect(said: tuple[str, Any, str], read: Any) -> tuple[str, Any, str]:
    """Leave out the dialect where the signature does: it says nothing where every dialect reads the schema alike."""
    name, schema, description = said
    if "$schema" not in read:
        schema.pop("$schema", None)
    return name, schema, description


def test_a_signature_is_written_as_it_is_documented() -> None:
    assert signature(action_of(FILES[0])) == (
        "read_lines(path (Path from a root (no leading slash)), first?:integer<1..>=1 (First line), last?:integer|null): "
        f"{FILES[0]['description']}"
    )
    assert signature(action_of(FILES[2]), text=False) == (
        'find_text(pattern:string<minLength=1,format=regex,pattern="^[^\\\\n]+$">, '
        "paths?:(string (One (or more)))[]<minItems=1,uniqueItems=true>, "
        "options?:{case:boolean=false, around?:integer<0..9>}$)"
    )


def test_a_skeleton_has_fields_and_types_alone() -> None:
    assert skeleton(action_of(FILES[1])) == "(path, text, mode?:'new'|'append'|'replace')"


@given(schemas())
def test_a_signature_read_back_is_the_whole_schema(schema: Schema) -> None:
    tool = {"name": "a_tool", "description": "does: this (and that)", "inputSchema": schema}
    name, read, description = read_signature(signature(action_of(tool)))
    assert (name, normal(read, name), description) == _without_dialect(said_by(tool), read)


@given(named_tools())
def test_a_listing_read_back_is_every_tool_whole(tools: list[Schema]) -> None:
    actions = [action_of(tool) for tool in tools]
    read = read_listing(
        listing(actions, count).text(), [tool["name"] for tool in tools], lambda _: "$defs"
    )
    assert [(name, normal(schema, name), text) for name, schema, text in read] == [
        _without_dialect(said_by(tool), schema)
        for tool, (_, schema, _) in zip(tools, read, strict=True)
    ]


def test_what_stands_in_several_actions_is_written_once() -> None:
    tools = FILES[:2]
    written = listing([action_of(tool) for tool in tools], count)
    assert written.shared == "Shared: path (Path from a root (no leading slash))"
    assert written.notes == "[1] Only paths below the roots that the client gave are taken."
    assert written.lines[1] == (
        "write_text(path, text, mode?:'new'|'append'|'replace'='new'): Write a text to a file; what it held is lost! [1]"
    )
    read = read_listing(written.text(), [tool["name"] for tool in tools], lambda _: "$defs")
    assert [(name, normal(schema, name), text) for name, schema, text in read] == [
        said_by(tool) for tool in tools
    ]


def _closed(entry: Schema, closed: bool = True) -> Schema:
    return {**entry, "inputSchema": {**entry["inputSchema"], "additionalProperties": not closed}}


def test_where_most_objects_are_closed_the_open_ones_are_marked() -> None:
    tools = [_closed(FILES[1]), _closed({**FILES[1], "name": "other"}), _closed(FILES[0], False)]
    written = listing([action_of(entry) for entry in tools], count)
    assert written.legend.endswith("; no other fields")
    assert written.lines[0].startswith("write_text(path, text, mode?)")
    assert written.lines[2].startswith(
        "read_lines(path, first?:integer<1..>=1 (First line), last?:integer|null, ...): "
    )
    marked = listing([action_of(entry) for entry in (*tools[1:], FILES[2])], count)
    assert marked.legend.endswith("; no other fields where $")
    assert marked.lines[0].startswith("other(path, text, mode?:'new'|'append'|'replace'='new')$: ")


def test_a_strict_action_takes_no_other_fields() -> None:
    strict = replace(action_of(FILES[1]), strict=True)
    assert signature(strict, text=False).endswith("mode?:'new'|'append'|'replace'='new')$")


def test_definitions_of_one_name_are_each_action_s_own() -> None:
    def using(name: str, kind: str) -> Schema:
        node = {"$ref": "#/$defs/Node"}
        schema = {
            "type": "object",
            "properties": {"n": {**node, "description": "The node, or the one that it stands for"}},
        }
        return {
            "name": name,
            "inputSchema": {**schema, "$defs": {"Node": {"type": kind, "description": "Its own"}}},
        }

    written = listing([action_of(using("a", "integer")), action_of(using("b", "boolean"))], count)
    assert written.shared == ""
    assert written.lines == (
        "a(n?:#Node (The node, or the one that it stands for)) where Node:integer (Its own)",
        "b(n?:#Node (The node, or the one that it stands for)) where Node:boolean (Its own)",
    )


def test_a_text_with_a_mark_of_its_own_is_left_as_it_is() -> None:
    tools = [{**tool, "description": f"{tool['description']} See [1]."} for tool in FILES[:2]]
    assert listing([action_of(tool) for tool in tools], count).notes == ""


def test_the_page_shows_a_listing_as_it_is_written() -> None:
    path = {"type": "string", "description": "Path from a root"}
    whole = "{text} Only paths below the roots are taken."
    tools = [
        tool(
            "read_lines",
            whole.format(text="Read some lines of a text."),
            ("path",),
            path=path,
            first={"type": "integer", "minimum": 1, "default": 1, "description": "First line"},
            last={"type": ["integer", "null"], "default": None},
        ),
        tool(
            "write_text",
            whole.format(text="Write a text to a file."),
            ("path", "text"),
            path=path,
            text="string",
            mode={"enum": ["new", "append"], "default": "new"},
        ),
        tool(
            "find_text",
            whole.format(text="Find a pattern."),
            ("pattern",),
            pattern={"type": "string", "minLength": 1, "format": "regex"},
            options={
                "type": "object",
                "properties": {
                    "case": {"type": "boolean"},
                    "around": {"type": "integer", "minimum": 0, "maximum": 9},
                },
                "required": ["case"],
                "additionalProperties": False,
            },
        ),
    ]
    page = (REPOSITORY / "docs" / "menus.md").read_text(encoding="utf-8")
    assert f"```text\n{listing([action_of(entry) for entry in tools], count).text()}\n```" in page
