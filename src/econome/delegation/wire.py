"""The states of a request and the line that the journal keeps of an ended one, as the wire spells them (D3, D4).

It knows the fields and the ways in which a request stands and ends. It reads and writes nothing.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

__all__ = [
    "CANCELLED",
    "COUNT_LIMIT",
    "DONE",
    "EXPIRED",
    "FAILED",
    "QUEUED",
    "REFUSED",
    "RUNNING",
    "STATUSES",
    "TO_REVIEW",
    "Ended",
]

QUEUED, RUNNING, TO_REVIEW = "en_file", "en_cours", "a_valider"

DONE, FAILED, CANCELLED, EXPIRED, REFUSED = "terminee", "echec", "annulee", "expiree", "refusee"

STATUSES = (DONE, FAILED, CANCELLED, EXPIRED, REFUSED)
"""The ways in which a request ends."""

COUNT_LIMIT = 2**53
"""No counter is larger: a JavaScript number is exact up to here."""

_Count = Annotated[int, Meta(ge=0, le=COUNT_LIMIT)]
_Seconds = Annotated[float, Meta(ge=0)]


class Ended(
    Struct,
    frozen=True,
    gc=False,
    kw_only=True,
    rename={
        "request_id": "demande_id",
        "status": "statut",
        "model": "modele",
        "tokens_in": "tokens_entree",
        "tokens_out": "tokens_sortie",
        "duration_s": "duree_s",
        "reply": "retour",
        "output": "sortie",
        "error": "erreur",
        "tokens_estimated": "tokens_estimes",
        "cut": "tronquee",
    },
):
    """One ended request: a success, a refusal, a failure, a cancellation or an expiration.

    What is None was not known. Older lines lack `request_id` and `tool_use_id`; today `request_id` is None only for a
    request that was refused before it was queued. `date` is RFC 3339; `reply` and `status` keep the wire's values, and
    a status that this version does not know is kept as it stands. `tokens_estimated` and `cut` stand in a line only
    where they are true: no backend reported the counts; the answer ends at the limit of tokens.
    """

    date: str
    request_id: str | None = None
    tool_use_id: str | None = None
    status: str
    session: str | None = None
    preset: str | None = None
    format: str | None = None
    model: str | None = None
    tokens_in: _Count | None = None
    tokens_out: _Count | None = None
    duration_s: _Seconds | None = None
    reply: str | None = None
    output: str | None = None
    error: str | None = None
    tokens_estimated: bool | UnsetType | None = UNSET
    cut: bool | UnsetType | None = UNSET
