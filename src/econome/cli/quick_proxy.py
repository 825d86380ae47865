"""Starts a proxy without click: a client waits for it each time that it starts.

What it does not surely understand it leaves to click, which knows every command line and says what is wrong with one.
"""

from __future__ import annotations

from econome.lean import FORMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["read"]

_FLAGS = {"--select": "select", "--pass": "passing"}
_TEXTS = ("--name", "--menu", "--limit", "--max-bytes", "--client", "--tokenizer", "--rules", "--url", "--data-dir")  # fmt: skip
_NUMBERS = ("limit", "max_bytes")
_NEVER = {"listen": None, "dry_run": False, "json": False, "text": False}


def read(words: Sequence[str]) -> tuple[tuple[str, ...], dict[str, object]] | None:
    """Return the server's command and the values of the options behind `econome proxy`, None when unsure."""
    values: dict[str, object] = {**_NEVER, "select": False, "passing": False}
    values |= {_key(name): None for name in _TEXTS}
    command: tuple[str, ...] = ()
    rest = iter(words)
    for word in rest:
        if word == "--":
            command = tuple(rest)
            break
        if word in _FLAGS:
            values[_FLAGS[word]] = True
            continue
        name, given, value = word.partition("=")
        text = value if given else next(rest, "-")
        if name not in _TEXTS or text.startswith("-"):
            return None
        values[_key(name)] = text
    if bool(command) == bool(values["url"]) or values["menu"] not in (None, *FORMS):
        return None
    for key in _NUMBERS:
        told = values[key]
        if isinstance(told, str):
            if not (told.isascii() and told.isdigit() and 0 < len(told) < 10 and int(told) > 0):
                return None
            values[key] = int(told)
    return command, values


def _key(name: str) -> str:
    return name[2:].replace("-", "_")
