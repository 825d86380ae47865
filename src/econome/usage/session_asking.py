"""All of one session, as it is on disk now: what `econome session` prints and what its page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from econome.usage.session import agent_id, find_session, session_report
from econome.usage.session_files import cost_record, parents
from econome.usage.sessions import session_ids

if TYPE_CHECKING:
    from econome.usage.tree import Tree

__all__ = ["one_session"]


def one_session(tree: Tree, begin: str) -> dict[str, Any]:
    """Return the report of the session whose id is *begin*, or of the only one whose id begins so.

    Raises:
        SessionUnknown: there is none.
        AmbiguousSession: there are several.
    """
    session = find_session(session_ids(tree), begin)
    responses = tree.responses(session)
    files = {response.agent_file for response in responses if agent_id(response.agent_file)}
    started = parents(tree.roots, sorted(files))
    record = cost_record(tree.roots, session)
    return session_report(session, responses, tree.prices, started, record)
