"""What a client asks to be done, who asks, and how a request stands: values that every face and backend shares.

It knows no protocol, no file and no model; what may be asked is judged where it is carried out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = [
    "EMBEDDED_MODEL",
    "FULL",
    "PREVIEW",
    "Caller",
    "Change",
    "Order",
    "Question",
    "Reply",
    "Standing",
]

FULL: Final = "complet"
PREVIEW: Final = "apercu"

EMBEDDED_MODEL: Final = "SmolLM2-135M-Instruct"
"""What the model is called that stands in where there is no other; an answer of it says so."""

Reply = Literal["complet", "apercu"]
"""Whether the whole answer is given back, or its first lines; the wire's own words."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, as far as it is known.

    `client` is the program's name, `session` its MCP session, `connection` the other end of its connection;
    `tool_use` is the id under which a transcript of Claude Code names the call.
    """

    client: str | None = None
    session: str | None = None
    connection: str | None = None
    tool_use: str | None = None

    @property
    def line(self) -> tuple[str | None, str | None]:
        """Return what fairness goes by: the client's name, and its session where it has one, else its connection."""
        return self.client, self.connection if self.session is None else self.session


@dataclass(frozen=True, slots=True)
class Order:
    """One piece of work, as it was asked.

    `brief` says what to do; `files` are read here, so that the caller never pays for them; `output` is the file that
    the answer is written to, and an existing one is replaced only where `overwrite` says so or it is as last seen.
    `base` is where relative paths begin (None: at the one allowed root); `roots` are the client's own, which can only
    narrow what is allowed. `deadline_s` counts from the moment it is queued, but not while a question
    waits for its caller; None is the one of the settings.
    """

    brief: str
    preset: str | None = None
    format: str | None = None
    files: tuple[str, ...] = ()
    output: str | None = None
    overwrite: bool = False
    reply: Reply = FULL
    deadline_s: float | None = None
    base: str | None = None
    roots: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What a coder asks leave for: the kind of act, and what exactly (a path, an address, a command line)."""

    act: str
    subject: str


@dataclass(frozen=True, slots=True)
class Change:
    """One file that a coder changed; `runs_code` where the file can make a program run (hooks, CI, settings)."""

    path: str
    added_lines: int
    removed_lines: int
    kind: Literal["added", "changed", "deleted"]
    runs_code: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """How a request stands at a moment; what is None is not known, or does not apply.

    `position` counts those before it in the queue, itself included (1 is next). `answer` is the whole answer where it
    ended well and is still kept, `answer_path` the file that holds it. `tokens_estimated` says that no backend reported
    the counts, `refusal` why its changes cannot be applied, `left_out` which new files are none of them, `cut` that the answer ends where the limit of tokens was, not where the model would have ended it. `waiting_s` and `written` are the seconds since it was queued and the pieces of answer received so far.
    """

    request_id: str
    status: str
    preset: str | None = None
    format: str | None = None
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_estimated: bool = False
    duration_s: float | None = None
    reply: Reply = FULL
    output: str | None = None
    error: str | None = None
    position: int | None = None
    waiting_s: float = 0.0
    written: int = 0
    answer: str | None = None
    answer_path: str | None = None
    question: Question | None = None
    changes: tuple[Change, ...] | None = None
    refusal: str | None = None
    left_out: tuple[str, ...] = ()
    cut: bool = False
