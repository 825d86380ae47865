"""The French of the HTTP and MCP answers: the names, and nothing else.

`docs/contract.md` fixes these names; what stands under them is computed below this room.
"""

from __future__ import annotations

from econome.errors import BatchError, EconomeError

__all__ = ["fault", "receipt", "refusal"]


def receipt(received: int, duplicates: int) -> bytes:
    """Return the answer to a batch that was taken: its new events, and those that were there already."""
    return b'{"ok":true,"recus":%d,"doublons":%d}' % (received, duplicates)


def fault(reason: str) -> dict[str, object]:
    """Return the one shape of every refusal."""
    return {"ok": False, "erreur": reason}


def refusal(error: EconomeError) -> dict[str, object]:
    """Return what is said of an expected failure; of a batch, which event and which field are at fault."""
    if isinstance(error, BatchError):
        return {**fault(error.reason), "index": error.index, "champ": error.field}
    return fault(str(error))
