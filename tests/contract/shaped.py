"""Output schemas of records and lists, and tools that declare them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}


def record(fields: int, **more: Any) -> Schema:
    """Return the schema of an object with so many fields, and *more* of them."""
    return {"type": "object", "properties": {f"f{at}": TEXT for at in range(fields)} | more}


def rows(of: Schema, **bounds: Any) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": of, **bounds}


def answering(schema: object) -> Mapping[str, Any]:
    """Return a tool that declares what it answers."""
    return {"name": "get", "inputSchema": {"type": "object"}, "outputSchema": schema}
