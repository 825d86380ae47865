"""Where transcripts appear and grow, and which session a path there is of. It looks for directories, and watches nothing."""

from __future__ import annotations

import os

from econome.usage.readers import READERS

__all__ = ["concerns", "is_transcript", "places"]

_NAMES = tuple(
    names for layout in READERS for names in (layout.transcript, layout.companion) if names
)
_AGENT, _BELOW = "agent-", "subagents"


def places(roots: list[str]) -> list[str]:
    """Return the directories in which transcripts appear and grow, of those that are there."""
    found = [os.path.join(root, layout.folder) for root in roots for layout in READERS]
    return [path for path in found if os.path.isdir(path)]


def is_transcript(path: str) -> bool:
    """Tell whether a path is named like a transcript, or like a file that says more of one."""
    name = os.path.basename(path)
    return any(name.startswith(first) and name.endswith(last) for first, last in _NAMES)


def concerns(path: str, session: str) -> bool:
    """Tell whether a transcript may be of the session whose id begins with *session*, by its path alone.

    Where a path does not say, it may be of any: a sub-agent's file of the old layout, which lies beside the sessions.
    """
    *above, name = path.split(os.sep)
    if any(part.startswith(session) for part in (*above, name)) or f"-{session}" in name:
        return True
    return name.startswith(_AGENT) and _BELOW not in above
