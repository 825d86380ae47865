"""What a client gives its model, by the client's name: how answers are paid for once, in the cheaper form (L10).

Claude Code gives its model `structuredContent` as compact JSON and drops the text blocks beside it. A client that no
policy names keeps what it asked for: its structure, and one tool for each tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

__all__ = ["CLAUDE_CODE", "KNOWN", "STRANGER", "Policy", "defers", "policy_of"]


@dataclass(frozen=True, slots=True)
class Policy:
    """How a client is answered.

    *client* is the name of the policy, *text* whether answers are texts alone, *menu* the form of its menu.
    """

    client: str
    text: bool
    menu: str


CLAUDE_CODE = "claude-code"

STRANGER = Policy(client="*", text=False, menu="flat")
"""A client that no policy names."""

KNOWN: tuple[Policy, ...] = (Policy(client=CLAUDE_CODE, text=True, menu="auto"),)
"""The clients that were seen at work, by what their name begins with."""


def policy_of(
    client: str | None,
    overrides: Mapping[str, Mapping[str, object]] | None = None,
    *,
    menu: str | None = None,
    defers: bool = False,
) -> Policy:
    """Return the policy for a client of that name; *overrides* are the `[clients.NAME]` tables of the rules.

    A table's name is matched like a policy's: as the beginning of the client's name, the longest first; `*` is any client.
    *menu* is the form of a server's menu for clients of which no table says another. Where Claude Code *defers* tools, each
    is paid for only once it was looked for, and one tool for all would cost more: then its usual form is `flat`.
    """
    name, tables = client or "", overrides or {}
    found = next((known for known in KNOWN if name.startswith(known.client)), STRANGER)
    if menu is not None:
        found = replace(found, menu=menu)
    elif defers and found.client == CLAUDE_CODE:
        found = replace(found, menu="flat")
    fitting = [own for own in tables if own == "*" or (own and name.startswith(own))]
    for own in sorted(fitting, key=lambda own: -1 if own == "*" else len(own)):
        text, form = tables[own].get("text"), tables[own].get("menu")
        found = replace(
            found,
            client=found.client if own == "*" else own,
            text=text if isinstance(text, bool) else found.text,
            menu=form if isinstance(form, str) else found.menu,
        )
    return found


def defers(said: str | None) -> bool:
    """Return whether Claude Code keeps tools behind its tool search, by what its servers' environment says of that.

    Seen with 2.1.332: it does unless told not to, and hands the variable on; `auto` shows them while they are few.
    """
    return said is None or not said.lower().startswith(("auto", "false", "0", "no", "off"))
