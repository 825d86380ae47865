"""Reads a command line with the table of options, without click.

`econome.cli.app` makes click options from the table, `econome.cli.quick` reads a command line with it here:
importing click costs three times what answering from a warm index does.

It is on the fast path: plain classes, and no import that is not itself on it.
"""

from __future__ import annotations

from econome.errors import UsageError
from econome.usage.asking import Option, convert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["read"]


def read(table: Sequence[Option], words: Sequence[str]) -> dict[str, object] | None:
    """Return the values that *words* give the options of *table*, or None when unsure.

    Unsure is everything that click would refuse, and the rare spellings that only click has to
    know: words that are no option, values that begin with a dash, ``--``.
    """
    known = {f"--{option.name}": option for option in table}
    values = {option.key: option.absent() for option in table}
    rest = iter(words)
    for word in rest:
        name, given, value = word.partition("=")
        option = known.get(name)
        if option is None:
            return None
        if option.kind == "flag":
            if given:
                return None
            values[option.key] = True
            continue
        text = value if given else next(rest, "-")
        if text.startswith("-"):
            return None
        try:
            sound = convert(option, text)
        except UsageError:
            return None
        held = values[option.key]
        if isinstance(held, list):
            held.append(sound)
        else:
            values[option.key] = sound
    return values
