"""JSON-RPC as bytes: what kind of message it is, whose, and how one is put together without decoding what it carries.

Only the parts that are asked for are decoded; the others stay the bytes they were, also where no strict reader takes them.
What cannot be read so is None to the caller, who passes it on as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from econome.lean.proxy import loose

__all__ = [
    "INTERNAL", "Head", "Key", "Params", "answered", "failed", "head_of", "joined", "json_of", "key_of", "members",
    "notified", "params_of", "parts", "requested", "told", "value_of",
]  # fmt: skip

Key = tuple[str, object]
"""An id as it is compared: its JSON type and its value."""

INTERNAL: Final = -32603
"""The code of an error that is nobody's message."""

_NONE: Final = Raw()
_EMPTY: Final = Raw(b'""')


class Head(Struct):
    """The members of a message; one that it lacks is empty."""

    id: Raw = _NONE
    method: str = ""
    params: Raw = _NONE
    result: Raw = _NONE
    error: Raw = _NONE


class Params(Struct):
    """What is looked at of the parameters of a request."""

    name: str = ""
    arguments: Raw = _NONE
    cursor: Raw = _NONE
    meta: dict[str, Raw] = msgspec.field(default_factory=dict, name="_meta")
    client: Raw = msgspec.field(default=_NONE, name="clientInfo")
    request: Raw = msgspec.field(default=_NONE, name="requestId")


_HEAD = msgspec.json.Decoder(Head).decode
_PARAMS = msgspec.json.Decoder(Params).decode
_MEMBERS = msgspec.json.Decoder(dict[str, Raw]).decode
_PARTS = msgspec.json.Decoder(list[Raw]).decode
_VALUE = msgspec.json.Decoder().decode
_TEXT = msgspec.json.Encoder().encode
_FAULTS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def head_of(message: bytes) -> Head | None:
    """Return the members of a message, None where it is none: a batch, or no JSON."""
    try:
        return _HEAD(message)
    except _FAULTS:
        return _slowly(message)


def _slowly(message: bytes) -> Head | None:
    """Read what the fast decoder refuses: NaN, half a surrogate pair, what is nested too deeply for it."""
    held = members(message)
    method = _text(held.get("method", _EMPTY)) if held is not None else None
    if held is None or method is None:
        return None
    return Head(
        held.get("id", _NONE),
        method,
        *(held.get(name, _NONE) for name in ("params", "result", "error")),
    )


def _text(raw: Raw) -> str | None:
    try:
        found = value_of(raw)
    except ValueError:
        return None
    return found if isinstance(found, str) else None


def params_of(raw: Raw) -> Params | None:
    """Return what is looked at of parameters, None where they are no object; absent and odd ones are empty."""
    if not bytes(raw):
        return Params()
    try:
        return _PARAMS(raw)
    except _FAULTS:
        held = members(raw)
    if held is None:
        return None
    names = ("arguments", "cursor", "clientInfo", "requestId")
    arguments, cursor, client, request = (held.get(name, _NONE) for name in names)
    meta = members(held.get("_meta", _NONE)) or {}
    return Params(_text(held.get("name", _EMPTY)) or "", arguments, cursor, meta, client, request)


def members(raw: bytes | Raw) -> dict[str, Raw] | None:
    """Return the members of an object, each as its bytes; None where it is no object."""
    try:
        return _MEMBERS(raw)
    except _FAULTS:
        held = loose.members(bytes(raw))
    return None if held is None else {name: Raw(value) for name, value in held.items()}


def parts(raw: bytes | Raw) -> list[Raw] | None:
    """Return the elements of a list, each as its bytes; None where it is no list."""
    try:
        return _PARTS(raw)
    except _FAULTS:
        held = loose.elements(bytes(raw))
    return None if held is None else [Raw(value) for value in held]


def value_of(raw: bytes | Raw) -> Any:
    """Return the value that JSON stands for.

    Raises:
        ValueError: it is no JSON, nested beyond reading, or holds a number that is beyond a double.
    """
    try:
        return _VALUE(raw)
    except _FAULTS:
        pass
    try:
        return json.loads(bytes(raw).decode("utf-8"), parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value - value != 0.0:
        raise ValueError(f"{text} is beyond a double")
    return value


def json_of(value: object) -> bytes:
    """Return a value as JSON without spaces.

    Raises:
        ValueError: it holds a number that is not finite.
    """
    try:
        return _TEXT(value)
    except (UnicodeEncodeError, TypeError, ValueError):
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def key_of(raw: Raw | bytes) -> Key | None:
    """Return how an id is compared, None where there is none: an absent one and null."""
    held = bytes(raw)
    if not held or held == b"null":
        return None
    if held.isdigit() and (held[:1] != b"0" or len(held) == 1):
        return "number", int(held) if len(held) < 19 else held
    try:
        value = value_of(held)
    except ValueError:
        return "raw", held
    if isinstance(value, str):
        return "string", value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "number", value
    return "raw", held


def requested(identity: bytes, method: str, params: bytes) -> bytes:
    """Return a request."""
    return b"".join(
        (b'{"jsonrpc":"2.0","id":', identity, b',"method":', json_of(method), b',"params":', params, b"}")
    )  # fmt: skip


def notified(method: str, params: bytes) -> bytes:
    """Return a notification."""
    return b"".join((b'{"jsonrpc":"2.0","method":', json_of(method), b',"params":', params, b"}"))


def answered(identity: bytes, result: bytes) -> bytes:
    """Return an answer."""
    return b"".join((b'{"jsonrpc":"2.0","id":', identity, b',"result":', result, b"}"))


def told(identity: bytes, text: str, *, failed: bool, modern: bool) -> bytes:
    """Return an answer to a call of a tool that is one text, which a model reads; *modern* as 2026-07-28 has it."""
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}]}
    if failed:
        result["isError"] = True
    if modern:
        result["resultType"] = "complete"
    return answered(identity, json_of(result))


def failed(identity: bytes, reason: str, code: int = INTERNAL, data: object = None) -> bytes:
    """Return an answer that is an error; where it is to no request that is known, *identity* is empty."""
    error = {"code": code, "message": reason} | ({} if data is None else {"data": data})
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (identity or b"null", json_of(error))


def joined(held: Mapping[str, bytes | Raw]) -> bytes:
    """Return an object whose members are these bytes."""
    pairs = (b"%b:%b" % (json_of(name), bytes(raw)) for name, raw in held.items())
    return b"{" + b",".join(pairs) + b"}"
