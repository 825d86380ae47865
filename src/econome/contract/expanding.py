"""What an entry of a client's configuration comes to when it is started: its variables filled in, its proxy taken off.

It does as the clients do, and looks at no environment: whoever asks says what a variable holds. What cannot be filled in is not
guessed: such an entry is left out, with the reason.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from econome.lean.install.entries import HEADERS_VARIABLE, Entry, LeftAlone
from econome.lean.install.places import Variable

__all__ = ["Around", "Start", "start_of"]

_REFERENCE: Final = re.compile(r"\$\{([^}]*)\}")
_NAMED: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_DEFAULT: Final = ":-"


@dataclass(frozen=True, slots=True)
class Around:
    """What an entry can refer to: the environment by *variable*, the user's *home*, the *folder* of its project.

    Without *expands* its client fills nothing in, so `${…}` stands for itself.
    """

    variable: Variable
    home: str
    folder: str
    expands: bool = True


@dataclass(frozen=True, slots=True)
class Start:
    """What is started, or the address that is reached; *env* goes on top of the environment, *cwd* None is where one is."""

    command: tuple[str, ...] | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None


def start_of(entry: Entry, around: Around) -> Start:
    """Return what an entry starts or reaches; of one that goes through `econome proxy`, the server behind that.

    Raises:
        LeftAlone: it is disabled, needs its client, refers to what is not there, or is no entry of a server.
    """
    _refuse(entry)
    env = _texts(entry.value("env"), "env", around)
    cwd = entry.value("cwd")
    if cwd is not None and not isinstance(cwd, str):
        raise LeftAlone("its cwd is no text")
    if cwd:
        cwd = posixpath.join(around.folder, _filled(cwd, around))
    if entry.url is not None:
        headers = _texts(entry.value("headers"), "headers", around)
        return Start(url=_filled(entry.url, around), headers=headers, env=env)
    words = [_filled(word, around) for word in entry.command_words()]
    if not entry.goes_through():
        return Start(command=tuple(words), env=env, cwd=cwd or None)
    return _unwrapped([_filled(word, around) for word in entry.own_words[1:]], env, cwd or None)


def _refuse(entry: Entry) -> None:
    """See that an entry can be started or reached without its client.

    Raises:
        LeftAlone: it cannot, or should not.
    """
    if entry.value("disabled") is True or entry.value("enabled") is False:
        raise LeftAlone("it is disabled")
    kind = entry.transport
    if kind == "sse":
        raise LeftAlone("it uses the old transport (sse), which is not spoken here")
    if kind not in ("stdio", "http"):
        raise LeftAlone(f"its transport ({kind}) is not spoken here")
    if entry.login is not None:
        raise LeftAlone(f"its client logs in for it ({entry.login}), which cannot be done here")
    if entry.value("sandboxEnabled"):
        raise LeftAlone("its client runs it in a sandbox, and here it would run without one")
    if entry.value("envFile") is not None:
        raise LeftAlone("it takes variables from a file (envFile), which is not read here")
    if entry.url is not None and entry.value("command") is not None:
        raise LeftAlone("it has a command and a url; leave one of them")
    if kind == "http" and entry.url is None:
        raise LeftAlone("it has neither a command nor a url")


def _texts(held: Any, name: str, around: Around) -> dict[str, str]:
    """Return an object of texts, filled in; VS Code takes numbers for texts, and null for nothing."""
    if held is None:
        return {}
    if not isinstance(held, Mapping):
        raise LeftAlone(f"its {name} is no object of texts")
    found: dict[str, str] = {}
    for key, value in held.items():
        if isinstance(value, bool) or not isinstance(value, str | int | float | None):
            raise LeftAlone(f"its {name} is no object of texts")
        if value is not None:
            found[key] = _filled(str(value), around)
    return found


def _filled(text: str, around: Around) -> str:
    """Return a text with what it refers to.

    Raises:
        LeftAlone: that is not there.
    """
    if not around.expands:
        return text
    return _REFERENCE.sub(lambda found: _value(found[1], around), text)


def _value(name: str, around: Around) -> str:
    """Return what a reference stands for: `VAR`, `VAR:-default`, `env:VAR`, or what VS Code and Cursor know by themselves."""
    known = {
        "userHome": around.home,
        "workspaceFolder": around.folder,
        "workspaceFolderBasename": posixpath.basename(around.folder.replace("\\", "/")),
        "pathSeparator": "/",
        "/": "/",
    }
    if name in known:
        return known[name]
    kind, _, rest = name.partition(":")
    if kind == "input":
        raise LeftAlone(f"it asks for an input ({rest}), which only its client can")
    bare, default, otherwise = (rest, "", "") if kind == "env" else name.partition(_DEFAULT)
    if not _NAMED.match(bare):
        raise LeftAlone(f"it refers to ${{{name}}}, which only its client knows")
    held = around.variable(bare)
    if held:
        return held
    if default:
        return otherwise
    raise LeftAlone(f"the variable {bare} is not set")


def _unwrapped(words: Sequence[str], env: Mapping[str, str], cwd: str | None) -> Start:
    """Return the server behind a proxy whose own words these are."""
    kept = {name: value for name, value in env.items() if name != HEADERS_VARIABLE}
    if "--" in words:
        command = tuple(words[words.index("--") + 1 :])
        if command:
            return Start(command=command, env=kept, cwd=cwd)
    for at, word in enumerate(words):
        if (word == "--url" and words[at + 1 :]) or word.startswith("--url="):
            url = word.partition("=")[2] or words[at + 1]
            return Start(url=url, headers=_headers(env.get(HEADERS_VARIABLE)), env=kept)
    raise LeftAlone("it goes through the proxy, and nothing in it says to which server")


def _headers(told: str | None) -> dict[str, str]:
    if told is None:
        return {}
    try:
        held = json.loads(told)
    except ValueError:
        held = None
    if not isinstance(held, dict) or not all(isinstance(value, str) for value in held.values()):
        raise LeftAlone(f"its {HEADERS_VARIABLE} is no JSON object of texts")
    return held
