"""The events of `POST /economies` as the wire spells them, under the names that the code uses.

It knows the shape of a batch, of its three events and of their dates, word for word as `docs/contract.md` tells them.
It reads no bytes and adds nothing up: `batch.py` decodes into these types, `estimate.py` computes what goes into them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Literal

from msgspec import Meta, Raw, Struct

from econome.times import parse_day, split_day

__all__ = [
    "BATCH_FIELD",
    "CORRECTION",
    "COUNT_LIMIT",
    "DATE_FIELD",
    "DELEGATION",
    "FULL",
    "METHOD",
    "PREVIEW",
    "RECEIVED_FIELD",
    "STEERING",
    "TEXT_LIMIT",
    "TYPE_FIELD",
    "Batch",
    "Correction",
    "Delegation",
    "Estimate",
    "Event",
    "Reply",
    "Steering",
    "Tool",
    "Usage",
    "epoch_seconds",
]

BATCH_FIELD = "evenements"
"""The one field of a body."""

RECEIVED_FIELD = "recu_le"
"""The field that a stored line has beyond the event."""

TYPE_FIELD, DATE_FIELD = "type", "date"

DELEGATION, STEERING, CORRECTION = "delegation", "pilotage", "correction"
"""The values of `type`."""

FULL: Literal["complet"] = "complet"
PREVIEW: Literal["apercu"] = "apercu"
METHOD = "caracteres/4"
"""The one method of estimating that the contract names."""

COUNT_LIMIT = 2**53
"""No counter is larger: a JavaScript number is exact up to here."""

TEXT_LIMIT = 512
"""No id or name has more characters (Unicode code points)."""

Reply = Literal["complet", "apercu"]
Tool = Literal["Read", "Edit", "Write", "NotebookEdit", "Bash"]

_Text = Annotated[str, Meta(min_length=1, max_length=TEXT_LIMIT)]
_Count = Annotated[int, Meta(ge=0, le=COUNT_LIMIT)]
_Balance = Annotated[int, Meta(ge=-COUNT_LIMIT, le=COUNT_LIMIT)]


class Batch(Struct, frozen=True, gc=False, rename={"events": BATCH_FIELD}):
    """The body of one post; its events are still text."""

    events: list[Raw]


class Estimate(
    Struct,
    frozen=True,
    gc=False,
    rename={
        "read": "lus",
        "written": "ecrits",
        "brief": "consigne",
        "returned": "rendus",
        "avoided": "evites",
        "method": "methode",
    },
):
    """What Claude did not have to read and write, in its own tokens."""

    read: _Count
    written: _Count
    brief: _Count
    returned: _Count
    avoided: _Balance  # a long brief for a small answer costs more than it avoids
    method: _Text


class Usage(Struct, frozen=True, gc=False):
    """The four counters of the API for one turn, under the API's own names."""

    input_tokens: _Count
    output_tokens: _Count
    cache_read_input_tokens: _Count
    cache_creation_input_tokens: _Count


class Delegation(
    Struct,
    frozen=True,
    gc=False,
    tag_field=TYPE_FIELD,
    tag=DELEGATION,
    rename={
        "request_id": "demande_id",
        "by_subagent": "par_subagent",
        "reply": "retour",
        "tokens_in": "tokens_entree",
        "tokens_out": "tokens_sortie",
        "estimate": "estimation",
    },
):
    """A request to the local model succeeded."""

    schema: Literal[1]
    id: _Text
    date: str
    client: _Text
    session_id: _Text
    request_id: _Text
    agent_id: _Text | None
    by_subagent: bool
    reply: Reply
    tokens_in: _Count
    tokens_out: _Count
    estimate: Estimate


class Steering(
    Struct,
    frozen=True,
    gc=False,
    tag_field=TYPE_FIELD,
    tag=STEERING,
    rename={"request_ids": "demande_ids", "model": "modele", "cost": "cout"},
):
    """A sub-agent's turn that delegated ended, or the main agent followed one of its own requests."""

    schema: Literal[1]
    id: _Text
    date: str
    client: _Text
    session_id: _Text
    agent_id: _Text
    turn_id: _Text
    request_ids: Annotated[list[_Text], Meta(min_length=1)]
    model: _Text
    usage: Usage
    cost: _Count


class Correction(
    Struct,
    frozen=True,
    gc=False,
    tag_field=TYPE_FIELD,
    tag=CORRECTION,
    rename={
        "request_id": "demande_id",
        "tool": "outil",
        "tokens_read": "tokens_lus",
        "tokens_written": "tokens_ecrits",
        "cost": "cout",
    },
):
    """The main agent reread or reworked a file that a delegation had written."""

    schema: Literal[1]
    id: _Text
    date: str
    client: _Text
    session_id: _Text
    request_id: _Text
    tool: Tool
    tool_use_id: _Text
    tokens_read: _Count
    tokens_written: _Count
    cost: _Count


Event = Delegation | Steering | Correction

# RFC 3339, section 5.6, with its `T` and `Z` in either case. The space that its note lets an application choose is
# refused, and so is what the grammar has no word for: no zone, `+0200`, a comma before the fraction.
_DATE = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?"
    r"(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))",
    re.ASCII,
)
_day = lru_cache(maxsize=256)(parse_day)


def epoch_seconds(date: str) -> int | None:
    """Return the whole seconds since 1970 of an RFC 3339 date, or None where it is none.

    The year 0000 is refused with the other impossible dates; second 60 is taken where a leap second can be, at the
    end of a month of UTC, and is the first second of the next.
    """
    found = _DATE.fullmatch(date)
    if found is None:
        return None
    day, hours, minutes, seconds, sign, ahead_hours, ahead_minutes = found.groups()
    number = _day(day)
    if number is None:
        return None
    instant = number * 86400 + int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    if sign is not None:
        ahead = int(ahead_hours) * 3600 + int(ahead_minutes) * 60
        instant += ahead if sign == "-" else -ahead
    if seconds == "60" and (instant % 86400 or split_day(instant // 86400)[2] != 1):
        return None
    return instant
