"""Valid journal entries for tests, as values and as lines; a test shows only what it changes."""

from __future__ import annotations

import json
from typing import Any

from econome.delegation.wire import Ended

__all__ = ["ended", "journal_line", "payload"]


def payload(**changes: Any) -> dict[str, Any]:
    """Return a journal entry of a request that ended well, with the wire's names."""
    return {
        "date": "2026-10-30T09:12:04.000Z",
        "demande_id": "dem-9c8a4d0189",
        "tool_use_id": "toolu_01",
        "statut": "terminee",
        "session": "c009a419-e17b-4036-9531-ac29eaa481d4",
        "preset": "resume",
        "format": "text",
        "modele": "qwen3:8b",
        "tokens_entree": 4100,
        "tokens_sortie": 900,
        "duree_s": 12.5,
        "retour": "complet",
        "sortie": "docs/notes.md",
        "erreur": None,
        **changes,
    }


def journal_line(**changes: Any) -> bytes:
    """Return the line of `payload`."""
    return (
        json.dumps(payload(**changes), separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    )


def ended(**changes: Any) -> Ended:
    """Return the entry of `payload`; the changes have the code's names."""
    fields: dict[str, Any] = {
        "date": "2026-10-30T09:12:04.000Z",
        "request_id": "dem-9c8a4d0189",
        "tool_use_id": "toolu_01",
        "status": "terminee",
        "session": "c009a419-e17b-4036-9531-ac29eaa481d4",
        "preset": "resume",
        "format": "text",
        "model": "qwen3:8b",
        "tokens_in": 4100,
        "tokens_out": 900,
        "duration_s": 12.5,
        "reply": "complet",
        "output": "docs/notes.md",
        "error": None,
    }
    return Ended(**{**fields, **changes})
