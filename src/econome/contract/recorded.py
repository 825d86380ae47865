"""What the tools of a recording answered, as sizes: the traffic of JSON-RPC read once, line by line, and no text kept (L15).

Calls and answers are matched by their ids, each side's own, through several sessions in one file, and each server that it
names is kept apart. What cannot be read is counted. Of each tool, some answers are shaped as they pass, so that what limits
and encoding would save is measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from econome.contract.response import ResponseProfile, parts_of, profile_response
from econome.contract.sizes import Sizes
from econome.contract.traffic import Heard, heard
from econome.lean.answers import shape
from econome.lean.counting import Count
from econome.lean.policies import CLAUDE_CODE, policy_of
from econome.lean.treatment import AnswerRule
from econome.tokenizers import Tokenizer, tokenizer

__all__ = ["LIMIT", "MEASURED", "Answers", "Measured", "Recording", "Served"]

LIMIT: Final = 50
"""Rows that answers are cut to where the economy of a limit is measured or tried."""

MEASURED: Final = 200
"""Answers of one tool that are shaped."""

_PENDING: Final = 50_000
_TOOLS: Final = 5_000
_SERVERS: Final = 1_000
_LONGEST_NAME: Final = 256
_LISTED: Final = 20_000
_LATE: Final = "answers without a call"
_OTHERS: Final = "calls of still other tools or servers"
_NAMELESS: Final = "calls without a name"


@dataclass(slots=True)
class Measured:
    """What was measured on the first answers of one tool: all their tokens before, and after each economy alone.

    *cut* of them had more rows than *limit*, *rows_cut* in all; *limited* is what is left without these rows, which are
    weighed as compact JSON, since writing it so saves nothing by a limit. *encoded* is the smallest form that loses nothing.
    """

    limit: int
    answers: int = 0
    before: int = 0
    limited: int = 0
    encoded: int = 0
    cut: int = 0
    rows_cut: int = 0


@dataclass(slots=True)
class Answers:
    """The answers of one tool: how many calls, how many of them were never answered or failed, and tokens.

    *kinds* has the tokens of each kind of block over the answers that have it. *payload* and *overhead* add up to the sum
    of *tokens*. *worst* is the largest answer, *methods* are those by which what is no text was estimated.
    """

    calls: int = 0
    unanswered: int = 0
    errors: int = 0
    tokens: Sizes = field(default_factory=Sizes)
    kinds: dict[str, Sizes] = field(default_factory=dict)
    payload: int = 0
    overhead: int = 0
    worst: ResponseProfile | None = None
    methods: set[str] = field(default_factory=set)
    measured: Measured | None = None

    def take(self, profile: ResponseProfile) -> None:
        """Add the profile of one more answer."""
        self.tokens.add(profile.total)
        for kind, tokens in profile.by_kind.items():
            self.kinds.setdefault(kind, Sizes()).add(tokens)
        self.payload += profile.payload
        self.overhead += profile.overhead
        self.methods.update(profile.estimated)
        known = self.worst
        if known is None or (profile.total, profile.overhead) > (known.total, known.overhead):
            self.worst = profile


@dataclass(frozen=True, slots=True)
class Served:
    """What a recording holds of one server: the answers by the name that was called, and the last whole list of tools."""

    answers: Mapping[str, Answers] = field(default_factory=dict)
    menu: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Recording:
    """What a recording held, by the name of a server; the empty name has what names none.

    *tokenizer* is the method of all counts. *messages* were read from *lines*; *skipped* says how many lines, calls and
    answers were of no use, by the reason.
    """

    tokenizer: str
    servers: Mapping[str, Served]
    lines: int = 0
    messages: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)

    def of(self, name: str, tools: Collection[str] | None = None) -> tuple[Served, tuple[str, ...]]:
        """Return what is of the server of that *name*, and in sentences what of the calls is left out.

        Where the recording knows no such name, it is that of the only server in it, or of the only one that was called
        by the names of *tools*. Of its calls only those of *tools* are its own, where they are given.
        """
        known = self.servers.get(name) if name else None
        if known is None:
            fit = [
                one
                for one in self.servers.values()
                if len(self.servers) == 1 or (tools and not one.answers.keys().isdisjoint(tools))
            ]
            known = fit[0] if len(fit) == 1 else Served()
        others = {key or "one without a name": one for key, one in self.servers.items() if one is not known}  # fmt: skip
        left = []
        calls = sum(own.calls for one in others.values() for own in one.answers.values())
        if calls:
            left.append(f"of the recording, {_calls(calls)} of other servers: {', '.join(sorted(others))}")  # fmt: skip
        own = {
            tool: answers
            for tool, answers in known.answers.items()
            if tools is None or tool in tools
        }
        strange = sum(one.calls for tool, one in known.answers.items() if tool not in own)
        if strange:
            left.append(
                f"of the recording, {_calls(strange)} of tools that the server does not have"
            )
        return Served(own, known.menu), tuple(left)

    @classmethod
    def read(cls, lines: Iterable[bytes], *, method: Tokenizer | None = None) -> Self:
        """Return what the lines of a recording hold, counted by *method*, else by the default one.

        Memory grows with the number of tools, not of lines.
        """
        method = tokenizer() if method is None else method
        reader = _Reader(method.count)
        for line in lines:
            reader.line(line)
        reader.end()
        return cls(
            tokenizer=method.name,
            servers={name: Served(one.answers, one.menu) for name, one in reader.servers.items()},
            lines=reader.lines,
            messages=reader.messages,
            skipped=dict(reader.skipped),
        )


@dataclass(slots=True)
class _Server:
    answers: dict[str, Answers] = field(default_factory=dict)
    menu: tuple[Mapping[str, Any], ...] = ()
    schemas: dict[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(slots=True)
class _Asked:
    """A request that waits: what for, of which server and tool, and whether a list begins with it."""

    method: str
    server: _Server
    tool: str = ""
    first: bool = False


@dataclass(slots=True)
class _Reader:
    count: Count
    servers: dict[str, _Server] = field(default_factory=dict)
    waiting: dict[tuple[str, str], _Asked] = field(default_factory=dict)
    others: dict[tuple[str, str], str] = field(default_factory=dict)
    pages: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    tools: int = 0
    lines: int = 0
    messages: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def line(self, line: bytes) -> None:
        self.lines += 1
        found, reason = heard(line)
        if reason:
            self.skipped[reason] += 1
        for one in found:
            self.messages += 1
            self.message(one)

    def message(self, one: Heard) -> None:
        method, id_ = one.message.get("method"), one.message.get("id")
        if isinstance(method, str):
            if id_ is not None:
                self.asked(one, method, (one.channel, _id(id_)))
        elif id_ is not None:
            self.answered(one, (one.channel, _id(id_)))

    def asked(self, one: Heard, method: str, key: tuple[str, str]) -> None:
        params = one.message.get("params")
        params = params if isinstance(params, dict) else {}
        if method == "initialize":
            self.over(one.channel)
        if one.sender == "server" or method not in ("tools/call", "tools/list"):
            _bounded(self.others)
            self.others[key] = method
            return
        self.dropped(key)
        if one.server not in self.servers and len(self.servers) >= _SERVERS:
            self.skipped[_OTHERS] += 1
            return
        server = self.servers.setdefault(one.server, _Server())
        asked = _Asked(method, server, first=params.get("cursor") is None)
        if method == "tools/call":
            tool = self.called(server, params.get("name"))
            if tool is None:
                return
            asked.tool = tool
        if len(self.waiting) >= _PENDING:
            self.dropped(next(iter(self.waiting)))
        self.waiting[key] = asked

    def called(self, server: _Server, name: object) -> str | None:
        """Count a call and return the name of its tool, None where it cannot be counted."""
        if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
            self.skipped[_NAMELESS] += 1
            return None
        if name not in server.answers:
            if self.tools >= _TOOLS:
                self.skipped[_OTHERS] += 1
                return None
            self.tools += 1
        server.answers.setdefault(name, Answers()).calls += 1
        return name

    def dropped(self, key: tuple[str, str]) -> None:
        """Give up a request that waits."""
        asked = self.waiting.pop(key, None)
        if asked is not None and asked.tool:
            asked.server.answers[asked.tool].unanswered += 1

    def over(self, channel: str) -> None:
        """End the session of a channel: another begins, with ids of its own."""
        for key in [key for key in self.waiting if key[0] == channel]:
            self.dropped(key)
        for key in [key for key in self.others if key[0] == channel]:
            del self.others[key]
        self.pages.pop(channel, None)

    def answered(self, one: Heard, key: tuple[str, str]) -> None:
        asked, result = self.waiting.get(key), one.message.get("result")
        other = self.others.get(key)
        if asked is None or one.sender == "client":
            if self.others.pop(key, None) is None:
                self.skipped[_LATE] += 1
            return
        if one.sender is None and other is not None and not _fits(asked.method, one.message):
            del self.others[key]
            return
        del self.waiting[key]
        if asked.method == "tools/list":
            self.listed(one.channel, asked, result)
        else:
            self.took(asked.server, asked.tool, one.message)

    def listed(self, channel: str, asked: _Asked, result: object) -> None:
        """Take a page of a list of tools; once it is whole, it is the menu."""
        if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
            return
        if asked.first:
            self.pages[channel] = []
        pages = self.pages.get(channel)
        if pages is None:  # its beginning was not recorded
            return
        pages += [tool for tool in result["tools"] if isinstance(tool, dict)]
        if result.get("nextCursor") is not None and len(pages) < _LISTED:
            return
        asked.server.menu = tuple(self.pages.pop(channel))
        asked.server.schemas = {
            str(tool.get("name")): tool["outputSchema"]
            for tool in asked.server.menu
            if isinstance(tool.get("outputSchema"), dict)
        }

    def took(self, server: _Server, tool: str, message: Mapping[str, Any]) -> None:
        answers, result = server.answers[tool], message.get("result")
        failed = "result" not in message
        if failed:
            error = message.get("error")
            said = error.get("message") if isinstance(error, dict) else None
            result = {"content": [{"type": "text", "text": str(said or "")}], "isError": True}
        if isinstance(result, dict) and result.get("isError") is True:
            answers.errors += 1
        schema = server.schemas.get(tool)
        profile = profile_response(parts_of(result, schema=schema), count=self.count, tool=tool)
        answers.take(profile)
        if isinstance(result, dict) and not failed:
            found = answers.measured = answers.measured or Measured(LIMIT)
            self.measure(found, result, schema, profile.total)

    def measure(
        self,
        found: Measured,
        result: Mapping[str, Any],
        schema: Mapping[str, Any] | None,
        whole: int,
    ) -> None:
        """Shape an answer of *whole* tokens with each economy alone, as for a client that reads texts."""
        if found.answers >= MEASURED:
            return
        policy, count = policy_of(CLAUDE_CODE), self.count
        rules = (AnswerRule(limit=found.limit, encode=False, more=False), AnswerRule(more=False))
        try:
            cut, encoded = (
                shape(result, rule=rule, policy=policy, count=count, wire=True, schema=schema)
                for rule in rules
            )
        except (KeyError, RecursionError, TypeError, ValueError):  # no answer that is known
            return
        if not cut.before:  # an error, a question, or nothing to read
            return
        saved = 0
        if cut.rows_cut and cut.cut is not None:
            all_, shown = cut.cut
            note = cut.after.partition("\n")[0]
            saved = count(all_) - count(shown) - count(note)
        found.answers += 1
        found.before += whole
        found.limited += whole - min(max(saved, 0), whole)
        found.encoded += whole - min(max(count(cut.before) - count(encoded.after), 0), whole)
        found.cut += cut.rows_cut > 0
        found.rows_cut += cut.rows_cut

    def end(self) -> None:
        """Give up what still waits."""
        for key in list(self.waiting):
            self.dropped(key)


def _calls(many: int) -> str:
    return "1 call" if many == 1 else f"{many} calls"


def _id(value: object) -> str:
    return repr(value)[:200]


def _bounded(known: dict[tuple[str, str], str]) -> None:
    if len(known) >= _PENDING:
        del known[next(iter(known))]


def _fits(method: str, message: Mapping[str, Any]) -> bool:
    """Tell whether an answer that may be of either side's request is that of the client's."""
    result = message.get("result")
    if not isinstance(result, dict):
        return "error" in message
    if method == "tools/list":
        return "tools" in result
    return isinstance(result.get("content"), list) or "structuredContent" in result
