"""What would be started or reached to capture a server: one that a command line names, or all of a client's configuration.

It reads one configuration, and starts and reaches nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from econome.contract.expanding import Around, Start, start_of
from econome.contract.start_line import start_line
from econome.errors import ConfigRefused, UsageError
from econome.lean.install.entries import LeftAlone, read_entry
from econome.lean.install.folders import folders_of, places_in
from econome.lean.install.places import Place, Variable, file_places, user_places
from econome.lean.install.spans import Document
from econome.lean.install.swap import read_file
from econome.lean.proxy.http_headers import own_headers
from econome.lean.proxy.http_target import Target

__all__ = ["Source", "Sources", "sources_of"]

_PROJECTS = (".mcp.json", os.path.join(".cursor", "mcp.json"), os.path.join(".vscode", "mcp.json"))
"""Where a project names servers, which its clients start in its directory."""
_LITERAL = frozenset({"claude-desktop"})
"""The clients that fill nothing in."""


@dataclass(frozen=True, slots=True)
class Source:
    """One server that can be captured: a *command*, or a *url* with the *headers* that it is to be sent.

    *env* goes on top of the environment, *cwd* is where the command runs, None for here; neither is ever printed by itself.
    *shown* says in one line what runs or is reached, without secrets, as `start_line` has it. *foreign* is what stands in a
    file that is not this user's own: nothing of it may run before its reader has seen that line and said yes.
    """

    name: str
    command: tuple[str, ...] | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None
    shown: str = ""
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Sources:
    """The servers that were found, in the order of their file; *left_out* are those that cannot be captured, by name, with the reason."""

    sources: tuple[Source, ...]
    left_out: tuple[tuple[str, str], ...]


def sources_of(path: str, *, home: str, here: str, platform: str, variable: Variable) -> Sources:
    """Return every server of a client's configuration, started as its client would start it for who works in *here*.

    *platform* is a `sys.platform`. Where several entries have one name, that of the nearest directory counts, as it does for
    Claude Code. All is `foreign` unless the file is one of those that this user's own clients read for this user.

    Raises:
        ConfigRefused: the file cannot be read, is no configuration, or has no place for servers.
    """
    data = read_file(path)
    if data is None:
        raise ConfigRefused(path, "no such file")
    folders = folders_of(here)
    own = places_in(path, user_places(home, platform, variable, folders))
    places = own or [*_local(path, folders), *file_places(path)]
    document = _document(path, data, comments=any(place.comments for place in places))
    folder = here if own else _folder(path) or here
    found: dict[str, Source] = {}
    left_out: list[tuple[str, str]] = []
    disabled = _disabled(document, folders)
    for place, name, text in _entries(document, path, places):
        around = Around(variable, home, folder, expands=place.client not in _LITERAL)
        try:
            if name in disabled:
                raise LeftAlone("it is disabled for this directory")
            if name in found:
                raise LeftAlone("an entry of this name for a nearer directory goes before it")
            found[name] = _source(name, text, around, place, here)
        except LeftAlone as error:
            left_out.append((name, str(error)))
    return Sources(tuple(found.values()), tuple(left_out))


def _source(name: str, text: str, around: Around, place: Place, here: str) -> Source:
    entry = read_entry(text)
    start = _checked(start_of(entry, around))
    if start.command is not None and start.cwd is None and around.folder != here:
        start = replace(start, cwd=around.folder)
    return Source(
        name=name,
        command=start.command,
        url=start.url,
        headers=start.headers,
        env=start.env,
        cwd=start.cwd,
        shown=start_line(entry, start, around),
        foreign=place.foreign,
    )


def _checked(start: Start) -> Start:
    """See that what is reached can be.

    Raises:
        LeftAlone: its address or its headers cannot be used.
    """
    if start.url is not None:
        try:
            Target(start.url, own_headers(start.headers, "its headers"))
        except UsageError as error:
            raise LeftAlone(str(error).removeprefix("--url: ")) from None
    return start


def _document(path: str, data: bytes, *, comments: bool) -> Document:
    try:
        return Document(data, comments=comments)
    except ValueError as error:
        raise ConfigRefused(path, str(error)) from None


def _entries(
    document: Document, path: str, places: Sequence[Place]
) -> Iterator[tuple[Place, str, str]]:
    """Yield the entries, those of single directories first; each with its name and its JSON text."""
    known = False
    for place in sorted(places, key=lambda place: len(place.keys) == 1):
        try:
            *above, last = place.keys
            known = known or any(member.key == last for member in document.members(above))
            members = document.members(place.keys)
        except ValueError as error:
            raise ConfigRefused(path, str(error)) from None
        for member in members:
            yield place, member.key, document.plain_text_of(member)
    if not known:
        keys = " or ".join(dict.fromkeys(place.keys[-1] for place in places))
        raise ConfigRefused(path, f"it names no servers: {keys} is not in it")


def _local(path: str, folders: Sequence[str]) -> list[Place]:
    """Return where a copy of Claude Code's file has the entries of single directories."""
    return [
        Place("file", path, ("projects", folder, "mcpServers"), True, foreign=True)
        for folder in folders
    ]


def _folder(path: str) -> str | None:
    """Return the directory of the project whose file this is, None where it is no project's."""
    whole = os.path.abspath(path)
    for ending in _PROJECTS:
        if whole.endswith(os.sep + ending):
            return whole.removesuffix(os.sep + ending) or os.sep
    return None


def _disabled(document: Document, folders: Sequence[str]) -> Collection[str]:
    """Return the names that Claude Code keeps as switched off for a directory."""
    for folder in folders:
        try:
            members = document.members(("projects", folder))
        except ValueError:
            continue
        for member in members:
            if member.key == "disabledMcpServers":
                names = json.loads(document.plain_text_of(member))
                return (
                    [name for name in names if isinstance(name, str)]
                    if isinstance(names, list)
                    else ()
                )
    return ()
