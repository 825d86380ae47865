"""What would be started or reached to capture a server: one that a command line names, or all of a client's configuration.

It starts and reaches nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """One server that can be captured: a *command*, or a *url* with the *headers* that it is to be sent.

    *env* goes on top of the environment, *cwd* is where the command runs, None for here; neither is ever printed by itself.
    *shown* says in one line what runs or is reached. *foreign* is what stands in a file that is not this user's own: nothing
    of it may run before its reader has seen that line and said yes.
    """

    name: str
    command: tuple[str, ...] | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None
    shown: str = ""
    foreign: bool = False
