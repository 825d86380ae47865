"""What the tools call things, in the words of the command line.

Over MCP a refusal names the arguments and the statuses as they are on the wire; whoever typed a command knows its
options. It changes words, and nothing else, and only where econome itself says them.
"""

from __future__ import annotations

import re
from typing import Final

from econome.cli.requests_texts import STATUS_WORDS

__all__ = ["spoken"]

_NAMES: Final = {
    "consigne": "BRIEF",
    "preset": "--preset",
    "format": "--format",
    "fichiers": "--file",
    "sortie": "--output",
    "ecraser": "--overwrite",
    "retour": "--preview",
    "demande_id": "ID",
}
_SAID: Final = {
    "or give it longer (deadline_s)": "or give it longer (--deadline)",
    "or let it be overwritten": "or give --overwrite",
}
_STANDS = re.compile(r"(dem-[0-9a-f]+ is )([a-z_]+)(?=: )")


def spoken(text: str) -> str:
    """Return what went wrong in the words of the command line."""
    name, colon, reason = text.partition(": ")
    if colon and name in _NAMES:
        text = f"{_NAMES[name]}: {reason}"
    for said, meant in _SAID.items():
        text = text.replace(said, meant)
    return _STANDS.sub(lambda found: found[1] + STATUS_WORDS.get(found[2], found[2]), text)
