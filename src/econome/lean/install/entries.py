"""What a client's entry of a server becomes when it goes through the proxy, and which entries are better left alone.

An entry is the JSON text that starts or reaches one server. What the proxy is not about (`cwd`, `envFile`, a time limit,
whatever a client invents) stays in it as it is. The way back is not here: the original text is kept, not worked out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from econome.lean.install.masking import (
    judged_variable,
    masked,
    masked_variables,
    masked_words,
)
from econome.lean.install.spans import members_of

__all__ = ["HEADERS_VARIABLE", "Entry", "LeftAlone", "read_entry"]

HEADERS_VARIABLE = "ECONOME_UPSTREAM_HEADERS"
"""Where the proxy finds the headers for its upstream, as a JSON object: a command line is for all to see."""

_HTTP = ("http", "streamable-http", "streamableHttp")
_LOGIN_FIELDS = ("oauth", "auth", "headersHelper")
_ECONOME = re.compile(r"(?:^|[/\\])econome(?:\.exe)?$")
_VARIABLE = "${"
_URL = re.compile(r"https?://([^/?#]*)[^?#]*(?:\?([^#]*))?", re.IGNORECASE)
_LOOPBACK = re.compile(r"(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?$", re.IGNORECASE)
_SECRET = re.compile(r"key|token|secret|passw|auth|credential|signature", re.IGNORECASE)


class LeftAlone(ValueError):
    """An entry is better not sent through the proxy; the text says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry, field by field in its order: each key with the JSON text of its value."""

    text: str
    fields: tuple[tuple[str, str], ...]

    def value(self, key: str) -> Any:
        """Return the value of a field, None where there is none."""
        return next((json.loads(text) for name, text in self.fields if name == key), None)

    def same(self, other: Entry) -> bool:
        """Tell whether the two say the same, however they are laid out."""
        return _settled(self) == _settled(other)

    @property
    def url(self) -> str | None:
        """The address of a server that is reached, None for one that is started."""
        kind, url = self.value("type"), self.value("url")
        started = kind == "stdio" or (kind is None and self.value("command") is not None)
        return None if started or not isinstance(url, str) else url

    @property
    def has_headers(self) -> bool:
        """Whether it is reached with headers of its own, such as a token."""
        return bool(self.value("headers"))

    @property
    def transport(self) -> str:
        """How its server is spoken to: `stdio`, `http`, `sse`, or what it says itself, which is none of these."""
        kind = self.value("type")
        if kind == "sse" or (kind is None and (self.url or "").rstrip("/").endswith("/sse")):
            return "sse"
        if kind is None:
            return "stdio" if self.url is None else "http"
        return "http" if kind in _HTTP else str(kind)

    @property
    def own_words(self) -> list[str]:
        """What it tells econome to do; nothing where it starts something else."""
        command, args = self.value("command"), self.value("args")
        words = [word for word in args if isinstance(word, str)] if isinstance(args, list) else []
        if isinstance(command, str) and _ECONOME.search(command):
            return words
        return words[2:] if words[:2] == ["-m", "econome"] else []

    @property
    def login(self) -> str | None:
        """The field that says that its client logs in for it, None without one."""
        return next((field for field in _LOGIN_FIELDS if self.value(field) is not None), None)

    def goes_through(self) -> bool:
        """Tell whether it already starts `econome proxy`."""
        return self.own_words[:1] == ["proxy"]

    def command_words(self) -> list[str]:
        """Return its command and the arguments of that, as they stand there.

        Raises:
            LeftAlone: it has no command, or not as a client would start it.
        """
        command, args = self.value("command"), self.value("args")
        if not isinstance(command, str) or not command.strip():
            raise LeftAlone("it has neither a command nor a url")
        if not isinstance(args or [], list) or not all(
            isinstance(word, str) for word in args or []
        ):
            raise LeftAlone("its args are no list of texts")
        if not args and re.match(r"[^\s/\\]+\s", command):
            raise LeftAlone("its command is a whole line; divide it into command and args")
        return [command, *(args or [])]

    def told(self, *, whole: bool = False) -> str:
        """Return in one line what it starts or reaches: without what looks like a secret, or *whole*, with all it says.

        The latter is for whoever has to judge what somebody else wrote: any field may change what runs. What does not, the
        headers and the values of secrets, is left out there too, since it may end up in the log of a job.
        """
        return _whole(self) if whole else _masked(self)

    def through(self, program: Sequence[str], name: str, options: Sequence[str] = ()) -> str:
        """Return the text of the entry that starts the proxy in front of what this one starts or reaches.

        *program* starts econome; *options* are for the proxy.

        Raises:
            LeftAlone: it is better left as it is.
        """
        _refuse(self, name)
        begin = [*program[1:], "proxy", "--name", name, *options]
        if self.url is None:
            fields = _started(self, program[0], begin)
        else:
            fields = _reached(self, program[0], begin)
        return _laid_out(self.text, fields)


def read_entry(text: str) -> Entry:
    """Return the entry of a JSON text.

    Raises:
        LeftAlone: it is no object, or names a field twice.
    """
    members = members_of(text)
    if members is None:
        raise LeftAlone("it is no object")
    fields = tuple((member.key, text[member.start : member.end]) for member in members)
    if len({key for key, _ in fields}) < len(fields):
        raise LeftAlone("it names a field twice")
    return Entry(text, fields)


def _settled(entry: Entry) -> list[tuple[str, str]]:
    return [(key, json.dumps(json.loads(text))) for key, text in entry.fields]


def _whole(entry: Entry) -> str:
    url, args = entry.url, entry.value("args")
    words = [entry.value("command"), *(args if isinstance(args, list) else ())]
    shown = " ".join(map(_word, words)) if url is None else url
    done = ("type", "url") if url is not None else ("type", "command", "args")
    more = ", ".join(
        f"{key}: {_judged(key, json.loads(text), shown)}"
        for key, text in entry.fields
        if key not in done
    )
    return f"{shown} ({more})" if more else shown


def _judged(key: str, value: object, shown: str) -> str:
    """Return a field for whoever judges it: headers by name alone, a secret's value hidden where nothing *shown* runs it."""
    if key == "headers" and isinstance(value, dict):
        return ", ".join(map(_word, value))
    if key == "env" and isinstance(value, dict):
        spoken = " ".join([shown, *map(str, value.values())])
        return ", ".join(
            _word(judged_variable(name, str(said), spoken)) for name, said in value.items()
        )
    return _json(value)


