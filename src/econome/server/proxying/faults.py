"""What the proxy's listener says in place of an MCP answer: in English, for its clients know no contract of econome."""

from __future__ import annotations

__all__ = ["fault"]


def fault(reason: str) -> dict[str, object]:
    """Return the one shape of every refusal that is no message of MCP."""
    return {"ok": False, "error": reason}
