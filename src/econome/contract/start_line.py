"""What an entry of a configuration would start or reach, in one line for whoever has to say yes to it.

The words of a command are shown whole, as they will run: what is hidden in them could be the command. What may be a secret is
not shown: values of variables with telling names, of headers, of an address's query, and what comes from the reader's own
environment, as far as it does not decide what runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from econome.contract.expanding import Around, Start, start_of
from econome.lean.install.entries import Entry
from econome.lean.install.masking import MASK, judged_variable, masked_variables

__all__ = ["masked_address", "start_line"]

_LOGIN: Final = re.compile(r"(?<=://)[^/?#]*@")
_PLAIN: Final = re.compile(r"[^\s\"'();,]+")
_QUERY: Final = re.compile(r"([?&;])([^=&;#]*=)?[^&;#]*")


def start_line(entry: Entry, start: Start, around: Around) -> str:
    """Return what an entry comes to, which is *start*, in one line: a command or an address, and in brackets what goes with it.

    Where a word refers to the environment, the value stands in it and beside it the name with the value; one that may be
    a secret stands there as `${NAME}`, and beside it as `NAME=…`. Of variables and headers such values are never shown.

    Raises:
        LeftAlone: it cannot be read so.
    """
    named: dict[str, str] = {}
    open_ = _seen(entry, around, named, closed=False)
    closed = _seen(entry, around, named, closed=True)
    if start.url is not None:
        told = masked_address(open_.url or "")
    else:
        words = open_.command or ()
        told = " ".join(map(_word, [*(start.command or ())[:1], *words[1:]]))
    where = open_.cwd or start.cwd
    beside = "; ".join(_beside(closed, where, named))
    return f"{told} ({beside})" if beside else told


def _seen(entry: Entry, around: Around, named: dict[str, str], *, closed: bool) -> Start:
    """Return what an entry comes to with `${NAME}` for values that are not to be seen, all where it is *closed*.

    *named* is given each variable that it refers to, with its value.
    """

    def variable(name: str) -> str | None:
        value = around.variable(name)
        if value:
            named[name] = value
            if closed or _beside_itself(name, value) != f"{name}={value}":
                return f"${{{name}}}"
        return value

    return start_of(entry, replace(around, variable=variable))


def _beside(closed: Start, where: str | None, named: dict[str, str]) -> Iterator[str]:
    if closed.env:
        spoken = " ".join([*(closed.command or ()), *closed.env.values()])
        yield f"env: {_listed(judged_variable(*each, spoken) for each in closed.env.items())}"
    if closed.headers:
        yield f"headers: {_listed(closed.headers)}"
    if where is not None:
        yield f"in {_word(where)}"
    if named:
        yield f"from the environment: {_listed(_beside_itself(*each) for each in named.items())}"


def _beside_itself(name: str, value: str) -> str:
    """Return a variable of the environment with its value, or as much of that as is no secret."""
    (told,) = masked_variables({name: value})
    return told


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(map(_word, texts))


def masked_address(url: str) -> str:
    """Return an address without a login, the values of its query, and what stands behind its number sign."""
    rest, sharp, _ = _LOGIN.sub(f"{MASK}@", url).partition("#")
    shown = _QUERY.sub(lambda part: f"{part[1]}{part[2] or ''}{MASK}", rest[rest.find("?") :])
    place = rest.partition("?")[0]
    return f"{place}{shown if '?' in rest else ''}{sharp + MASK if sharp else ''}"


def _word(text: str) -> str:
    """Return a word as it is where nothing in it could be taken for its end, else as JSON."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
