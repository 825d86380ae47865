"""Whether a text is a unified diff: headers, hunks, and as many lines in each as it says.

It knows the form. It looks at no file, and does not know whether the diff fits one.
"""

from __future__ import annotations

import re

from econome.errors import FormatBroken

__all__ = ["read_diff"]

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?")
_BETWEEN = re.compile(
    r"diff --git .+|index [0-9a-f]+\.\.[0-9a-f]+.*|(?:new|deleted) file mode \d+|(?:old|new) mode \d+"
    r"|similarity index \d+%|(?:rename|copy) (?:from|to) .+|"
)
"""What git writes between files; it may be left out."""


def read_diff(text: str) -> int:
    """Return how many hunks a unified diff has.

    Raises:
        FormatBroken: it is none; the text says in which line.
    """
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    at, hunks, headed = 0, 0, False
    while at < len(lines):
        line = lines[at]
        if line.startswith("--- "):
            if at + 1 == len(lines) or not lines[at + 1].startswith("+++ "):
                raise _broken(at + 1, "expected a line that begins with `+++ `")
            at, headed = at + 2, True
            if at == len(lines) or not lines[at].startswith("@@ "):
                raise _broken(at, "expected a hunk, which begins with `@@ `")
        elif headed and line.startswith("@@"):
            at, hunks = _after_hunk(lines, at), hunks + 1
        elif _BETWEEN.fullmatch(line):
            at, headed = at + 1, headed and not line
        else:
            raise _broken(at, "expected `--- `, `+++ ` or a hunk, which begins with `@@ `")
    if not hunks:
        raise FormatBroken("not a unified diff: it has no hunk")
    return hunks


def _after_hunk(lines: list[str], at: int) -> int:
    """Return the place behind the hunk that begins at the line *at*."""
    head = _HUNK.fullmatch(lines[at])
    if head is None:
        raise _broken(at, "expected `@@ -START,COUNT +START,COUNT @@`")
    begin = at
    old, new = (1 if head[group] is None else int(head[group]) for group in (2, 4))
    while old > 0 or new > 0:
        at += 1
        # What edits texts takes the blank off an empty line of context.
        kind = (lines[at][:1] or " ") if at < len(lines) else ""
        if kind not in (" ", "-", "+", "\\") or not kind:
            raise _broken(begin, f"the hunk says {head[0].split(' @@')[0]} @@ and has fewer lines")
        old -= kind in " -"
        new -= kind in " +"
        if old < 0 or new < 0:
            raise _broken(begin, "the hunk has more lines than it says")
    at += 1
    while at < len(lines) and lines[at].startswith("\\"):
        at += 1
    if at < len(lines) and lines[at][:1] in (" ", "+", "-") and not _heads(lines, at):
        raise _broken(begin, "the hunk has more lines than it says")
    return at


def _heads(lines: list[str], at: int) -> bool:
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def _broken(at: int, reason: str) -> FormatBroken:
    return FormatBroken(f"not a unified diff: line {at + 1}: {reason}")
