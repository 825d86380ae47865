"""One line of a recording as the JSON-RPC messages in it: plain, wrapped, in a batch, or behind the prefix of a log.

It knows how messages are written down, by Claude Desktop in its `mcp-server-*.log` among others, and not what they mean.
Whatever a line holds, nothing is raised.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

__all__ = ["LONGEST", "Heard", "heard", "lines_of"]

LONGEST = 64_000_000
"""Bytes of a line that is looked at."""

_WRAPPERS = ("message", "msg", "payload", "data", "body")
_DIRECTIONS = ("direction", "dir", "from", "sender", "side", "source", "origin")
_SERVERS = ("server", "server_name", "serverName")
_CHANNELS = ("session", "session_id", "sessionId", "connection", "connection_id", *_SERVERS)
_DEEPEST = 4
_TRIES = 4
_LONGEST_NAME = 200

_BEGUN = re.compile(r"\{\s*\"|\[\s*\{")
_FROM = re.compile(r"\b(?:from|to) (?:the )?(client|server)\b", re.IGNORECASE)
_BRACKETED = re.compile(r"\[([^\[\]]{1,100})\]")
_LEVELS = frozenset({"debug", "error", "info", "log", "notice", "trace", "warn", "warning"})
_STAMP = re.compile(r"[\d:.,TZ +/-]+")
_SAYS_CLIENT = ("client", "c2s", "c->s", "from client", "from_client", "to server", "to_server")
_SAYS_SERVER = ("server", "s2c", "s->c", "from server", "from_server", "to client", "to_client")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Heard:
    """One message: who sent it (`client`, `server`, None where nothing says so), on which channel, and its object.

    *server* is the name of the server that it is to or from, empty where the recording names none.
    """

    sender: str | None
    channel: str
    message: Mapping[str, Any]
    server: str = ""


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Return the lines of a file, each as soon as it is there; of one that is too long only so much as shows that it is."""
    while line := file.readline(LONGEST + 1):
        yield line
        while len(line) > LONGEST and not line.endswith(b"\n"):
            line = file.readline(LONGEST + 1)


def heard(line: bytes) -> tuple[list[Heard], str]:
    """Return the messages of a line, and why there are none: empty for a blank line and where there are some."""
    if len(line) > LONGEST:
        return [], "too long"
    text = line.decode("utf-8", "replace").strip("\ufeff \t\r\n\0")
    if not text:
        return [], ""
    value, prefix, reason = _read(text)
    if reason:
        return [], reason
    found = list(_messages(value, _told(prefix), _DEEPEST))
    return found, "" if found else "no message"


def _read(text: str) -> tuple[Any, str, str]:
    """Return the JSON of a line, what stands before it, and why there is none."""
    if text[0] in "{[":
        value, fault = _decoded(text, 0)
        if not fault:
            return value, "", ""
    fault = "no JSON"
    for number, begun in enumerate(_BEGUN.finditer(text)):
        if number == _TRIES:
            break
        value, fault = _decoded(text, begun.start())
        if not fault:
            return value, text[: begun.start()], ""
    return None, "", fault


def _decoded(text: str, at: int) -> tuple[Any, str]:
    try:
        return _DECODER.raw_decode(text, at)[0], ""
    except (ValueError, RecursionError):
        return None, "broken JSON"


@dataclass(frozen=True, slots=True)
class _Around:
    """What is said around a message: who sent it, on which channel, and the name of a server."""

    sender: str | None = None
    channel: str = ""
    server: str = ""


def _told(prefix: str) -> _Around:
    """Return what the prefix of a log says: `[info] [name] Message from client: ` names a server, `[name] ` a channel."""
    said = _FROM.search(prefix)
    names = [
        name
        for name in _BRACKETED.findall(prefix)
        if name.lower() not in _LEVELS and not _STAMP.fullmatch(name)
    ]
    name = names[0] if names else ""
    return _Around(_sender(said[0]), name, name) if said else _Around(channel=name)


def _sender(text: object) -> str | None:
    if not isinstance(text, str):
        return None
    said = text.strip().lower().replace("→", "->")
    for begun in _SAYS_CLIENT:
        if said.startswith(begun):
            return "client"
    for begun in _SAYS_SERVER:
        if said.startswith(begun):
            return "server"
    return None


def _messages(value: object, around: _Around, deeper: int) -> Iterator[Heard]:
    if isinstance(value, list):
        for one in value if deeper else ():
            yield from _messages(one, around, deeper - 1)
        return
    if not isinstance(value, dict) or not deeper:
        return
    if _is_message(value):
        yield Heard(around.sender, around.channel, value, around.server)
        return
    around = _wrapped(value, around)
    for key in _WRAPPERS:
        inner, within = value.get(key), around
        if isinstance(inner, str):
            inner, prefix, _ = _read(inner.strip()) if inner.strip() else (None, "", "")
            said = _told(prefix)
            within = _Around(
                around.sender or said.sender,
                around.channel or said.channel,
                around.server or said.server,
            )
        found = list(_messages(inner, within, deeper - 1))
        if found:
            yield from found
            return


def _wrapped(value: Mapping[str, Any], around: _Around) -> _Around:
    """Return what the keys of an object say around the message in it."""
    sender, channel, server = around.sender, around.channel, around.server
    for key in _DIRECTIONS:
        sender = _sender(value.get(key)) or sender
    for key in _CHANNELS:
        own = value.get(key)
        if isinstance(own, str | int) and len(str(own)) <= _LONGEST_NAME:
            channel = f"{channel}/{own}"
    for key in _SERVERS:
        own = value.get(key)
        if isinstance(own, str) and len(own) <= _LONGEST_NAME:
            server = own
    return _Around(sender, channel, server)


def _is_message(value: Mapping[str, Any]) -> bool:
    """Tell whether an object is a message of JSON-RPC; `jsonrpc` itself is often left out of a log."""
    if isinstance(value.get("method"), str):
        return "jsonrpc" in value or "params" in value or "id" in value
    return "id" in value and ("result" in value or isinstance(value.get("error"), dict))
