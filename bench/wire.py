"""Events as a client of the contract posts them, each with an id of its own, made as fast as text can be."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["ARRIVAL", "body", "events"]

ARRIVAL = b',"recu_le":"2026-10-30T09:12:10.000Z"}\n'
"""What a line of the ledger has at its end, in place of the event's last brace."""

_SESSION = "c009a419-e17b-4036-9531-ac29eaa481d4"
_DELEGATION = (
    '{"schema":1,"type":"delegation","id":"claude-code:dem-%010x","date":"2026-10-30T09:12:04.512Z",'
    f'"client":"claude-code","session_id":"{_SESSION}","demande_id":"dem-%010x","agent_id":"a1",'
    '"par_subagent":true,"retour":"complet","tokens_entree":4100,"tokens_sortie":900,"estimation":{"lus":4000,'
    '"ecrits":900,"consigne":100,"rendus":900,"evites":4900,"methode":"caracteres/4"}}'
)
_STEERING = (
    f'{{"schema":1,"type":"pilotage","id":"claude-code:{_SESSION}:a1:t%x","date":"2026-10-30T09:12:09.031Z",'
    f'"client":"claude-code","session_id":"{_SESSION}","agent_id":"a1","turn_id":"t%x","demande_ids":["dem-%010x"],'
    '"modele":"claude-haiku-5-5","usage":{"input_tokens":800,"output_tokens":200,"cache_read_input_tokens":10000,'
    '"cache_creation_input_tokens":0},"cout":2000}'
)
_CORRECTION = (
    f'{{"schema":1,"type":"correction","id":"claude-code:{_SESSION}:toolu_%x","date":"2026-10-30T09:14:00.000Z",'
    f'"client":"claude-code","session_id":"{_SESSION}","demande_id":"dem-%010x","outil":"Read",'
    '"tool_use_id":"toolu_%x","tokens_lus":300,"tokens_ecrits":0,"cout":300}'
)


def events(first: int, count: int) -> list[bytes]:
    """Return *count* events, numbered from *first*: of five, three delegations, their steering, and a correction."""
    made = []
    for number in range(first, first + count):
        kind = number % 5
        if kind < 3:
            text = _DELEGATION % (number, number)
        elif kind == 3:
            text = _STEERING % (number, number, number - 1)
        else:
            text = _CORRECTION % (number, number - 2, number)
        made.append(text.encode("ascii"))
    return made


def body(batch: Sequence[bytes]) -> bytes:
    """Return the body of a post."""
    return b'{"evenements":[' + b",".join(batch) + b"]}"
