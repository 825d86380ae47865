"""The text of `econome.lock`: written the same for equal promises, and read back whole or not at all.

Each tool, prompt and resource has a line of its own, so that a change shows where it is; without the line ends the text is
JSON as RFC 8785 writes it. It carries the digest of its own body: who edits it has to lock anew. It opens no file.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from econome.contract.canonical import canonical, digest, number
from econome.errors import LockBroken

__all__ = ["FILE", "FORMAT", "Lock", "check", "read", "written"]

FILE: Final = "econome.lock"

FORMAT: Final = 1
"""The number of the form that is written, and the only one that is read."""

_ENTRIES = ("prompts", "resources", "templates", "tools")
"""The members of a server whose entries have a line each."""

_MARKERS = re.compile(r"^(?:<{7}|={7}|>{7})(?: |\r?$)", re.MULTILINE)

_LONG: Final = 400
"""A number of so many digits is beyond every double."""

_Number = Annotated[int, Meta(ge=0)]
_Limit = Annotated[int, Meta(ge=1)]
_Class = Literal["low", "medium", "high", "critical"]


@dataclass(frozen=True, slots=True)
class Lock:
    """What servers promise, by the name of each, as `promises.promise` tells it, with tokens of one *tokenizer*."""

    tokenizer: str
    servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def written(lock: Lock) -> bytes:
    """Return the file of a lock: equal locks have equal bytes.

    Raises:
        ValueError: something in it has no JSON form; what `promises.promise` returned has one.
    """
    servers = _lines((name, _server_lines(dict(server))) for name, server in lock.servers.items())
    rest = b'"format":%d,"servers":%b,"tokenizer":%b}' % (
        FORMAT,
        servers,
        canonical(lock.tokenizer),
    )
    body = hashlib.sha256(b"{" + rest.replace(b"\n", b"")).hexdigest()
    return b'{"digest":"sha256:%b",\n%b\n' % (body.encode(), rest)


def _server_lines(server: dict[str, Any]) -> bytes:
    return _lines(
        (
            key,
            _lines((name, canonical(entry)) for name, entry in value.items())
            if key in _ENTRIES and isinstance(value, dict)
            else canonical(value),
        )
        for key, value in server.items()
    )


def _lines(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Return an object in canonical order, with a line for each of its members."""
    ordered = sorted(members, key=lambda member: member[0].encode("utf-16-be", "surrogatepass"))
    if not ordered:
        return b"{}"
    return b"{\n%b\n}" % b",\n".join(canonical(key) + b":" + text for key, text in ordered)


def read(data: bytes, path: str) -> Lock:
    """Return the lock in the bytes of a file; *path* is what errors call it.

    Its digest was verified and its shape checked: who reads it on may rely on the types that `promises.promise` tells.

    Raises:
        LockBroken: it is no lock, of another format, or not as it was written.
    """
    body = _decoded(data, path)
    form = body.get("format")
    if type(form) is not int or not isinstance(body.get("digest"), str):
        raise LockBroken(path, "it is JSON and no lock; make one with `econome lock`")
    if form != FORMAT:
        age = "a newer" if form > FORMAT else "an older"
        raise LockBroken(
            path,
            f"it is of format {form}, this econome reads {FORMAT}; use {age} econome, or lock anew",
        )
    told = body.pop("digest")
    if told != _digest(body, path):
        raise LockBroken(
            path,
            "its digest does not match: it was edited by hand, or a merge went wrong; lock anew",
        )
    _checked(body, _Body, path)
    for server in body["servers"].values():
        _check_names(server, path)
    if not _is_as_written(data, told):
        raise LockBroken(path, "it is not as econome wrote it, though it says the same; lock anew")
    return Lock(body["tokenizer"], body["servers"])


def _is_as_written(data: bytes, told: str) -> bool:
    """Tell whether bytes that have the digest *told* are canonical too, apart from their line ends."""
    flat = data.replace(b"\r\n", b"\n").replace(b"\n", b"")
    head = b'{"digest":"%b",' % told.encode()
    body = hashlib.sha256(b"{" + flat[len(head) :]).hexdigest()
    return flat.startswith(head) and told == f"sha256:{body}"


def check(server: Mapping[str, Any], path: str) -> None:
    """See that what is told of a server is of the shape that a lock holds; *path* is what an error calls it.

    Raises:
        LockBroken: it is not.
    """
    _checked(server, _Server, path)
    _check_names(server, path)


