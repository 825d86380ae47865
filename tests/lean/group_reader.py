"""Reads what one tool for several actions says of each of them, written apart from what writes it."""

from __future__ import annotations

from typing import Any

from tests.lean.notation_reader import Reader, normal

__all__ = ["says_every_field"]

Schema = dict[str, Any]


def says_every_field(group: Schema, tools: list[Schema]) -> None:
    """Check that one tool says of each of *tools* what its schema said: kind, need, text, and whose a field is."""
    members = [entry["name"] for entry in tools]
    fields = dict(group["inputSchema"]["properties"])
    assert fields.pop(next(iter(fields))) == {"enum": members}
    said = _squashed(group["description"].replace("\\\\", "\\").replace("\\|", "|"))
    for entry in tools:
        assert _squashed(entry["description"]).removesuffix(".") in said
        schema = entry["inputSchema"]
        if schema.get("additionalProperties") is not False:
            assert "additionalProperties" not in group["inputSchema"]
        for name in fields:
            needed, usable, rest = _users(fields[name].get("description", ""), members)
            own = _own_lines(rest, members)
            always = name in group["inputSchema"]["required"]
            users = list(own) or needed + usable or members
            assert (entry["name"] in users) == (name in schema["properties"])
            assert (always or entry["name"] in needed) == (name in schema.get("required", ()))
            if entry["name"] in own:
                assert normal(own[entry["name"]], name) == normal(schema["properties"][name], name)
            elif name in schema["properties"]:
                merged, part = normal(fields[name], name), normal(schema["properties"][name], name)
                assert rest.removesuffix(".") == part.pop("description", "").removesuffix(".")
                assert {**merged, "description": ""} == {**part, "description": ""}


def _squashed(text: str) -> str:
    return " ".join(text.split())


def _users(text: str, names: list[str]) -> tuple[list[str], list[str], str]:
    """Return which actions need a field, which may give it, and what else its text says."""
    found: dict[str, list[str]] = {}
    for mark in ("For: ", "Required for: "):
        head, sign, tail = text.rpartition(mark)
        listed = tail.split(", ")
        apart = head == "" or head.endswith((". ", "\n"))
        if sign and apart and all(name in names for name in listed):
            found[mark], text = listed, head.removesuffix(". ").removesuffix("\n")
    return found.get("Required for: ", []), found.get("For: ", []), text


def _own_lines(text: str, names: list[str]) -> dict[str, Any]:
    """Return what each action says of a field, where its text has a line for each kind of it; else nothing."""
    reader, said = Reader(text), dict[str, Any]()
    try:
        while reader.place < len(text):
            users: list[str] = []
            while not users or reader.take(", "):
                users.append(
                    next(name for name in sorted(names, key=len, reverse=True) if reader.take(name))
                )
            reader.need(":")
            said |= dict.fromkeys(users, reader.annotated(reader.type()))
            if reader.place < len(text):
                reader.need("\n")
    except (AssertionError, IndexError, StopIteration):
        return {}
    return said
