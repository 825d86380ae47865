"""The French of the HTTP and MCP answers: the names, and nothing else.

`docs/contract.md` fixes these names; what stands under them is computed below this room.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import msgspec

from econome.errors import BatchError, EconomeError, UsageError
from econome.savings.question import By, Question
from econome.savings.wire import TEXT_LIMIT
from econome.server.surrogates import STAND_IN

__all__ = [
    "BALANCE_ARGUMENTS",
    "BALANCE_TOOL",
    "BATCH_END",
    "BATCH_REFUSAL",
    "BATCH_START",
    "NAMELESS",
    "RECEIPT",
    "REFUSAL",
    "balance_answer",
    "balance_question",
    "fault",
    "read_fault",
    "read_receipt",
    "receipt",
    "refusal",
]

BATCH_START, BATCH_END = b'{"evenements":[', b"]}"
"""What stands before and after the events of a body, which a comma parts."""

BALANCE_TOOL = "bilan"

NAMELESS = "(inconnu)"
"""The row of what has no preset, format or model: the journal knows nothing of its request."""

_ROWS: Final[dict[str, By]] = {
    "preset": "preset",
    "format": "format",
    "modele": "model",
    "jour": "day",
}
_FIGURES: Final = {
    "delegations": "delegations",
    "evites": "avoided",
    "pilotage": "steering",
    "corrections": "corrections",
    "net": "net",
    "taux_reprise": "rework_rate",
}
_CLIENT_FIGURES: Final = {**_FIGURES, "non_rattaches": "unattached", "conflits": "conflicts"}
_LOCAL: Final = {
    "demandes": "requests",
    "statuts": "by_status",
    "tokens_entree": "tokens_in",
    "tokens_sortie": "tokens_out",
    "duree_s": "duration_s",
}

REFUSAL: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"ok": {"const": False}, "erreur": {"type": "string"}},
    "required": ["ok", "erreur"],
}
BATCH_REFUSAL: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        **REFUSAL["properties"],
        "index": {"type": ["integer", "null"], "minimum": 0},
        "champ": {"type": ["string", "null"]},
    },
    "required": ["ok", "erreur", "index", "champ"],
}
RECEIPT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "ok": {"const": True},
        "recus": {"type": "integer", "minimum": 0},
        "doublons": {"type": "integer", "minimum": 0},
    },
    "required": ["ok", "recus", "doublons"],
}
"""The answers, as JSON Schema."""

_MOST_DAYS = 36_500

BALANCE_ARGUMENTS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "jours": {
            "type": "integer",
            "minimum": 1,
            "maximum": _MOST_DAYS,
            "description": "The last so many days, today included; all by default.",
        },
        "client": {
            "type": "string",
            "minLength": 1,
            "maxLength": TEXT_LIMIT,
            "description": "Only this client.",
        },
        "par": {"type": "string", "enum": list(_ROWS), "description": "Rows of each client."},
    },
    "additionalProperties": False,
}
"""What the tool takes; `balance_question` is stricter only in that it says so in a sentence."""


class _Receipt(msgspec.Struct, frozen=True):
    recus: int
    doublons: int


class _Fault(msgspec.Struct, frozen=True):
    erreur: str


def receipt(received: int, duplicates: int) -> bytes:
    """Return the answer to a batch that was taken: its new events, and those that were there already."""
    return b'{"ok":true,"recus":%d,"doublons":%d}' % (received, duplicates)


def read_receipt(answer: bytes) -> tuple[int, int]:
    """Return the new events and the duplicates that an answer tells of; the inverse of `receipt`."""
    read = msgspec.json.decode(answer, type=_Receipt)
    return read.recus, read.doublons


def fault(reason: str) -> dict[str, object]:
    """Return the one shape of every refusal."""
    return {"ok": False, "erreur": reason}


def read_fault(answer: bytes) -> str | None:
    """Return the reason that a refusal gives, None where it gives none."""
    try:
        return msgspec.json.decode(answer, type=_Fault).erreur
    except (msgspec.DecodeError, RecursionError):
        return None


def refusal(error: EconomeError) -> dict[str, object]:
    """Return what is said of an expected failure; of a batch, which event and which field are at fault."""
    if isinstance(error, BatchError):
        return {**fault(error.reason), "index": error.index, "champ": error.field}
    return fault(str(error))


def balance_question(arguments: Mapping[str, Any], today: int) -> Question:
    """Return what the arguments of the tool ask for on a day; an argument that is null is absent.

    Raises:
        UsageError: one is unknown or wrong.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    unknown = given.keys() - BALANCE_ARGUMENTS["properties"].keys()
    if unknown:
        known = ", ".join(BALANCE_ARGUMENTS["properties"])
        raise UsageError(f"{sorted(unknown)[0][:TEXT_LIMIT]}: no such argument; known: {known}")
    days, client, rows = given.get("jours"), given.get("client"), given.get("par")
    if days is not None and (type(days) is not int or not 1 <= days <= _MOST_DAYS):
        raise UsageError(f"jours: expected a whole number from 1 to {_MOST_DAYS}")
    if client is not None and not (isinstance(client, str) and 1 <= len(client) <= TEXT_LIMIT):
        raise UsageError(f"client: expected a name of at most {TEXT_LIMIT} characters")
    if client is not None and STAND_IN in client:
        raise UsageError("client: half of a surrogate pair is no character of a name")
    if rows is not None and (not isinstance(rows, str) or rows not in _ROWS):
        raise UsageError(f"par: expected one of {', '.join(_ROWS)}")
    since, until = (None, None) if days is None else (today - days + 1, today)
    return Question(since, until, client, by=None if rows is None else _ROWS[rows])


def balance_answer(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report of schema `econome.balance/1` as the tool answers it."""
    clients = {found["client"]: _client(found, report["by"]) for found in report["clients"]}
    return {"delegations": _renamed(report["local"], _LOCAL), "economies": clients}


def _client(found: Mapping[str, Any], by: By | None) -> dict[str, Any]:
    figures = _renamed(found, _CLIENT_FIGURES)
    for name, of in _ROWS.items():
        if of == by:
            nameless = _unused([row[of] for row in found["rows"]])
            figures[f"par_{name}"] = {
                nameless if row[of] is None else row[of]: _renamed(row, _FIGURES)
                for row in found["rows"]
            }
    return figures


def _unused(names: Collection[str | None]) -> str:
    """Return the name of the row without one; no other row may have it."""
    name = NAMELESS
    while name in names:
        name = f"({name})"
    return name


def _renamed(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {name: values[of] for name, of in names.items()}
