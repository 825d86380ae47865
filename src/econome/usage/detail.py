"""What a transcript tells beside its counters: tool calls, attributions, compactions, pauses; values without text.

Kept are ids, names, sizes, times and the directory a session ran in; never a prompt, an argument, a result or the
path of a file a tool touched: of such a path there is a hash with a salt that stays on the machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from econome.usage.occurrences import group_id, is_uuid
from econome.usage.rows import text_or

__all__ = [
    "LONG_PAUSE_NS",
    "PAUSE_NS",
    "Attribution",
    "Compaction",
    "FileTouches",
    "Pause",
    "ResultPart",
    "ToolCall",
    "ToolWeight",
    "attributed",
    "mcp_names",
    "plain",
    "response_key",
    "tool_weights",
    "touched_path",
]

PAUSE_NS = 300 * 10**9
"""A silence longer than this, five minutes, outlives the short prompt cache."""

LONG_PAUSE_NS = 3600 * 10**9
"""A silence longer than this, an hour, outlives the long prompt cache too."""

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:")
_ATTRIBUTIONS = ("attributionAgent", "attributionSkill", "attributionPlugin")
_SERVER_WORDS = 4  # `claude.ai Google Drive` has three; a sentence has more
_MCP_CONSUMED_SINCE = [2, 1, 222]
_PATH_KEYS = ("file_path", "notebook_path", "path")
_SEARCHES = frozenset({"Glob", "Grep", "LS"})  # their `path` is where to look, not a file


@dataclass(frozen=True, slots=True)
class ResultPart:
    """The blocks of one kind in a tool's result: `text`, `image`, `document` or `other`.

    Characters are Unicode code points, of an image or document those of its encoded data, of other blocks those
    of their compact JSON.
    """

    kind: str
    blocks: int
    characters: int
    utf8_bytes: int


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool, once, however many transcripts repeat it.

    `response` is the response that called, as `response_key` makes it, or `None` where the line names none. Times are nanoseconds since 1970 UTC; `returned_ns` and `failed` are `None` without a
    result. `agent` is "" in the main conversation. `file` is "" or the salted hash of the file it touched.
    """

    id: str
    name: str
    server: str
    tool: str
    response: tuple[int, str | None] | None
    session: str
    agent: str
    sidechain: bool
    project: str
    called_ns: int | None
    returned_ns: int | None
    failed: bool | None
    file: str
    parts: tuple[ResultPart, ...]

    @property
    def characters(self) -> int:
        """The length of the whole result."""
        return sum(part.characters for part in self.parts)

    @property
    def utf8_bytes(self) -> int:
        """The size of the whole result."""
        return sum(part.utf8_bytes for part in self.parts)


@dataclass(frozen=True, slots=True)
class Attribution:
    """What Claude Code wrote a response down to (F16), once, however many lines and transcripts repeat it.

    `response` is that of `ToolCall`; `agent` is the type of the agent, not its id. A name is "" where the line
    gives none, and `invalid` where it gives what is no name. `version` is the Claude Code that wrote the line.
    """

    response: tuple[int, str | None] | None
    agent: str
    skill: str
    plugin: str
    mcp_server: str
    mcp_tool: str
    session: str
    at_ns: int | None
    version: str

    @property
    def consumed_mcp(self) -> bool | None:
        """Whether the response consumed a result of the MCP tool; `None` where the pair does not say so.

        Before 2.1.222 the pair very likely stood on every response after a call, whatever that one did.
        """
        if not (self.mcp_server or self.mcp_tool):
            return False
        return True if _release(self.version) >= _MCP_CONSUMED_SINCE else None


@dataclass(frozen=True, slots=True)
class Compaction:
    """A conversation was cut down to a summary; sizes are tokens of context, `None` where not said."""

    session: str
    agent: str
    project: str
    at_ns: int | None
    trigger: str
    before_tokens: int | None
    after_tokens: int | None


@dataclass(frozen=True, slots=True)
class Pause:
    """More than five minutes without a line of the conversation, in a session's main transcript."""

    session: str
    project: str
    from_ns: int
    until_ns: int

    @property
    def over_an_hour(self) -> bool:
        """Whether the one-hour cache was lost as well."""
        return self.until_ns - self.from_ns > LONG_PAUSE_NS


@dataclass(frozen=True, slots=True)
class FileTouches:
    """How often one session's agent touched one file, by its salted hash."""

    session: str
    agent: str
    project: str
    file: str
    reads: int
    changes: int
    others: int
    characters: int


@dataclass(frozen=True, slots=True)
class ToolWeight:
    """What all calls of one tool weighed; `p50`, `p95` and `largest` are characters of one result."""

    name: str
    server: str
    tool: str
    calls: int
    unanswered: int
    failures: int
    p50: int
    p95: int
    largest: int
    parts: tuple[ResultPart, ...]