def _masked(entry: Entry) -> str:
    url, headers, env = entry.url, entry.value("headers"), entry.value("env")
    if url is not None:
        names = ", ".join(headers) if isinstance(headers, dict) else ""
        return f"{masked(url)} with {names}" if names else masked(url)
    args = entry.value("args")
    words = [entry.value("command"), *(args if isinstance(args, list) else ())]
    variables = masked_variables(env) if isinstance(env, dict) else []
    return " ".join([*variables, *map(_word, masked_words(map(str, words)))])


def _word(value: object) -> str:
    text = str(value)
    return (
        text if text and not re.search(r"[\s\"']", text) else json.dumps(text, ensure_ascii=False)
    )


def _refuse(entry: Entry, name: str) -> None:
    """See that an entry can go through the proxy.

    Raises:
        LeftAlone: it cannot, or should not.
    """
    words, kind = entry.own_words, entry.transport
    if words[:1] == ["proxy"]:
        raise LeftAlone("it already goes through the proxy")
    if words:
        raise LeftAlone("it is econome itself")
    if kind == "sse":
        raise LeftAlone("it uses the old transport (sse), which the proxy does not speak")
    if kind not in ("stdio", "http"):
        raise LeftAlone(f"its transport ({kind}) is not one that the proxy speaks")
    if entry.value("sandboxEnabled"):
        raise LeftAlone("its client runs it in a sandbox, in which the proxy could not work")
    if entry.url is None:
        entry.command_words()
    else:
        _refuse_url(entry, entry.url, name)
    if not isinstance(entry.value("env") or {}, dict):
        raise LeftAlone("its env is no object")


def _refuse_url(entry: Entry, url: str, name: str) -> None:
    if entry.login is not None:
        raise LeftAlone(f"its client logs in for it ({entry.login}), which the proxy cannot do")
    headers = entry.value("headers") or {}
    texts = isinstance(headers, dict) and all(isinstance(text, str) for text in headers.values())
    if not texts:
        raise LeftAlone("its headers are no object of texts")
    if entry.value("command") is not None:
        raise LeftAlone("it has a command and a url; leave one of them")
    if isinstance(entry.value("env"), dict) and HEADERS_VARIABLE in entry.value("env"):
        raise LeftAlone(f"its env has {HEADERS_VARIABLE} already")
    found = _URL.match(url)
    if found is None:
        if url.startswith(_VARIABLE):
            return
        raise LeftAlone("its url is none of http or https")
    authority, query = found[1], found[2] or ""
    if "@" in authority or _VARIABLE in query or _SECRET.search(query):
        raise LeftAlone(
            "its url holds a secret, which would stand in the list of processes; put it into headers"
        )
    if name == "econome" and _LOOPBACK.match(authority):
        raise LeftAlone("it is econome itself")


def _started(entry: Entry, command: str, begin: Sequence[str]) -> list[tuple[str, str]]:
    words = [*begin, "--", entry.value("command"), *(entry.value("args") or [])]
    fields: list[tuple[str, str]] = []
    for key, text in entry.fields:
        if key == "command":
            fields += [("command", _json(command)), ("args", _json(words))]
        elif key != "args":
            fields.append((key, text))
    return fields


def _reached(entry: Entry, command: str, begin: Sequence[str]) -> list[tuple[str, str]]:
    words = [*begin, "--url", entry.url]
    headers, env = entry.value("headers"), dict(entry.value("env") or {})
    if headers:
        env[HEADERS_VARIABLE] = json.dumps(headers, ensure_ascii=False, separators=(",", ":"))
    fields: list[tuple[str, str]] = []
    for key, text in entry.fields:
        if key == "type":
            fields.append((key, _json("stdio")))
        elif key == "url":
            fields += [("command", _json(command)), ("args", _json(words))]
            fields += [("env", _json(env))] if env else []
        elif key not in ("headers", "env", "args"):
            fields.append((key, text))
    return fields


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half of a pair, which only an escape can say
        return json.dumps(value)
    return text


def _laid_out(like: str, fields: Sequence[tuple[str, str]]) -> str:
    """Return the fields as an object, one a line where *like* has them so, with its line ends and its indents."""
    members = [f"{_json(key)}: {text}" for key, text in fields]
    lines = re.match(r"\{(?:[ \t]*\r?\n)*?[ \t]*(\r?\n)([ \t]*)[^ \t\r\n]", like)
    last = re.search(r"\n([ \t]*)\}$", like)
    if lines is None or last is None:
        return "{" + ", ".join(members) + "}"
    end, indent = lines[1], lines[2]
    inside = f",{end}{indent}".join(members)
    return f"{{{end}{indent}{inside}{end}{last[1]}}}"
