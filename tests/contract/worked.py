"""Two tools in the shape of real ones, and how a test changes one of their rules."""

from __future__ import annotations

import copy
from typing import Any

from tests.contract.drawn import Schema

__all__ = ["ORDERS", "REVIEW", "changed"]

ORDERS: Schema = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "status": {"enum": ["draft", "open", "paid"]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "since": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "filter": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "maxLength": 10},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
        },
    },
    "required": ["status"],
}
"""A tool as it was."""

REVIEW: Schema = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "pull_number": {"type": "number"},
        "event": {"type": "string", "enum": ["APPROVE", "REQUEST_CHANGES", "COMMENT"]},
        "comments": {
            "type": "array",
            "items": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"path": {"type": "string"}, "position": {"type": "number"}},
                        "required": ["path", "position"],
                        "additionalProperties": False,
                    },
                    {
                        "type": "object",
                        "properties": {"path": {"type": "string"}, "line": {"type": "number"}},
                        "required": ["path", "line"],
                        "additionalProperties": False,
                    },
                ]
            },
        },
    },
    "required": ["pull_number", "event"],
    "additionalProperties": False,
}
"""A tool of a public server, in its shape: a union of closed objects inside a list."""


def changed(schema: Schema, path: str, value: Any) -> Schema:
    """Return a copy in which the value at a path is another; None takes it out."""
    changed = copy.deepcopy(schema)
    *steps, last = path.split("/")
    at: Any = changed
    for step in steps:
        at = at[int(step)] if isinstance(at, list) else at[step]
    if isinstance(at, list):
        at[int(last)] = value
        if value is None:
            del at[int(last)]
    elif value is None:
        del at[last]
    else:
        at[last] = value
    return changed
