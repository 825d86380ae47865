"""Which tools a text names: those of servers that are known, and those that many agents have of their own.

A name that is a word of the language, `search` or `read`, counts only where it is marked as code or called a tool.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

__all__ = ["named"]

_AGENT_WORDS: Final = (
    "Bash Read Write Edit MultiEdit NotebookEdit WebFetch WebSearch Glob Grep Task TodoWrite LS Agent Skill KillShell BashOutput "
    "run_terminal_cmd edit_file read_file write_file codebase_search apply_patch shell run_shell_command web_fetch google_web_search "
    "execute_command write_to_file browser_action str_replace_editor computer text_editor"
)
_AGENT: Final = frozenset(_AGENT_WORDS.split())
_WORD = re.compile(r"[^\W_][\w./-]{0,127}")
_PLAIN = re.compile(r"[A-Za-z]?[a-z]*")
_ORDERED_WORDS: Final = "call calling use using invoke invoking run running via through tool tools trigger execute prefer instead dont never avoid"
_ORDERED: Final = frozenset(_ORDERED_WORDS.split())
_BEFORE: Final = 3
_QUOTES: Final = frozenset("`'\"")


def named(text: str, tools: Collection[str]) -> Iterator[str]:
    """Yield the names of tools in *text*, each as it is spelled there; *tools* are the names that are known."""
    known = tools if isinstance(tools, (set, frozenset, dict)) else frozenset(tools)
    before: list[str] = []
    for found in _WORD.finditer(text):
        word = found.group().rstrip("./-")
        start, end = found.start(), found.start() + len(word)
        marked = text[end : end + 2] == "()" or (
            start > 0 and text[start - 1] in _QUOTES and text[end : end + 1] in _QUOTES
        )
        if word in known:
            if not _PLAIN.fullmatch(word) or marked or _called(before, text, end, _CALLED_PLAIN):
                yield word
        elif word in _AGENT:
            if _called(before, text, end, _ORDERED) and not (
                _PLAIN.fullmatch(word) and word.islower()
            ):
                yield word
        elif word.startswith("mcp__"):
            yield word
        before.append(word.lower().replace("'", ""))
        if len(before) > _BEFORE:
            del before[0]


_CALLED_PLAIN: Final = frozenset(("tool", "function", "call", "calling", "invoke", "invoking"))


def _called(before: list[str], text: str, end: int, words: frozenset[str]) -> bool:
    """Tell whether the word that ends there is spoken of as a tool: by one of *words* before it, or by what follows."""
    after = text[end : end + 12].lower().lstrip("`'\"* ")
    near = before[-1:] if words is _CALLED_PLAIN else before
    return any(word in words for word in near) or after.startswith(("tool", "function"))
