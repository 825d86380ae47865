"""The French of the tools that hand work over: their names, what they take and what they answer.

What a tool takes stands on the menu of every turn of a model, so the schemas say in the fewest words what a caller has
to know. The reading is stricter, and says in a sentence what is allowed. Nothing is done here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from econome.delegation.order import (
    EMBEDDED_MODEL,
    FULL,
    PREVIEW,
    Change,
    Order,
    Reply,
    Standing,
)
from econome.delegation.preview import preview
from econome.delegation.wire import DONE, QUEUED, REFUSED, RUNNING, STATUSES, TO_REVIEW
from econome.errors import UsageError
from econome.savings.wire import TEXT_LIMIT
from econome.server.surrogates import STAND_IN

__all__ = [
    "ALLOW", "APPLY", "CANCEL", "DELEGATE", "FOLLOW", "MENU", "REJECT", "REVIEW", "WAIT_S",
    "WAIT_S_MOST", "Outcome", "allow_arguments", "delegate_arguments", "diff_answer",
    "ended_answer", "envelope", "follow_arguments", "is_failure", "read_allowed", "read_id",
    "read_order", "read_outcome", "read_path", "read_wait", "refused_answer", "touches_files",
]  # fmt: skip

DELEGATE, FOLLOW, CANCEL = "deleguer", "suivre", "annuler"
REVIEW, ALLOW, APPLY, REJECT = "relire", "autoriser", "appliquer", "rejeter"

WAIT_S, WAIT_S_MOST = 60, 600
"""How long a call waits for the end of its request, in seconds, unless told otherwise; and at most."""

_BRIEF, _PRESET, _FORMAT, _FILES = "consigne", "preset", "format", "fichiers"
_OUTPUT, _OVERWRITE, _REPLY, _WAIT = "sortie", "ecraser", "retour", "attente_s"
_ID, _PATH, _ALLOWED = "demande_id", "fichier", "accord"

_BRIEF_LIMIT, _PATH_LIMIT, _FILES_LIMIT = 524_288, 4096, 200
"""Characters of a brief and of a path, and files; what a model can take is less, and told by its backend."""


def _text(description: str = "") -> dict[str, Any]:
    return {"type": "string", **({"description": description} if description else {})}


def _taken(*required: str, **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


_SECONDS = {"type": "integer", "minimum": 0, "maximum": WAIT_S_MOST, "default": WAIT_S}

MENU: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    DELEGATE: (
        "Have the local model do a task, at no cost to you. It sees only consigne and fichiers. "
        "If it is not done within attente_s, call suivre.",
        _taken(
            _BRIEF,
            **{
                _BRIEF: _text(),
                _PRESET: _text(
                    "summarise, extract-json, code, edit (changes a repository's files, for review) "
                    "or the user's own"
                ),
                _FORMAT: _text("text, json, code, code:LANGUAGE or diff"),
                _FILES: {
                    "type": "array",
                    "items": _text(),
                    "description": "Paths it reads, so that you need not",
                },
                _OUTPUT: _text("File to write the answer to"),
                _OVERWRITE: {"type": "boolean", "description": "Replace sortie if it exists"},
                _REPLY: {"enum": [FULL, PREVIEW], "description": "apercu: only the first lines"},
                _WAIT: _SECONDS,
            },
        ),
    ),
    FOLLOW: ("Wait for a request's result.", _taken(_ID, **{_ID: _text(), _WAIT: _SECONDS})),
    CANCEL: ("Cancel a request.", _taken(_ID, **{_ID: _text()})),
    REVIEW: (
        "Show the diff awaiting review, whole or of one file.",
        _taken(_ID, **{_ID: _text(), _PATH: _text()}),
    ),
    ALLOW: (
        "Answer a request's permission question.",
        _taken(_ID, _ALLOWED, **{_ID: _text(), _ALLOWED: {"type": "boolean"}}),
    ),
    APPLY: ("Apply the reviewed changes.", _taken(_ID, **{_ID: _text()})),
    REJECT: ("Discard them.", _taken(_ID, **{_ID: _text()})),
}
"""What a model is told of each tool: its description, and its arguments as JSON Schema."""

_NOTICE: Final = "the embedded model answered: it proves the plumbing, not quality"

_KINDS: Final = {"added": "ajoute", "changed": "modifie", "deleted": "supprime"}


class _Arguments:
    """The arguments of a call, each read once; one that is null is absent."""

    def __init__(self, tool: str, given: Mapping[str, Any]) -> None:
        self._given = {name: value for name, value in given.items() if value is not None}
        known = MENU[tool][1]["properties"]
        unknown = sorted(self._given.keys() - known.keys())
        if unknown:
            named = unknown[0][:TEXT_LIMIT]
            raise UsageError(f"{named}: no such argument; known: {', '.join(known)}")

    def text(self, name: str, limit: int = TEXT_LIMIT) -> str | None:
        value = self._given.get(name)
        return None if value is None else _checked(name, value, limit)

    def needed(self, name: str, limit: int = TEXT_LIMIT) -> str:
        value = self.text(name, limit)
        if value is None:
            raise UsageError(f"{name}: missing")
        return value

    def truth(self, name: str) -> bool | None:
        value = self._given.get(name)
        if value is not None and not isinstance(value, bool):
            raise UsageError(f"{name}: expected true or false")
        return value

    def wait(self) -> int:
        value = self._given.get(_WAIT, WAIT_S)
        if type(value) is not int or not 0 <= value <= WAIT_S_MOST:
            raise UsageError(f"{_WAIT}: expected a whole number from 0 to {WAIT_S_MOST}")
        return value

    def paths(self) -> tuple[str, ...]:
        value = self._given.get(_FILES, [])
        if not isinstance(value, list) or len(value) > _FILES_LIMIT:
            raise UsageError(f"{_FILES}: expected a list of at most {_FILES_LIMIT} paths")
        return tuple(_checked(_FILES, path, _PATH_LIMIT) for path in value)

    def reply(self) -> Reply:
        value = self._given.get(_REPLY, FULL)
        if value == FULL:
            return FULL
        if value == PREVIEW:
            return PREVIEW
        raise UsageError(f"{_REPLY}: expected {FULL} or {PREVIEW}")


def _checked(name: str, value: object, limit: int) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > limit:
        raise UsageError(f"{name}: expected a text of 1 to {limit} characters")
    if STAND_IN in value or any("\ud800" <= one <= "\udfff" for one in value):
        raise UsageError(f"{name}: half of a surrogate pair is no character")
    return value


def read_order(
    given: Mapping[str, Any],
    base: str | None = None,
    roots: tuple[str, ...] | None = None,
    deadline_s: float | None = None,
) -> Order:
    """Return what the arguments of DELEGATE ask for, with what the connection adds.

    Raises:
        UsageError: one is missing, unknown or wrong.
    """
    read = _Arguments(DELEGATE, given)
    read.wait()
    return Order(
        brief=read.needed(_BRIEF, _BRIEF_LIMIT),
        preset=read.text(_PRESET),
        format=read.text(_FORMAT),
        files=read.paths(),
        output=read.text(_OUTPUT, _PATH_LIMIT),
        overwrite=read.truth(_OVERWRITE) or False,
        reply=read.reply(),
        deadline_s=deadline_s,
        base=base,
        roots=roots,
    )


def touches_files(tool: str, given: Mapping[str, Any]) -> bool:
    """Tell whether a call names a file, so that it matters which are allowed."""
    return tool == DELEGATE and (bool(given.get(_FILES)) or given.get(_OUTPUT) is not None)


def read_id(tool: str, given: Mapping[str, Any]) -> str:
    """Return the request that the arguments of a tool name; see `read_order` for what may fail."""
    return _Arguments(tool, given).needed(_ID)


def read_wait(tool: str, given: Mapping[str, Any]) -> int:
    """Return how long a call of DELEGATE or FOLLOW waits; see `read_order` for what may fail."""
    return _Arguments(tool, given).wait()


def read_path(given: Mapping[str, Any]) -> str | None:
    """Return the one file whose diff is wanted; see `read_order` for what may fail."""
    return _Arguments(REVIEW, given).text(_PATH, _PATH_LIMIT)


def read_allowed(given: Mapping[str, Any]) -> bool:
    """Return whether an act is allowed; see `read_order` for what may fail."""
    allowed = _Arguments(ALLOW, given).truth(_ALLOWED)
    if allowed is None:
        raise UsageError(f"{_ALLOWED}: missing; true allows it")
    return allowed


def delegate_arguments(order: Order, wait_s: int) -> dict[str, Any]:
    """Return the arguments that ask for an order; `read_order` reads them again."""
    found: dict[str, Any] = {
        _BRIEF: order.brief,
        _PRESET: order.preset,
        _FORMAT: order.format,
        _FILES: list(order.files) or None,
        _OUTPUT: order.output,
        _OVERWRITE: order.overwrite or None,
        _REPLY: order.reply,
        _WAIT: wait_s,
    }
    return {name: value for name, value in found.items() if value is not None}


def follow_arguments(request_id: str, wait_s: int | None = None) -> dict[str, Any]:
    """Return the arguments that name a request, and how long to wait where FOLLOW is asked."""
    return {_ID: request_id, **({} if wait_s is None else {_WAIT: wait_s})}


def allow_arguments(request_id: str, allowed: bool) -> dict[str, Any]:
    """Return the arguments that answer a question."""
    return {_ID: request_id, _ALLOWED: allowed}


def envelope(standing: Standing) -> dict[str, Any]:
    """Return how a request stands, as the tools answer it (D2)."""
    begin: dict[str, Any] = {"ok": True, _ID: standing.request_id, "statut": standing.status}
    if standing.status == DONE:
        return {**begin, **_answer(standing), **_figures(standing)}
    if standing.status in STATUSES:
        reason = standing.error or "it ended without a result; ask again if it is still wanted"
        return {**begin, "ok": False, "erreur": reason}
    if standing.question is not None:
        asked = {"acte": standing.question.act, "objet": standing.question.subject}
        return {**begin, "question": asked, "suite": f"{ALLOW}, {_ALLOWED} true or false"}
    if standing.changes is not None:
        changes = [_change(change) for change in standing.changes]
        left_out = {"ecartes": list(standing.left_out)} if standing.left_out else {}
        told = {**begin, "modifications": changes, **left_out}
        if standing.refusal is not None:
            return {**told, "refus": standing.refusal, "suite": f"{REVIEW}, then {REJECT}"}
        return {**told, "suite": f"{REVIEW}, then {APPLY} or {REJECT}"}
    position = 0 if standing.status == RUNNING else standing.position
    return begin if position is None else {**begin, "position": position}


def _answer(standing: Standing) -> dict[str, Any]:
    if standing.reply == PREVIEW:
        where = standing.output or standing.answer_path
        return {PREVIEW: None if standing.answer is None else preview(standing.answer, where)}
    return {"reponse": standing.answer}


def _figures(standing: Standing) -> dict[str, Any]:
    return {
        "tokens_entree": standing.tokens_in,
        "tokens_sortie": standing.tokens_out,
        **({"tokens_estimes": True} if standing.tokens_estimated else {}),
        **({"tronquee": True} if standing.cut else {}),
        _OUTPUT: standing.output,
        _PRESET: standing.preset,
        _FORMAT: standing.format,
        "modele": standing.model,
        "duree_s": standing.duration_s,
        **({"avis": _NOTICE} if standing.model == EMBEDDED_MODEL else {}),
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        _PATH: change.path,
        "ajouts": change.added_lines,
        "retraits": change.removed_lines,
        "genre": _KINDS[change.kind],
        **({"execute_du_code": True} if change.runs_code else {}),
    }


def diff_answer(request_id: str, diff: str) -> dict[str, Any]:
    """Return the changes that wait for a review, as REVIEW answers them."""
    return {"ok": True, _ID: request_id, "diff": diff}


def ended_answer(standing: Standing) -> dict[str, Any]:
    """Return the answer to whoever ended a request on purpose: that was done, though there is no result."""
    return {"ok": True, _ID: standing.request_id, "statut": standing.status}


def refused_answer(reason: str) -> dict[str, Any]:
    """Return what is told of a request that was refused before it was queued; it has no id."""
    return {"ok": False, _ID: None, "statut": REFUSED, "erreur": reason}


def is_failure(answer: Mapping[str, Any]) -> bool:
    """Tell whether an answer is one of a failure."""
    return answer.get("ok") is not True


class _Asked(Struct, frozen=True, rename={"act": "acte", "subject": "objet"}):
    act: str
    subject: str


class _Changed(
    Struct,
    frozen=True,
    rename={
        "path": _PATH,
        "added_lines": "ajouts",
        "removed_lines": "retraits",
        "runs_code": "execute_du_code",
    },
):
    path: str
    added_lines: int
    removed_lines: int
    runs_code: bool = False


class Outcome(
    Struct,
    frozen=True,
    rename={
        "request_id": _ID,
        "status": "statut",
        "error": "erreur",
        "answer": "reponse",
        "preview": PREVIEW,
        "tokens_in": "tokens_entree",
        "tokens_out": "tokens_sortie",
        "output": _OUTPUT,
        "model": "modele",
        "duration_s": "duree_s",
        "changes": "modifications",
        "left_out": "ecartes",
        "refusal": "refus",
        "cut": "tronquee",
        "notice": "avis",
    },
):
    """What an answer of a tool tells; the inverse of `envelope` for what a command shows."""

    ok: bool
    request_id: str | None = None
    status: str | None = None
    error: str | None = None
    answer: str | None = None
    preview: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cut: bool = False
    output: str | None = None
    model: str | None = None
    duration_s: float | None = None
    notice: str | None = None
    question: _Asked | None = None
    changes: tuple[_Changed, ...] | None = None
    left_out: tuple[str, ...] = ()
    refusal: str | None = None
    diff: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether the request is queued or running: it neither ended nor waits for its caller."""
        return self.status in (QUEUED, RUNNING)

    @property
    def asks(self) -> bool:
        """Whether the request waits for its caller."""
        return self.status == TO_REVIEW


def read_outcome(text: str) -> Outcome:
    """Return what an answer of a tool tells.

    Raises:
        ValueError: it is no such answer.
    """
    return msgspec.json.decode(text, type=Outcome)
