"""Valid events, bodies and ledger lines for tests, spelt as on the wire; a test shows only what it changes.

The contract's own example stands once, as printed, in `docs/examples/economies.json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = [
    "EXAMPLE",
    "RECEIVED_AT",
    "SESSION",
    "body",
    "correction",
    "delegation",
    "ledger_line",
    "nested",
    "request_id",
    "steering",
    "text",
]

Payload = dict[str, Any]

EXAMPLE = (
    Path(__file__).parent.parent.parent.joinpath("docs", "examples", "economies.json").read_bytes()
)
"""The contract's example: 4,900 tokens avoided, 2,000 of steering."""

SESSION = "c009a419-e17b-4036-9531-ac29eaa481d4"
RECEIVED_AT = "2026-10-30T09:12:10.000Z"


def request_id(number: int) -> str:
    """Return the id of the request with that number."""
    return f"dem-{number:010x}"


def delegation(number: int = 1, **changes: Any) -> Payload:
    """Return a delegation event of request *number*: the main agent's, 4,000 tokens avoided."""
    request = changes.get("demande_id", request_id(number))
    event: Payload = {
        "schema": 1,
        "type": "delegation",
        "id": f"claude-code:{request}",
        "date": "2026-10-30T09:12:04.512Z",
        "client": "claude-code",
        "session_id": SESSION,
        "demande_id": request,
        "agent_id": None,
        "par_subagent": False,
        "retour": "complet",
        "tokens_entree": 4200,
        "tokens_sortie": 900,
        "estimation": {
            "lus": 4100,
            "ecrits": 900,
            "consigne": 100,
            "rendus": 900,
            "evites": 4000,
            "methode": "caracteres/4",
        },
    }
    return nested(event, **changes)


def steering(number: int = 1, **changes: Any) -> Payload:
    """Return the steering event of turn *number* of sub-agent `a1`, which covers the request of that number."""
    turn = changes.get("turn_id", f"t{number}")
    agent = changes.get("agent_id", "a1")
    event: Payload = {
        "schema": 1,
        "type": "pilotage",
        "id": f"claude-code:{SESSION}:{agent}:{turn}",
        "date": "2026-10-30T09:12:09.031Z",
        "client": "claude-code",
        "session_id": SESSION,
        "agent_id": agent,
        "turn_id": turn,
        "demande_ids": [request_id(number)],
        "modele": "claude-haiku-5-5",
        "usage": {
            "input_tokens": 800,
            "output_tokens": 200,
            "cache_read_input_tokens": 10000,
            "cache_creation_input_tokens": 0,
        },
        "cout": 2000,
    }
    return nested(event, **changes)


def correction(number: int = 1, **changes: Any) -> Payload:
    """Return a correction event of request *number*: its output was read again for 300 tokens."""
    use = changes.get("tool_use_id", f"toolu_{number}")
    event: Payload = {
        "schema": 1,
        "type": "correction",
        "id": f"claude-code:{SESSION}:{use}",
        "date": "2026-10-30T09:14:00.000Z",
        "client": "claude-code",
        "session_id": SESSION,
        "demande_id": request_id(number),
        "outil": "Read",
        "tool_use_id": use,
        "tokens_lus": 300,
        "tokens_ecrits": 0,
        "cout": 300,
    }
    return nested(event, **changes)


def nested(event: Payload, **changes: Any) -> Payload:
    """Return *event* with the fields in *changes*; `estimation__evites=-5` reaches into an object."""
    made = {**event}
    for path, value in changes.items():
        outer, _, inner = path.partition("__")
        made[outer] = {**made[outer], inner: value} if inner else value
    return made


def text(value: object) -> bytes:
    """Return *value* as compact JSON, the way `JSON.stringify` writes it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def body(*events: Payload) -> bytes:
    """Return the body of a post of *events*."""
    return text({"evenements": list(events)})


def ledger_line(event: Payload, received_at: str = RECEIVED_AT) -> bytes:
    """Return the line of the ledger for *event*."""
    return text({**event, "recu_le": received_at}) + b"\n"