def _decoded(data: bytes, path: str) -> dict[str, Any]:
    """Return the object in the bytes of a file."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise LockBroken(path, f"byte {error.start + 1} is not UTF-8") from None
    try:
        body = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_number,
            parse_float=_number,
            parse_constant=_refuse,
        )
    except RecursionError:
        raise LockBroken(path, "it is nested too deep to be a lock") from None
    except json.JSONDecodeError as error:
        if _MARKERS.search(text):
            raise LockBroken(
                path, "git left its conflict markers in it; take either side, then lock anew"
            ) from None
        raise LockBroken(path, f"line {error.lineno}: it is no JSON") from None
    except ValueError as error:
        raise LockBroken(path, f"it is no lock: {error}") from None
    if not isinstance(body, dict):
        raise LockBroken(path, "it is JSON and no lock; make one with `econome lock`")
    return body


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of its members; where a key stands twice, readers do not agree on its value."""
    made = dict(members)
    if len(made) != len(members):
        keys = Counter(key for key, _ in members)
        twice = json.dumps(next(key for key in keys if keys[key] > 1))
        raise ValueError(f"the key {twice} stands twice in one object")
    return made


def _number(digits: str) -> int | float:
    return number(
        int(digits) if len(digits) < _LONG and digits.lstrip("-").isdigit() else float(digits)
    )


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _digest(body: Mapping[str, Any], path: str) -> str:
    try:
        return digest(dict(body))
    except ValueError as error:
        raise LockBroken(path, f"it is no lock: {error}") from None


class _Economy(Struct):
    """What the library does for a tool, where it says so; a newer one may say more."""

    limit: _Limit | UnsetType = UNSET
    rows: str | UnsetType = UNSET
    max_bytes: _Limit | UnsetType = UNSET
    more: bool | UnsetType = UNSET
    repeats: bool | UnsetType = UNSET
    select: list[str] | UnsetType = UNSET
    table: bool | UnsetType = UNSET
    states: list[str] | UnsetType = UNSET
    event: str | UnsetType = UNSET
    short: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    namespace: str | UnsetType = UNSET
    rules: str | UnsetType = UNSET
    row_rules: str | UnsetType = UNSET
    ui: str | UnsetType = UNSET
    suggestions: str | UnsetType = UNSET
    invalidates: list[str] | UnsetType = UNSET
    guards: _Number | UnsetType = UNSET


class _Tool(Struct, forbid_unknown_fields=True):
    declared: dict[str, Any]
    economy: _Economy
    namespace: str
    tokens: _Number
    short_tokens: _Number | None
    class_: _Class = msgspec.field(name="class")
    fields: _Number
    collections: list[str]
    reason: str


class _Machine(Struct):
    initial: str
    states: dict[str, dict[str, str]]


class _Menu(Struct, forbid_unknown_fields=True):
    form: str
    tokens: _Number
    tools: _Number
    listed: dict[str, dict[str, Any]]


class _Server(Struct, forbid_unknown_fields=True):
    instructions: str
    capabilities: dict[str, Any]
    machine: _Machine | None
    menu: _Menu
    class_: _Class = msgspec.field(name="class")
    namespaces: dict[str, _Number]
    tools: dict[str, _Tool]
    prompts: dict[str, dict[str, Any]]
    resources: dict[str, dict[str, Any]]
    templates: dict[str, dict[str, Any]]


class _Body(Struct, forbid_unknown_fields=True):
    format: int
    servers: dict[str, _Server]
    tokenizer: str


def _checked(value: Any, kind: type[Struct], path: str) -> None:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise LockBroken(path, f"it is not of the shape of a lock: {error}") from None


def _check_names(server: Mapping[str, Any], path: str) -> None:
    """See that each entry stands under its own name, and that a menu lists as many tools as it says."""
    menu = server["menu"]
    if menu["listed"] and len(menu["listed"]) != menu["tools"]:
        raise LockBroken(path, "it is not of the shape of a lock: its menu lists other tools")
    for kind, key in (
        ("tools", "name"),
        ("prompts", "name"),
        ("resources", "uri"),
        ("templates", "uriTemplate"),
        ("listed", "name"),
    ):
        for name, entry in (menu if kind == "listed" else server)[kind].items():
            if (entry["declared"] if kind == "tools" else entry).get(key) != name:
                raise LockBroken(
                    path,
                    f"it is not of the shape of a lock: {json.dumps(name)} is not its own name",
                )
