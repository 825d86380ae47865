"""What opencode is told, and what it says: its settings, its events and its messages, as values.

Here is all that is known of its formats. It reaches no process; whatever does not look as expected is passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from econome.delegation.order import Question
from econome.delegation.ports import Written
from econome.tokens import estimate_tokens

__all__ = [
    "PROVIDER",
    "SUBJECT_LIMIT",
    "Asked",
    "Event",
    "Idle",
    "Piece",
    "Refused",
    "Trouble",
    "failure_in",
    "read_event",
    "settings",
    "written_in",
]

PROVIDER: Final = "local"
"""The name under which opencode knows the one server that it may ask."""

SUBJECT_LIMIT: Final = 4000
"""An act that takes more letters to tell is not put to anybody, since nobody would read it."""

_CONTEXT, _OUTPUT = 128_000, 8192
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """It asks leave for something; `question` is None where that is refused unasked."""

    id: str
    question: Question | None


@dataclass(frozen=True, slots=True)
class Refused:
    """It puts a question of another kind, which nobody is there to answer."""

    id: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of what the model writes."""


@dataclass(frozen=True, slots=True)
class Idle:
    """It is done."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """The model cannot be made to answer."""

    reason: str


Event = Asked | Refused | Piece | Idle | Trouble
"""What is of interest of what it says."""


def settings(url: str, model: str) -> dict[str, Any]:
    """Return its settings: one model, nothing fetched or shared, and leave to be asked for all that leads out of the clone."""
    return {
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "lsp": False,
        "formatter": False,
        "plugin": [],
        "mcp": {},
        "instructions": [],
        "enabled_providers": [PROVIDER],
        "model": f"{PROVIDER}/{model}",
        "small_model": f"{PROVIDER}/{model}",
        "provider": {
            PROVIDER: {
                "npm": "@ai-sdk/openai-compatible",
                "name": PROVIDER,
                "options": {"baseURL": url},
                "models": {
                    model: {
                        "name": model,
                        "tool_call": True,
                        "limit": {"context": _CONTEXT, "output": _OUTPUT},
                    }
                },
            }
        },
        "permission": _permissions(),
        "experimental": {"continue_loop_on_deny": True},
    }


def _permissions() -> dict[str, Any]:
    # The clone's own git directory says what git runs, and opencode runs git: to write there would be to run something unasked.
    spellings = ["." + "".join(letters) for letters in product("gG", "iI", "tT")]
    closed = {
        pattern: "deny"
        for name in spellings
        for pattern in (name, f"{name}/*", f"*/{name}", f"*/{name}/*")
    }
    return {
        "*": "ask",
        "read": "allow",
        "list": "allow",
        "glob": "allow",
        "grep": "allow",
        "todowrite": "allow",
        "todoread": "allow",
        "edit": {"*": "allow", **closed},
        "bash": "ask",
        "webfetch": "ask",
        "websearch": "ask",
        "codesearch": "ask",
        "external_directory": "ask",
        "task": "deny",
        "skill": "deny",
        "question": "deny",
        "doom_loop": "deny",
    }


def read_event(raw: Mapping[str, Any], session: str) -> Event | None:
    """Return what an event of its stream says; None where that is of no interest here."""
    kind, about = raw.get("type"), raw.get("properties")
    if not isinstance(about, dict):
        return None
    if kind == "permission.asked":
        return Asked(_text(about.get("id")), _question(about))
    if kind == "question.asked":
        return Refused(_text(about.get("id")))
    if about.get("sessionID") != session:
        return None
    if kind == "message.part.delta":
        return Piece()
    if kind == "session.idle":
        return Idle()
    status = about.get("status")
    if kind == "session.status" and isinstance(status, dict) and status.get("type") == "retry":
        tries = status.get("attempt")
        if isinstance(tries, int) and tries >= _TRIES:
            return Trouble("its model does not answer; see whether that server runs")
    return None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _question(about: Mapping[str, Any]) -> Question | None:
    """Return what leave is asked for, in words that show all of it; None where they are too many."""
    patterns, more = about.get("patterns"), about.get("metadata")
    more = more if isinstance(more, dict) else {}
    told = [_text(more.get(name)) for name in ("command", "url", "filepath", "query")]
    listed = [_text(one) for one in patterns] if isinstance(patterns, list) else []
    subject = next((one for one in told if one), ", ".join(listed))
    shown = "".join(
        letter if letter.isprintable() or letter == "\n" else _escaped(letter) for letter in subject
    )
    if not shown or len(shown) > SUBJECT_LIMIT:
        return None
    return Question(_text(about.get("permission")) or "?", shown)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def failure_in(messages: Iterable[Any]) -> str | None:
    """Return the kind of the error that its last message ended with; its words may quote what it worked on."""
    last = None
    for info, _ in _answers(messages):
        error = info.get("error")
        last = _text(error.get("name")) or "unknown error" if isinstance(error, dict) else None
    return last


def written_in(messages: Iterable[Any], model: str, sent: str) -> Written:
    """Return what its model said at the end, and the sums of what all its answers consumed."""
    text, tokens_in, tokens_out, said, cut = "", 0, 0, "", False
    for info, parts in _answers(messages):
        tokens = info.get("tokens")
        tokens = tokens if isinstance(tokens, dict) else {}
        cache = tokens.get("cache")
        cache = cache if isinstance(cache, dict) else {}
        tokens_in += _count(tokens, "input") + _count(cache, "read") + _count(cache, "write")
        tokens_out += _count(tokens, "output") + _count(tokens, "reasoning")
        texts = [_text(part.get("text")) for part in parts if part.get("type") == "text"]
        text = "".join(texts).strip() or text
        said += "".join(texts)
        cut = info.get("finish") == "length"
    if tokens_in or tokens_out:
        return Written(text, model, tokens_in, tokens_out, cut=cut)
    counts = estimate_tokens(sent), estimate_tokens(said)
    return Written(text, model, *counts, estimated=True, cut=cut)


def _count(counts: Mapping[str, Any], name: str) -> int:
    value = counts.get(name)
    return int(value) if isinstance(value, int | float) and value > 0 else 0


def _answers(messages: Iterable[Any]) -> Iterable[tuple[Mapping[str, Any], list[Any]]]:
    for message in messages:
        if not isinstance(message, dict):
            continue
        info, parts = message.get("info"), message.get("parts")
        if isinstance(info, dict) and info.get("role") == "assistant":
            listed = parts if isinstance(parts, list) else []
            yield info, [part for part in listed if isinstance(part, dict)]
