"""What was last measured of a server, as it is kept: counters, names, classes, outcomes and times, and no text of anybody's.

A profile that is printed holds reasons, advice and texts of servers; what is made of it here holds none of them. Lists have
an end, and beside each stands how many more there were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from msgspec import Struct

__all__ = [
    "MOST_ROWS",
    "SCHEMA",
    "Answered",
    "AnsweredTool",
    "Ceiling",
    "Checked",
    "Economy",
    "Known",
    "LockState",
    "Locked",
    "Measured",
    "MeasuredTool",
    "Namespace",
    "Outcome",
    "Reached",
    "Told",
    "answers_of",
    "ceilings_of",
    "plain",
    "profile_of",
]

SCHEMA: Final = "econome.kept/1"

MOST_ROWS: Final = 100
"""So many rows of a list are kept."""

_MOST_OF_ONE: Final = 25
"""So many rows of one economy are kept: there is one of some for each tool."""

_MOST_LETTERS: Final = 512
"""A name that is longer is cut: it is a stranger's."""

Reached = Literal["stdio", "http", "config", "recording"]
Outcome = Literal["holds", "fails", "unchecked"]


class MeasuredTool(Struct, frozen=True):
    """One tool of a menu; *risk* is its static class, None where nothing is known of its answers."""

    tool: str
    tokens: int
    share: float
    found: int
    namespace: str = ""
    risk: str | None = None


class Namespace(Struct, frozen=True):
    """The tools of one namespace in a turn."""

    namespace: str
    tools: int
    tokens: int
    share: float


class Economy(Struct, frozen=True):
    """What one economy would save on one thing; *basis* is None, as its figures may be, where that is not known."""

    economy: str
    order: int
    what: str
    per: Literal["turn", "answer"]
    tokens_before: int | None = None
    tokens_after: int | None = None
    basis: Literal["counted", "measured", "estimated"] | None = None

    @property
    def saves(self) -> int | None:
        """Tokens that it saves, below 0 where it costs some; None where that is not known."""
        if self.tokens_before is None or self.tokens_after is None:
            return None
        return self.tokens_before - self.tokens_after


class Ceiling(Struct, frozen=True):
    """One ceiling that was exceeded, or one for what the server does not have; then *tokens* is None."""

    level: Literal["warn", "fail"]
    scope: str
    name: str
    tokens: int | None
    ceiling: int
    estimated: bool = False


