"""What the detail pass knows of one session: calls of tools, silences, compactions; sizes and names, and no text.

Only transcripts of Claude Code have it. What was read is remembered in the data directory, so only what is new is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from econome.usage.detail import Compaction, Pause, ToolWeight, tool_weights
from econome.usage.readers.claude_detail import remembered

__all__ = ["SessionDetail", "session_detail"]


@dataclass(frozen=True, slots=True)
class SessionDetail:
    """The calls of each tool, the heaviest first; silences and compactions in the order of time."""

    tools: tuple[ToolWeight, ...]
    pauses: tuple[Pause, ...]
    compactions: tuple[Compaction, ...]


def session_detail(roots: Sequence[str], data_dir: str, session: str) -> SessionDetail:
    """Return what the transcripts below *roots* tell of a session, once all that is new in them was read.

    Raises:
        FileRefused: what was read cannot be remembered.
    """
    with remembered(roots, data_dir) as detail:
        return SessionDetail(
            tuple(tool_weights(detail.calls(session))),
            tuple(pause for pause in detail.pauses() if pause.session == session),
            tuple(found for found in detail.compactions() if found.session == session),
        )
