"""What answers of tools cost in the context: those of one _MCP tool that outweigh the rest, and files read again and again.

Pure. Only the characters of text count: an image's or a document's data say nothing of its tokens. Of a file there is a
salted hash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from econome.diagnosis.carrying import TOKENIZER, Answer, carried, tokens_of
from econome.diagnosis.findings import (
    Claim,
    Finding,
    Judgement,
    Unit,
    evidence,
    found,
    nothing,
)
from econome.diagnosis.norms import needed
from econome.diagnosis.spending import Spent, Thread
from econome.prices.amounts import usd
from econome.usage.detail import ToolCall

__all__ = ["mcp_dominates", "read_again"]

_MCP, _AGAIN = "mcp-answers-dominate", "same-file-read-again"

_SHARE_FLOOR = Fraction(3, 10)
_CHARACTERS_FLOOR = 40_000
_AGAIN_FLOOR = 3
_NORM = 90
_HASH = 12
_CHANGING = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})

_Threads = Mapping[Thread, Sequence[Spent]]
_Cuts = Mapping[Thread, Sequence[int]]


def _text(call: ToolCall) -> int:
    return sum(part.characters for part in call.parts if part.kind in ("text", "other"))


def _size(calls: Sequence[ToolCall]) -> dict[str, Any]:
    """Return the characters of answers, and the tokens that they are estimated to be."""
    return {
        "characters": sum(map(_text, calls)),
        "tokens": sum(tokens_of(_text(call)) for call in calls),
        "tokenizer": TOKENIZER,
    }


def _carried(
    sources: Mapping[str, Sequence[ToolCall]], threads: _Threads, cuts: _Cuts
) -> dict[str, dict[int, Claim]]:
    """Return for each source what the answers to its calls were of each response."""
    answers = (
        Answer((call.session, call.agent), call.returned_ns, tokens_of(_text(call)), name)
        for name, calls in sources.items() for call in calls
        if call.returned_ns is not None
    )  # fmt: skip
    return carried(answers, threads, cuts)


def _joined(of_sources: Iterable[Mapping[int, Claim]]) -> dict[Unit, Claim]:
    """Add up what several sources claim of each response."""
    sums: dict[Unit, Claim] = {}
    for claims in of_sources:
        for place, claim in claims.items():
            known = sums.get(place)
            if known is None:
                sums[place] = claim
            else:
                both = None if known.atto is None or claim.atto is None else known.atto + claim.atto
                sums[place] = Claim(known.tokens + claim.tokens, both)
    return sums


def _worth(claims: Mapping[int, Claim]) -> tuple[int, int | None]:
    """Return the tokens and the price of claims; no price where none of them has one."""
    amounts = [claim.atto for claim in claims.values() if claim.atto is not None]
    return sum(claim.tokens for claim in claims.values()), sum(amounts) if amounts else None


def _told(atto: int | None) -> str | None:
    return None if atto is None else usd(atto)


@dataclass(slots=True)
class _Tool:
    """The answers of one _MCP tool."""

    server: str
    tool: str
    sessions: set[str] = field(default_factory=set)
    calls: list[ToolCall] = field(default_factory=list)
    characters: int = 0


def mcp_dominates(calls: Sequence[ToolCall], threads: _Threads, cuts: _Cuts) -> Judgement:
    """Judge _MCP tools whose answers are much of all answers in the sessions that called them (rule 5)."""
    sessions: dict[str, int] = {}
    tools: dict[str, _Tool] = {}
    for call in calls:
        size = _text(call)
        sessions[call.session] = sessions.get(call.session, 0) + size
        if call.server:
            tool = tools.setdefault(call.name, _Tool(call.server, call.tool))
            tool.sessions.add(call.session)
            tool.calls.append(call)
            tool.characters += size
    shares = {
        name: Fraction(tool.characters, sum(sessions[session] for session in tool.sessions))
        for name, tool in tools.items()
        if tool.characters
    }
    used, threshold = needed(
        "share-of-a-tool", _NORM, list(shares.values()), _SHARE_FLOOR, told=float
    )
    dominating = [
        name for name, share in shares.items()
        if share >= used and tools[name].characters >= _CHARACTERS_FLOOR
    ]  # fmt: skip
    if not dominating:
        return nothing(_MCP, threshold)
    claims = _carried({name: tools[name].calls for name in dominating}, threads, cuts)
    rows = []
    for name in dominating:
        tool = tools[name]
        tokens, atto = _worth(claims.get(name, {}))
        told = (
            tool.server, tool.tool, len(tool.sessions), len(tool.calls), tool.characters, float(shares[name]),
            _size(tool.calls)["tokens"], tokens, _told(atto),
        )  # fmt: skip
        rows.append(((-(atto or 0), -tool.characters, name), told))
    columns = (
        ("server", "server"), ("tool", "tool"), ("sessions", "count"), ("answers", "count"),
        ("characters", "characters"), ("share", "share"), ("tokens", "tokens"), ("carried", "tokens"), ("usd", "usd"),
    )  # fmt: skip
    calls = [call for name in dominating for call in tools[name].calls]
    finding = Finding(
        _MCP,
        "estimated",
        "medium",
        _joined(claims.values()),
        {
            "tools": len(dominating),
            "answers": len(calls),
            **_size(calls),
        },
        (evidence("tools", columns, [row for _, row in sorted(rows)]),),
    )
    return found(finding, threshold)


@dataclass(slots=True)
class _File:
    """How one agent of a session read one file; `again` are the reads that no change or cut came before."""

    session: str
    agent: str
    file: str
    project: str
    reads: int = 0
    again: list[ToolCall] = field(default_factory=list)


def _files(calls: Sequence[ToolCall], cuts: _Cuts) -> list[_File]:
    """Return the files that were read."""
    files: dict[tuple[str, str, str], _File] = {}
    known: dict[tuple[str, str, str], int] = {}
    changed: dict[tuple[str, str], int] = {}
    for call in calls:
        at = call.called_ns
        if not call.file or at is None or call.failed is not False:
            continue
        key = call.session, call.agent, call.file
        if call.name in _CHANGING:
            changed[call.session, call.file] = at
        elif call.name == "Read":
            file = files.setdefault(key, _File(*key, call.project))
            file.reads += 1
            since = known.get(key)
            cut = any(since is not None and since < moment <= at for moment in cuts.get(key[:2], ()))  # fmt: skip
            if (
                since is not None
                and changed.get((call.session, call.file), since - 1) < since
                and not cut
            ):
                file.again.append(call)
            known[key] = at
    return list(files.values())


def read_again(calls: Sequence[ToolCall], threads: _Threads, cuts: _Cuts) -> Judgement:
    """Judge files that an agent read again and again while its session left them as they were (rule 6)."""
    files = _files(calls, cuts)
    counts = [len(file.again) for file in files]
    used, threshold = needed("repeats-of-a-file", _NORM, counts, _AGAIN_FLOOR)
    often = {
        f"{file.session}\n{file.agent}\n{file.file}": file for file in files
        if len(file.again) >= used
    }  # fmt: skip
    if not often:
        return nothing(_AGAIN, threshold)
    claims = _carried({name: file.again for name, file in often.items()}, threads, cuts)
    kinds = {
        thread: responses[0].response.agent for thread, responses in threads.items() if responses
    }
    rows = []
    for name, file in often.items():
        tokens, atto = _worth(claims.get(name, {}))
        size = _size(file.again)
        told = (
            file.session, file.project, kinds.get((file.session, file.agent), "unknown"), file.file[:_HASH],
            file.reads, len(file.again), size["characters"], size["tokens"], tokens, _told(atto),
        )  # fmt: skip
        rows.append(((-(atto or 0), -size["characters"], name), told))
    columns = (
        ("session", "session"), ("project", "project"), ("agent", "agent"), ("file", "hash"), ("reads", "count"),
        ("again", "count"), ("characters", "characters"), ("tokens", "tokens"), ("carried", "tokens"), ("usd", "usd"),
    )  # fmt: skip
    again = [call for file in often.values() for call in file.again]
    finding = Finding(
        _AGAIN,
        "estimated",
        "low",
        _joined(claims.values()),
        {
            "files": len(often),
            "reads": sum(file.reads for file in often.values()),
            "again": len(again),
            **_size(again),
        },
        (evidence("files", columns, [row for _, row in sorted(rows)]),),
    )
    return found(finding, threshold)
