"""What the answers of each MCP tool weighed in this user's own sessions with Claude Code: counts, and nothing but counts.

It reads transcripts through the detail pass of `usage`, which keeps no text. No transcript says what an answer cost in
tokens, so sizes are characters and bytes; the tokens beside them are a length divided, and named so. Of an answer with an
image, a file or anything else that is no text, that length tells nothing: its tokens are not known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from econome.contract.sizes import Sizes
from econome.errors import RootMissing
from econome.times import day_text
from econome.usage.readers.claude_detail import remembered

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.usage.detail import ToolCall

__all__ = ["METHOD", "Weighed", "claude_name", "counted", "weighed"]

METHOD: Final = "chars/3.5"
"""How tokens are guessed where only the length of a text is known."""

_PREFIX: Final = "mcp__"
_ODD: Final = "invalid"
"""What the detail pass keeps in place of a name with signs that no name has."""

_TENTHS: Final = 35
_TEXT: Final = "text"
_OTHER_SIGNS: Final = re.compile(r"[^A-Za-z0-9_-]")
_DAY_S: Final = 86_400


@dataclass(slots=True)
class _Tool:
    """The calls of one tool."""

    calls: int = 0
    unanswered: int = 0
    failures: int = 0
    characters: Sizes = field(default_factory=Sizes)
    utf8_bytes: Sizes = field(default_factory=Sizes)
    tokens: Sizes = field(default_factory=Sizes)
    not_told: int = 0
    kinds: dict[str, list[int]] = field(default_factory=dict)
    sessions: set[str] = field(default_factory=set)
    days: set[int] = field(default_factory=set)

    def take(self, call: ToolCall, zone: Zone | None) -> None:
        """Add a call, and its answer where it has one."""
        self.calls += 1
        self.sessions.add(call.session)
        if call.called_ns is not None:
            self.days.add(_day(call.called_ns // 10**9, zone))
        if call.failed is None:
            self.unanswered += 1
            return
        self.failures += call.failed
        self.characters.add(call.characters)
        self.utf8_bytes.add(call.utf8_bytes)
        if all(part.kind == _TEXT for part in call.parts):
            self.tokens.add(-(-call.characters * 10 // _TENTHS))
        else:
            self.not_told += 1
        for part in call.parts:
            sums = self.kinds.setdefault(part.kind, [0, 0, 0])
            for at, value in enumerate((part.blocks, part.characters, part.utf8_bytes)):
                sums[at] += value

    def counts(self) -> dict[str, Any]:
        """Return what is told of the tool."""
        return {
            "calls": self.calls,
            "unanswered": self.unanswered,
            "failures": self.failures,
            "sessions": len(self.sessions),
            "first_day": day_text(min(self.days)) if self.days else None,
            "last_day": day_text(max(self.days)) if self.days else None,
            "characters": self.characters.spread(),
            "utf8_bytes": self.utf8_bytes.spread(),
            "tokens": {
                "method": METHOD,
                "not_told": self.not_told,
                **self.tokens.spread(self.not_told),
            },
            "kinds": {
                kind: {"blocks": sums[0], "characters": sums[1], "utf8_bytes": sums[2]}
                for kind, sums in sorted(self.kinds.items())
            },
        }


@dataclass(frozen=True, slots=True)
class Weighed:
    """The counts of every MCP tool by the name that Claude Code gives it, `mcp__SERVER__TOOL`, the heaviest first.

    Each is a mapping: `calls`, of them `unanswered` and `failures`; `sessions`; `first_day` and `last_day`, ISO dates; `characters`
    and `utf8_bytes` of whole answers, an image as it is encoded, each with `p50`, `p95`, `max` (None without an answer) and
    `total`; `tokens`, the same by the `method` that is named, where `not_told` answers hold more than text and count as
    larger than any other; `kinds` of blocks, each with `blocks`, `characters` and `utf8_bytes`. *sessions* are those with a
    call of such a tool; *files*, *lines*, *malformed* and *unreadable* (files) say what was read. *unnamed* calls are left
    out: their names are kept as those of an MCP tool, and tell no server and tool. Of *odd* calls no name is kept, since it
    has signs that no name has; some of them may be of MCP tools.
    """

    tools: Mapping[str, Mapping[str, Any]]
    sessions: int
    files: int
    lines: int
    malformed: int
    unreadable: int
    unnamed: int = 0
    odd: int = 0

    def by_server(self) -> dict[str, dict[str, Mapping[str, Any]]]:
        """Return the counts by server and tool, as far as a name tells where one ends and the other begins."""
        found: dict[str, dict[str, Mapping[str, Any]]] = {}
        for name, counts in self.tools.items():
            server, _, tool = name.removeprefix(_PREFIX).partition("__")
            found.setdefault(server, {})[tool] = counts
        return found

    def of(self, server: str, tools: Collection[str]) -> dict[str, Mapping[str, Any]]:
        """Return the counts of those *tools* of a server that were called, by their own names.

        Claude Code writes a line for each sign of a name that is no letter, digit, line or dash.
        """
        return {
            tool: counts
            for tool in tools
            if (counts := self.tools.get(f"{_PREFIX}{claude_name(server)}__{claude_name(tool)}"))
            is not None
        }


def weighed(roots: Sequence[str], data_dir: str, *, zone: Zone | None = None) -> Weighed:
    """Return what the answers of MCP tools weighed in the transcripts below *roots*; days are those of *zone*, else of UTC.

    What was read is remembered in *data_dir*, without any text, so that only what is new is read the next time.

    Raises:
        RootMissing: a root is not there.
        FileRefused: what was read cannot be remembered.
    """
    for root in roots:
        if not os.path.isdir(root):
            raise RootMissing(root)
    found = list(dict.fromkeys(map(os.path.abspath, roots)))
    with remembered(found, data_dir) as detail:
        counts = counted(detail.calls(), zone)
        coverage = detail.coverage()
    return replace(
        counts,
        files=coverage.files,
        lines=coverage.lines,
        malformed=coverage.malformed,
        unreadable=len(coverage.unreadable),
    )


def counted(calls: Iterable[ToolCall], zone: Zone | None = None) -> Weighed:
    """Return the counts of each MCP tool that was called; nothing is said of the files that the calls are from."""
    tools: dict[str, _Tool] = {}
    sessions: set[str] = set()
    unnamed = odd = 0
    for call in calls:
        if call.server and call.tool:
            tools.setdefault(call.name, _Tool()).take(call, zone)
            sessions.add(call.session)
        else:
            unnamed += call.name.startswith(_PREFIX)
            odd += call.name == _ODD
    ranked = sorted(tools.items(), key=lambda each: (-each[1].characters.total, each[0]))
    return Weighed(
        {name: tool.counts() for name, tool in ranked}, len(sessions), 0, 0, 0, 0, unnamed, odd
    )


def _day(seconds: int, zone: Zone | None) -> int:
    return (seconds + (0 if zone is None else zone.offset(seconds))) // _DAY_S


def claude_name(name: str) -> str:
    """Return a name of a server or a tool as Claude Code writes it in the name of a call."""
    return _OTHER_SIGNS.sub("_", name)
