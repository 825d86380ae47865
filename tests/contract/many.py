"""A large MCP server over standard input and output, of the standard library alone: 741 tools made by rule, the same at every run.

`--tools N` lists the first N, `--pages N` so many on a page. `--changed none|texts|all` is what a later version did: nothing,
reworded every tool, or gave every schema another bound, one more field and a new text, so that each has to be compared.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections.abc import Sequence
from typing import Any

__all__ = ["NOUNS", "TOOLS", "VERBS", "changed", "tools"]

TOOLS = 741
"""How many there are: each thing with each verb."""

NOUNS = (
    *("account", "address", "alert", "article", "asset", "booking", "branch", "budget", "campaign"),
    *("comment", "contact", "contract", "coupon", "customer", "dashboard", "deployment", "device"),
    *(
        "document",
        "employee",
        "expense",
        "feature",
        "form",
        "incident",
        "invoice",
        "issue",
        "label",
    ),
    *("meeting", "milestone", "order", "payment", "pipeline", "product", "project", "quote"),
    *("release", "report", "shipment", "ticket", "webhook"),
)
VERBS = (
    *("list", "get", "create", "update", "delete", "search", "archive", "restore", "copy", "move"),
    *("share", "export", "import", "tag", "assign", "approve", "count", "history", "watch"),
)

_STATES = (
    ("draft", "active", "paused", "closed"),
    ("open", "pending", "resolved", "rejected", "expired"),
    ("new", "queued", "running", "failed", "done", "cancelled"),
)
_OWN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("title", {"type": "string", "minLength": 1, "maxLength": 200}),
    ("note", {"type": "string", "description": "Free text, shown beside the entry."}),
    ("amount", {"type": "number", "minimum": 0, "description": "In the currency of the account."}),
    ("currency", {"type": "string", "pattern": "^[A-Z]{3}$"}),
    ("quantity", {"type": "integer", "minimum": 1, "maximum": 10000}),
    ("due_on", {"type": "string", "format": "date", "description": "The day it is due."}),
    ("owner_id", {"type": "string", "format": "uuid"}),
    ("email", {"type": "string", "format": "email"}),
    ("public", {"type": "boolean", "default": False}),
    ("labels", {"type": "array", "items": {"type": "string"}, "maxItems": 20}),
    ("priority", {"type": ["integer", "null"], "minimum": 1, "maximum": 5}),
)
_ADDRESS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "street": {"type": "string"},
        "city": {"type": "string"},
        "postcode": {"type": "string", "maxLength": 12},
        "country": {"type": "string", "pattern": "^[A-Z]{2}$"},
    },
    "required": ["street", "city", "country"],
    "additionalProperties": False,
}
_WHAT = {
    "list": "List {0} entries page by page, newest first, each with its state and owner.",
    "get": "Read one {0} with all its fields, by its id.",
    "create": "Create a {0}. Fields that are left out take the defaults of the workspace.",
    "update": "Change fields of one {0}; what is not named stays as it is.",
    "delete": "Delete a {0} for good. Use archive_{0} to hide it instead.",
    "search": "Search {0} entries by words and by any mix of filters.",
    "archive": "Hide one or many {0} entries from lists without deleting them.",
    "restore": "Bring archived {0} entries back.",
    "copy": "Copy a {0}, with what belongs to it where that is asked for.",
    "move": "Move a {0} to another workspace or below another entry.",
    "share": "Give people or groups access to a {0}.",
    "export": "Export {0} entries as a file in one of several formats.",
    "import": "Import {0} entries from rows; nothing is kept where one row is wrong.",
    "tag": "Set, add or take away tags of {0} entries.",
    "assign": "Make a person responsible for a {0}.",
    "approve": "Approve or decline a {0}, with a reason.",
    "count": "Count {0} entries by state, owner or month.",
    "history": "Tell who changed what of a {0}, and when.",
    "watch": "Be told when a {0} changes.",
}


def _number(*words: str) -> int:
    return zlib.crc32(" ".join(words).encode())


def _states(noun: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(_STATES[_number(noun) % len(_STATES)])}


def _own(noun: str, verb: str, count: int) -> dict[str, Any]:
    """Return *count* fields of a thing, some of them objects of their own."""
    first = _number(noun, verb)
    picked = dict(_OWN[(first + 3 * step) % len(_OWN)] for step in range(count))
    if first % 4 == 0:
        picked["address"] = _ADDRESS
    if first % 4 == 1:
        line = {"product_id": {"type": "string"}, "price": {"type": "number", "minimum": 0}}
        picked["lines"] = {
            "type": "array",
            "minItems": 1,
            "items": {"type": "object", "properties": line, "required": list(line)},
        }
    return picked


def _filter(noun: str) -> dict[str, Any]:
    between = {"type": "object", "properties": {"from": _OWN[5][1], "until": _OWN[5][1]}}
    fields = {"state": {"type": "array", "items": _states(noun)}, "owner_id": _OWN[6][1]}
    return {
        "type": "object",
        "description": f"Only {noun} entries for which all of this holds.",
        "properties": {**fields, "created": between, "archived": _OWN[8][1]},
        "additionalProperties": False,
    }


def _fields(noun: str, verb: str) -> tuple[dict[str, Any], list[str]]:
    """Return the properties of a tool's arguments, and which of them are required."""
    one = {"type": "string", "description": f"The id of the {noun}.", "minLength": 8}
    ids = {"type": "array", "items": one, "minItems": 1, "maxItems": 100}
    page = {
        "limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50},
        "cursor": {"type": "string", "description": "Where the last page ended."},
    }
    order = {"type": "string", "enum": ["created", "updated", "title", "state"]}
    named = {f"{noun}_id": one}
    many = {f"{noun}_ids": ids}
    match verb:
        case "list":
            return {**page, "filter": _filter(noun), "order_by": order}, []
        case "search":
            words = {"type": "string", "minLength": 2, "description": "All of them are looked for."}
            return {"query": words, "filter": _filter(noun), **page, "order_by": order}, ["query"]
        case "create":
            own = _own(noun, verb, 6)
            return {**own, "state": _states(noun)}, list(own)[:2]
        case "update":
            return {**named, **_own(noun, verb, 6), "state": _states(noun)}, list(named)
        case "import":
            row = {"type": "object", "properties": _own(noun, verb, 5), "required": []}
            rows = {"type": "array", "items": row, "minItems": 1, "maxItems": 1000}
            return {"rows": rows, "dry_run": {"type": "boolean", "default": True}}, ["rows"]
        case "share":
            who = {"user_id": {"type": "string"}}, {"group": {"type": "string"}}
            kinds = [{"type": "object", "properties": w, "required": list(w)} for w in who]
            role = {"type": "string", "enum": ["reader", "writer", "owner"], "default": "reader"}
            whom = {"type": "array", "items": {"anyOf": kinds}, "minItems": 1}
            return {**named, "with": whom, "role": role}, [*named, "with"]
        case "export":
            forms = {"type": "string", "enum": ["csv", "json", "xlsx", "pdf"]}
            columns = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
            return {"format": forms, "columns": columns, "filter": _filter(noun)}, ["format"]
        case "archive" | "restore" | "tag":
            tags = {"type": "array", "items": {"type": "string", "maxLength": 40}}
            mode = {"type": "string", "enum": ["set", "add", "remove"], "default": "add"}
            more = {"tags": tags, "mode": mode} if verb == "tag" else {"reason": _OWN[1][1]}
            return {**many, **more}, list(many)
        case "count":
            by = {"type": "string", "enum": ["state", "owner", "month"]}
            return {"by": by, "filter": _filter(noun)}, ["by"]
        case _:
            own = _own(noun, verb, 3)
            return {**named, **own, "notify": {"type": "boolean", "default": True}}, list(named)


