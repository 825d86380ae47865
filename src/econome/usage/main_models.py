"""Which model the main thread of each session used. Pure: the tree is an argument."""

from __future__ import annotations

from econome.usage.cells import AGENT, COUNTERS, KIND, MODEL, SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from econome.usage.tree import Tree

__all__ = ["main_models"]

_MAIN = "main"
_OUTPUT = 2 + COUNTERS.index("output_tokens")
"""The place of the output tokens in a row of a day's cells, behind its slot and the place of its dims."""


def main_models(tree: Tree) -> dict[str, str]:
    """Return the model of each session's main thread: the one that wrote most there, the first by id of equals.

    Refused attempts do not count. A session whose main thread is in no transcript is not in the answer.
    """
    written: dict[tuple[str, str], int] = {}
    for _, (dims, rows) in tree.days():
        mains = [
            None if d[AGENT] != _MAIN or d[KIND] else (str(d[SESSION]), str(d[MODEL])) for d in dims
        ]
        for row in rows:
            key = mains[row[1]]
            if key is not None:
                written[key] = written.get(key, 0) + row[_OUTPUT]
    found: dict[str, str] = {}
    for session, model in sorted(written, key=lambda key: (-written[key], key)):
        found.setdefault(session, model)
    return found
