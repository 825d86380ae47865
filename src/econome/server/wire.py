"""The French of the HTTP and MCP answers: the names, and nothing else.

`docs/contract.md` fixes these names; what stands under them is computed below this room.
"""

from __future__ import annotations

import msgspec

from econome.errors import BatchError, EconomeError

__all__ = [
    "BATCH_END",
    "BATCH_START",
    "fault",
    "read_fault",
    "read_receipt",
    "receipt",
    "refusal",
]

BATCH_START, BATCH_END = b'{"evenements":[', b"]}"
"""What stands before and after the events of a body, which a comma parts."""


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
    except msgspec.DecodeError:
        return None


def refusal(error: EconomeError) -> dict[str, object]:
    """Return what is said of an expected failure; of a batch, which event and which field are at fault."""
    if isinstance(error, BatchError):
        return {**fault(error.reason), "index": error.index, "champ": error.field}
    return fault(str(error))