def plain(value: object, default: str = "") -> str:
    """Return *value* where it is short and looks like a name or an id, else *default*: text is not kept."""
    if type(value) is not str or not value or len(value) > 128 or not _NAME.issuperset(value):
        return default
    return value


def attributed(record: dict[str, Any]) -> tuple[str, str, str, str, str] | None:
    """Return the agent, skill, plugin, MCP server and MCP tool that a line names, or None where it names none."""
    agent, skill, plugin = (_named(record.get(key)) for key in _ATTRIBUTIONS)
    server = _server(record.get("attributionMcpServer"))
    tool = _named(record.get("attributionMcpTool"))
    found = agent, skill, plugin, server, tool
    return found if any(found) else None


def _named(value: object) -> str:
    return plain(value, "invalid") if text_or(value, "") else ""


def _server(value: object) -> str:
    """Return the name of a server, which is one for display and may have a few words: `Claude Browser`."""
    words = value.split(" ") if type(value) is str else []
    if 1 < len(words) <= _SERVER_WORDS and all(words) and plain("_".join(words)):
        return " ".join(words)
    return _named(value)


def _release(version: str) -> list[int]:
    """Return the numbers of a version; none where it is not one."""
    numbers = version.partition("-")[0].split(".")
    return [int(number) for number in numbers] if all(map(str.isdecimal, numbers)) else []


def mcp_names(name: str) -> tuple[str, str]:
    """Return (server, tool) of an MCP tool's name, split at the first `__` after the prefix; else ("", "")."""
    if not name.startswith("mcp__"):
        return "", ""
    server, split, tool = name[5:].partition("__")
    return (server, tool) if split else ("", "")


def response_key(message: object, request: object, uuid: object) -> tuple[int, str | None] | None:
    """Return the group and the request under which the usage index keeps a response (F2), or None.

    Where a message id comes without a request, the request is None here; the index has the triple (input, cache
    read, cache write) in its place, which tells the responses of one such id apart and which a call does not know.
    """
    message, request, uuid = (text_or(value, "") for value in (message, request, uuid))
    if message and not is_uuid(message):
        return group_id("i" + message), request or None
    if request or uuid:
        return group_id(f"r{request}" if request else f"u{uuid}"), None
    return None


def touched_path(name: str, given: object, cwd: str) -> str:
    """Return the file a tool call names, made absolute and without `.` and `..`; "" where it names none."""
    if type(given) is not dict:
        return ""
    for key in _PATH_KEYS:
        path = given.get(key)
        if type(path) is str and path and not (key == "path" and name in _SEARCHES):
            return _absolute(path, cwd)
    return ""


def _absolute(path: str, cwd: str) -> str:
    path = path.replace("\\", "/")
    if not path.startswith("/") and path[1:2] != ":":
        path = f"{cwd.replace(chr(92), '/')}/{path}"
    kept: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del kept[-1:]
        elif part not in ("", "."):
            kept.append(part)
    return "/".join(kept)


def _percentile(sizes: list[int], percent: int) -> int:
    """Return the smallest of the sorted *sizes* that *percent* of them do not exceed; 0 of none."""
    return sizes[-(-len(sizes) * percent // 100) - 1] if sizes else 0


def tool_weights(calls: Iterable[ToolCall]) -> list[ToolWeight]:
    """Return what each tool's calls weighed, the heaviest first."""
    groups: dict[tuple[str, str, str], list[ToolCall]] = {}
    for call in calls:
        groups.setdefault((call.name, call.server, call.tool), []).append(call)
    weights = [_weight(names, group) for names, group in groups.items()]
    return sorted(weights, key=lambda one: (-sum(p.characters for p in one.parts), one.name))


def _weight(names: tuple[str, str, str], calls: list[ToolCall]) -> ToolWeight:
    sizes = sorted(call.characters for call in calls if call.failed is not None)
    kinds: dict[str, list[int]] = {}
    for part in (part for call in calls for part in call.parts):
        sums = kinds.setdefault(part.kind, [0, 0, 0])
        for at, value in enumerate((part.blocks, part.characters, part.utf8_bytes)):
            sums[at] += value
    return ToolWeight(
        *names,
        calls=len(calls),
        unanswered=sum(call.failed is None for call in calls),
        failures=sum(call.failed is True for call in calls),
        p50=_percentile(sizes, 50),
        p95=_percentile(sizes, 95),
        largest=sizes[-1] if sizes else 0,
        parts=tuple(ResultPart(kind, *sums) for kind, sums in sorted(kinds.items())),
    )