class Measured(Struct, frozen=True):
    """What `econome profile` said of the menu of a server, *at* an instant in ISO 8601.

    *tools* is what a turn pays for and *declared* how many there are one by one; *risks* counts these by static class,
    `unknown` among them. *largest* begins with the most tokens.
    """

    schema: Literal["econome.kept/1"]
    server: str
    at: str
    reached: Reached
    tokenizer: str
    estimate: bool
    tools: int
    per_turn: int
    deferred: int
    version: str = ""
    declared: int = 0
    declared_tokens: int = 0
    instructions: int | None = None
    library: bool = False
    risk: str | None = None
    risks: dict[str, int] = {}  # noqa: RUF012: msgspec gives each its own
    largest: tuple[MeasuredTool, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    economies: tuple[Economy, ...] = ()
    more_economies: int = 0
    budget: tuple[Ceiling, ...] = ()


class AnsweredTool(Struct, frozen=True):
    """What recorded answers of one tool weighed, in tokens; *estimated* says that some of it was no text."""

    tool: str
    calls: int
    unanswered: int
    errors: int
    p50: int | None
    p95: int | None
    max: int | None
    total: int
    estimated: bool = False


class Answered(Struct, frozen=True):
    """What `econome profile --log` said of the answers of a server, those that cost most in all first."""

    schema: Literal["econome.kept/1"]
    server: str
    at: str
    tokenizer: str
    estimate: bool
    tools: tuple[AnsweredTool, ...] = ()
    more: int = 0


class Locked(Struct, frozen=True):
    """What `econome lock` wrote of a server into the file *lock*; *unknown* counts tools of whose answers nothing is known."""

    schema: Literal["econome.kept/1"]
    server: str
    lock: str
    at: str
    tokenizer: str
    estimate: bool
    tools: int
    tokens: int
    risk: str | None = None
    unknown: int = 0
    signed: bool = False


class Told(Struct, frozen=True):
    """One difference that a check told: a rule's kind and severity, and what it is about."""

    severity: str
    kind: str
    subject: str
    name: str


class Checked(Struct, frozen=True):
    """What `econome lock --check` said of a server and the file *lock*.

    *severities* counts what differs, of which *findings* holds the worst. *why* is a word where nothing could be checked:
    `away`, `lock`, `signature`, `settings` or `other`.
    """

    schema: Literal["econome.kept/1"]
    server: str
    lock: str
    at: str
    outcome: Outcome
    why: str = ""
    fail_on: str = ""
    severities: dict[str, int] = {}  # noqa: RUF012: msgspec gives each its own
    findings: tuple[Told, ...] = ()
    budget: tuple[Ceiling, ...] = ()


class LockState(Struct, frozen=True):
    """One lock of a server: when it was locked and what the last check said, as far as either is known."""

    lock: str
    locked: Locked | None = None
    checked: Checked | None = None

    @property
    def at(self) -> str:
        """When either was last done."""
        return max(one.at for one in (self.locked, self.checked) if one is not None)

    @property
    def outcome(self) -> Literal["holds", "fails", "unchecked", "locked"]:
        """How it stands: what the last check said, `locked` where there was none since it was last locked."""
        return "locked" if self.checked is None else self.checked.outcome


class Known(Struct, frozen=True):
    """All that is kept of one server; its locks begin with the one last used, *place* is where it lies."""

    server: str
    place: str = ""
    measured: Measured | None = None
    answered: Answered | None = None
    locks: tuple[LockState, ...] = ()


def plain(name: object) -> str:
    """Return a name as it is kept: no lone surrogate, which no file of JSON may hold, and not without end."""
    text = str(name).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"


def profile_of(server: Mapping[str, Any], *, reached: Reached, at: str) -> Measured | None:
    """Return what is kept of one server of `econome profile --json`, None of one whose list of tools is not known."""
    menu = server["menu"]
    if menu["per_turn"] is None:
        return None
    tools = sorted(menu["tools"], key=lambda tool: (-tool["tokens"], tool["tool"]))
    economies = _kept_economies(server["economies"])
    return Measured(
        schema=SCHEMA,
        server=plain(server["server"]),
        at=at,
        reached=reached,
        tokenizer=server["tokenizer"],
        estimate=server["estimate"],
        tools=len(menu["listed"] or menu["tools"]),
        per_turn=menu["per_turn"],
        deferred=menu["deferred"],
        version=plain(server["version"]),
        declared=len(tools),
        declared_tokens=menu["declared"],
        instructions=menu["instructions"],
        library=menu["library"],
        risk=server["class"] if server["class_known"] else None,
        risks=dict(Counter(_risk(tool) or "unknown" for tool in tools)),
        largest=tuple(map(_tool, tools[:MOST_ROWS])),
        namespaces=tuple(
            Namespace(plain(one["namespace"]), one["tools"], one["tokens"], one["share"])
            for one in menu["namespaces"][:MOST_ROWS]
        ),
        economies=economies,
        more_economies=len(server["economies"]) - len(economies),
        budget=ceilings_of(server["budget"] or ()),
    )


def _tool(tool: Mapping[str, Any]) -> MeasuredTool:
    return MeasuredTool(
        tool=plain(tool["tool"]),
        tokens=tool["tokens"],
        share=tool["share"],
        found=tool["found"],
        namespace=plain(tool["namespace"]),
        risk=_risk(tool),
    )


def _risk(tool: Mapping[str, Any]) -> str | None:
    """Return the static class of a tool, None where its schema says nothing of its answers."""
    return None if tool["max_tokens"] is None else str(tool["class"])


def _kept_economies(rows: Iterable[Mapping[str, Any]]) -> tuple[Economy, ...]:
    """Return the first rows of each economy, which the report has in their order and the largest saving first."""
    many: Counter[str] = Counter()
    found = []
    for row in rows:
        many[row["economy"]] += 1
        if many[row["economy"]] <= _MOST_OF_ONE:
            figures = row["tokens_before"], row["tokens_after"], row["basis"]
            found.append(Economy(row["economy"], row["order"], plain(row["what"]), row["per"], *figures))  # fmt: skip
    return tuple(found)


def answers_of(server: Mapping[str, Any], *, at: str) -> Answered | None:
    """Return what is kept of the recorded answers of one server of `econome profile --json`, None where there were none."""
    answers = server["answers"]
    if not answers:
        return None
    tools = [
        AnsweredTool(
            tool=plain(name),
            calls=own["calls"],
            unanswered=own["unanswered"],
            errors=own["errors"],
            p50=own["p50"],
            p95=own["p95"],
            max=own["max"],
            total=own["total"],
            estimated=bool(own["estimated"]),
        )
        for name, own in list(answers.items())[:MOST_ROWS]
    ]
    return Answered(
        schema=SCHEMA,
        server=plain(server["server"]),
        at=at,
        tokenizer=server["tokenizer"],
        estimate=server["estimate"],
        tools=tuple(tools),
        more=len(answers) - len(tools),
    )


def ceilings_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Ceiling, ...]:
    """Return the ceilings that are exceeded, as reports have them."""
    found = [
        Ceiling(
            row["level"],
            row["scope"],
            plain(row["name"]),
            row["tokens"],
            row["ceiling"],
            row["estimated"],
        )
        for row in rows
    ]
    return tuple(found[:MOST_ROWS])
