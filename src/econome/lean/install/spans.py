"""Where a value stands in a JSON text, to the byte, so that one value can be replaced and nothing else.

It reads what clients keep their servers in: JSON, and where they allow it comments and commas before a closing bracket.
It knows neither files nor what the values mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Document", "Member", "blanked", "members_of"]

_BOM = b"\xef\xbb\xbf"
_SPACE = " \t\r\n"
_STRING = r'"(?:\\[\s\S]|[^"\\])*"'
_COMMENT = re.compile(rf"{_STRING}|//[^\r\n]*|/\*[\s\S]*?\*/")
_COMMA = re.compile(rf"{_STRING}|,(?=[ \t\r\n]*[}}\]])")
_NOT_BLANK = re.compile(r"[^ \t\r\n]")
_AFTER_SPACE = re.compile(r"[ \t\r\n]*")


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no JSON value")


_DECODER = json.JSONDecoder(parse_constant=_no_number)
_string_end: Callable[[str, int], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object: its key, and where its value begins and ends."""

    key: str
    start: int
    end: int


def blanked(text: str) -> str:
    """Return *text* with blanks for its comments and its commas before a closing bracket, each letter in its place."""

    def comma(found: re.Match[str]) -> str:
        if found[0] != ",":
            return found[0]
        at = found.start() - 1
        while at >= 0 and uncommented[at] in _SPACE:
            at -= 1
        return "," if at < 0 or uncommented[at] in "[{," else " "

    uncommented = _COMMENT.sub(
        lambda found: found[0] if found[0][0] == '"' else _NOT_BLANK.sub(" ", found[0]), text
    )
    return _COMMA.sub(comma, uncommented)


def members_of(text: str, start: int = 0) -> list[Member] | None:
    """Return the members of the object that begins at *start* of a valid JSON text; None where it is no object."""
    at = _after_space(text, start)
    if text[at : at + 1] != "{":
        return None
    found: list[Member] = []
    at = _after_space(text, at + 1)
    while text[at] == '"':
        key, at = _string_end(text, at + 1)
        begin = _after_space(text, _after_space(text, at) + 1)
        _, end = _DECODER.raw_decode(text, begin)
        found.append(Member(key, begin, end))
        at = _after_space(text, end)
        if text[at] == "}":
            break
        at = _after_space(text, at + 1)
    return found


def _after_space(text: str, at: int) -> int:
    found = _AFTER_SPACE.match(text, at)
    return at if found is None else found.end()


class Document:
    """A JSON text in bytes, its values found by the keys that lead to them."""

    def __init__(self, data: bytes, *, comments: bool) -> None:
        """Read *data*; with *comments*, those and commas before a closing bracket may stand in it.

        Raises:
            ValueError: it is no such text; the reason names the line.
        """
        self.data = data
        self._skipped = len(_BOM) if data.startswith(_BOM) else 0
        try:
            self.source = data[self._skipped :].decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"it is not UTF-8 at byte {error.start}") from None
        self._text = blanked(self.source) if comments else self.source
        self._check()

    def _check(self) -> None:
        begin = _after_space(self._text, 0)
        try:
            _, end = _DECODER.raw_decode(self._text, begin)
        except json.JSONDecodeError as error:
            raise ValueError(f"it does not parse: line {error.lineno}: {error.msg}") from None
        except RecursionError:
            raise ValueError("it does not parse: it is nested too deep") from None
        if _after_space(self._text, end) != len(self._text):
            line = self._text.count("\n", 0, end) + 1
            raise ValueError(f"it does not parse: line {line}: more follows its end")

    def members(self, keys: Sequence[str]) -> list[Member]:
        """Return the members of the object that *keys* lead to; none where they lead to none.

        Raises:
            ValueError: one of the keys, or of the members, is given twice, so that clients may differ on it.
        """
        found = members_of(self._text)
        for key in keys:
            one = _only(found or [], key)
            found = None if one is None else members_of(self._text, one.start)
        for member in found or []:
            _only(found or [], member.key)
        return found or []

    def text_of(self, member: Member) -> str:
        """Return a value as it stands there, with its comments."""
        return self.source[member.start : member.end]

    def plain_text_of(self, member: Member) -> str:
        """Return a value as JSON: its comments are blanks."""
        return self._text[member.start : member.end]

    def replaced(self, member: Member, text: str) -> bytes:
        """Return the whole with *text* in the place of a value, and every other byte as it is."""
        start, end = self._byte(member.start), self._byte(member.end)
        return self.data[:start] + text.encode("utf-8") + self.data[end:]

    def _byte(self, at: int) -> int:
        return self._skipped + len(self.source[:at].encode("utf-8"))


def _only(members: Sequence[Member], key: str) -> Member | None:
    found = [member for member in members if member.key == key]
    if len(found) > 1:
        raise ValueError(f"it names {key!r} twice in one object; leave one of them")
    return found[0] if found else None
