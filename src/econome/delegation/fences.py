"""Finds the fenced block in an answer, as Markdown writes one.

It knows fences and no language.
"""

from __future__ import annotations

import re

from econome.errors import FormatBroken

__all__ = ["only_block"]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def only_block(text: str) -> str:
    """Return what is in the one fenced block of *text*, or the whole of it where it has none.

    Raises:
        FormatBroken: there is more than one, or it has no end.
    """
    blocks: list[list[str]] = []
    open_with: str | None = None
    # Only the line ends that Markdown knows; a form feed, say, is part of the code.
    for line in re.split(r"\r\n|\n", text):
        fence = _FENCE.fullmatch(line)
        if open_with is None:
            if fence is not None and not (fence[1][0] == "`" and "`" in fence[2]):
                open_with = fence[1]
                blocks.append([])
        elif fence is not None and fence[1].startswith(open_with) and not fence[2].strip():
            open_with = None
        else:
            blocks[-1].append(line)
    if open_with is not None:
        raise FormatBroken("the code block has no end")
    if len(blocks) > 1:
        raise FormatBroken(f"{len(blocks)} code blocks; expected one")
    return "\n".join(blocks[0]) if blocks else text
