"""What stands in a text and is not seen by a person who reads it: characters without a shape, comments, what is pushed out of sight.

It knows which of them writing needs: joiners between emoji and in scripts that join, marks of direction in scripts that run from
the right, one variation selector after a character, the flags of countries.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Final

from econome.unseen import SELECTORS, SHAPELESS

__all__ = ["hidden"]

_TAGS = re.compile(r"(?<!\U0001f3f4)[\U000e0000-\U000e007f]+")
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{2,6}\U000e007f")
_SELECTORS = re.compile(f"[{SELECTORS}]{{2,}}")
_SHAPELESS = re.compile(f"[{SHAPELESS}]")
_TURNS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_JOINERS: Final = frozenset("\u200c\u200d")
_MARKS: Final = frozenset("\u200e\u200f\u061c")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_COLOURS = re.compile("(?:\x1b|\x9b)\\[?|\\\\(?:x1b|u001b|033)\\[", re.IGNORECASE)
_COMMENT = re.compile(
    r"<!--|(?:^|\n)\s{0,8}\[(?://|comment|_metadata_)[^\]\n]{0,40}\]:", re.IGNORECASE
)
_UNSEEN = re.compile(
    r"display\s{0,4}:\s{0,4}none|font-size\s{0,4}:\s{0,4}0|visibility\s{0,4}:\s{0,4}hidden|color\s{0,4}:\s{0,4}transparent",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"[^\S\n]{60,}|(?:[^\S\n]*\n){10,}")
_HEX = re.compile(
    r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{80,}|(?:\\x[0-9a-fA-F]{2}){16,}|(?:\\u[0-9a-fA-F]{4}){8,})"
)
_CODED = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{60,}={0,2}(?![A-Za-z0-9+/_-])")
_MANY_WORDS = re.compile(r"[_/-]")


def hidden(text: str) -> Counter[str]:
    """Return what is hidden in *text* and how often, each kind by the name that people are told."""
    found: Counter[str] = Counter()
    if not text.isascii():
        found.update(_shapeless(text))
    for name, pattern in (
        ("control characters", _CONTROLS),
        ("codes for a terminal", _COLOURS),
        ("a comment that is not shown", _COMMENT),
        ("text that a page does not show", _UNSEEN),
        ("blanks that push text out of sight", _BLANKS),
        ("a long run of hexadecimal digits", _HEX),
    ):
        number = sum(1 for _ in pattern.finditer(text))
        if number:
            found[name] += number
    coded = sum(1 for each in _CODED.finditer(text) if _is_coded(each.group()))
    if coded:
        found["a long run that looks encoded"] += coded
    return found


def _is_coded(run: str) -> bool:
    """Tell whether a run of letters looks like data and not like a path or words that are joined."""
    if len(_MANY_WORDS.findall(run)) * 12 > len(run):
        return False
    kinds = (str.isupper, str.islower, str.isdigit)
    return all(any(kind(each) for each in run) for kind in kinds)


def _shapeless(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    plain = _FLAG.sub("", text)
    tags = "".join(_TAGS.findall(plain)) or "".join(
        each for each in plain if "\U000e0000" <= each <= "\U000e007f"
    )
    if tags:
        found["invisible letters (tag characters)"] = len(tags)
    selectors = sum(len(run) for run in _SELECTORS.findall(text))
    if selectors:
        found["a run of variation selectors"] = selectors
    from_the_right = None
    for each in _SHAPELESS.finditer(text):
        character, at = each.group(), each.start()
        if character in _JOINERS and _joins(text, at):
            continue
        if character in _MARKS:
            if from_the_right is None:
                from_the_right = any(unicodedata.bidirectional(one) in ("R", "AL") for one in text)
            if from_the_right:
                continue
        if character == "\ufeff" and at == 0:
            continue
        turned = "characters that turn the direction of writing"
        found[turned if character in _TURNS else "characters without a shape"] += 1
    return found


def _joins(text: str, at: int) -> bool:
    """Tell whether a joiner stands where writing needs one: between emoji, or in a script other than Latin."""
    before = text[at - 1] if at else " "
    after = text[at + 1] if at + 1 < len(text) else " "
    return (
        not before.isascii()
        and not after.isascii()
        and before not in _JOINERS
        and after not in _JOINERS
    )