def _tool(noun: str, verb: str) -> dict[str, Any]:
    properties, required = _fields(noun, verb)
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    reads = verb in {"list", "get", "search", "export", "count", "history"}
    return {
        "name": f"{noun}_{verb}",
        "title": f"{verb.title()} {noun}",
        "description": _WHAT[verb].format(noun),
        "inputSchema": schema,
        "annotations": {"readOnlyHint": reads, "destructiveHint": verb == "delete"},
    }


def tools(count: int = TOOLS) -> list[dict[str, Any]]:
    """Return the first *count* tools as a server lists them."""
    made = [_tool(noun, verb) for noun in NOUNS for verb in VERBS]
    return made[:count]


def changed(listed: Sequence[dict[str, Any]], how: str) -> list[dict[str, Any]]:
    """Return what a later version lists in place of *listed*: `none`, `texts` or `all`."""
    if how == "none":
        return list(listed)
    reworded = [{**one, "description": f"{one['description']} See the guide."} for one in listed]
    if how == "texts":
        return reworded
    for one in reworded:
        schema = json.loads(json.dumps(one["inputSchema"]))
        first = next(iter(schema["properties"].values()))
        bounds = {"string": "minLength", "integer": "minimum", "number": "minimum"}
        kind = first["type"] if isinstance(first["type"], str) else "integer"
        name = bounds.get(kind, "minItems" if kind == "array" else "description")
        first[name] = first.get(name, 1) + 1 if name != "description" else "Reworded."
        schema["properties"]["trace"] = {"type": "string", "description": "Kept with the entry."}
        one["inputSchema"] = schema
    return reworded


def _answer(asked: dict[str, Any], listed: list[dict[str, Any]], page: int) -> dict[str, Any]:
    match asked["method"]:
        case "initialize":
            info = {"name": "many", "version": "1.0.0"}
            version = asked["params"]["protocolVersion"]
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            start = int((asked.get("params") or {}).get("cursor") or 0)
            until = start + page
            more = {"nextCursor": str(until)} if until < len(listed) else {}
            return {"tools": listed[start:until], **more}
        case _:
            return {}


def _serve() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", type=int, default=TOOLS)
    parser.add_argument("--pages", type=int, default=TOOLS)
    parser.add_argument("--changed", choices=("none", "texts", "all"), default="none")
    options = parser.parse_args()
    listed = changed(tools(options.tools), options.changed)
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        if "id" in asked and "method" in asked:
            result = _answer(asked, listed, options.pages)
            message = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
            sys.stdout.buffer.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    _serve()
