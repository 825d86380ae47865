"""Counts and estimates of a model's tokens, each by its name; an estimate is never a provider's count (L12).

It knows texts. It asks no provider, and adds no figures of different methods.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from econome.errors import UsageError
from econome.tokens import utf16_length

__all__ = ["DEFAULT", "NAMES", "Features", "Tokenizer", "features", "tokenizer"]

DEFAULT = "features-v1"
"""The method that needs no dependency; its weights are fitted to Claude v4.8."""

# Tokens per word, digit, mark and line end, fitted to each family's own counts; mean error 7 to 9 %.
_WEIGHTS = {
    "features-v1": (1.98, 0.49, 0.56, 2.54),
    "features-v1:claude-3": (1.35, 0.58, 0.44, 3.22),
    "features-v1:o200k": (1.14, 0.62, 0.37, 2.53),
}
_TENTHS = {"chars/3.5": 35, "chars/4": 40}

NAMES = (*_WEIGHTS, *_TENTHS, "o200k", "claude")
"""Every method, by the name that reports and records say it with."""

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_WORD, _DIGIT, _MARK, _BLANK, _END = b"a", b"0", b".", b" ", b"\n"


@dataclass(frozen=True, slots=True)
class Features:
    """What `features-v1` counts: runs of letters, digits, marks, and line ends with the indentation after them."""

    words: int
    digits: int
    marks: int
    ends: int


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A method by its name; *estimate* says that no model's own vocabulary was asked."""

    name: str
    count: Callable[[str], int]
    estimate: bool


def _kind(letter: str) -> bytes:
    if letter.isalpha():
        return _WORD
    if letter.isdecimal():
        return _DIGIT
    if letter == "\n":
        return _END
    return _BLANK if letter.isspace() else _MARK


_KINDS = b"".join(_kind(chr(code)) if code < 128 else _MARK for code in range(256))


def _only(kind: bytes) -> bytes:
    """Return the table that turns letters into *kind* where they are of it, and into marks where not."""
    return bytes(code if code == kind[0] else _MARK[0] for code in _KINDS)


_WORDS, _ENDS = _only(_WORD), _only(_END)
_BLANKS = bytes(code for code in range(128) if _KINDS[code] == _BLANK[0])
_BEGUN, _ENDED = _MARK + _WORD, _MARK + _END


def _folded(run: re.Match[str]) -> str:
    return b"".join(map(_kind, run[0])).decode()


def features(text: str) -> Features:
    """Count the features of *text*; a run of other letters than ASCII ones is a word as well."""
    return Features(*_features(text))


def _features(text: str) -> tuple[int, int, int, int]:
    plain = (text if text.isascii() else _BEYOND_ASCII.sub(_folded, text)).encode()
    kinds = plain.translate(_KINDS)
    words = plain.translate(_WORDS)
    ends = 0
    if b"\n" in plain:
        # Blanks are left out, so that an end with its indentation, and any ends after it, are one run.
        lines = plain.translate(_ENDS, _BLANKS)
        ends = lines.count(_ENDED) + lines.startswith(_END)
    return (
        words.count(_BEGUN) + words.startswith(_WORD),
        kinds.count(_DIGIT),
        kinds.count(_MARK),
        ends,
    )


def _weighted(weights: tuple[float, float, float, float]) -> Callable[[str], int]:
    word, digit, mark, end = weights

    def count(text: str) -> int:
        words, digits, marks, ends = _features(text)
        sum_ = words * word + digits * digit + marks * mark + ends * end
        return max(int(sum_ + 0.5), 1) if text else 0

    return count


def _by_length(tenths: int) -> Callable[[str], int]:
    return lambda text: -(-utf16_length(text) * 10 // tenths)


def _sound(text: str) -> str:
    """Return *text* with every lone surrogate replaced, which no vocabulary knows."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _o200k() -> Callable[[str], int]:
    try:
        from quicktok import get_encoding
    except ImportError:
        raise _missing("o200k", "quicktok") from None
    encode = get_encoding("o200k_base").encode_ordinary
    return lambda text: len(encode(_sound(text)))


def _claude() -> Callable[[str], int]:
    try:
        from ctok import token_count
    except ImportError:
        raise _missing("claude", "ctok, on Python 3.12 or newer,") from None
    frame: int = token_count("a", "4.8") - 1  # what one message costs whatever it says

    return lambda text: int(token_count(_sound(text), "4.8")) - frame if text else 0


def _missing(name: str, package: str) -> UsageError:
    return UsageError(
        f"tokenizer {name}: {package} is not installed; pip install 'econome[tokens]'"
    )


def tokenizer(name: str = DEFAULT) -> Tokenizer:
    """Return the method of that *name*.

    Raises:
        UsageError: there is none of that name, or its package is not installed.
    """
    if name in _WEIGHTS:
        return Tokenizer(name, _weighted(_WEIGHTS[name]), estimate=True)
    if name in _TENTHS:
        return Tokenizer(name, _by_length(_TENTHS[name]), estimate=True)
    if name == "o200k":
        return Tokenizer(name, _o200k(), estimate=False)
    if name == "claude":
        # ctok rebuilds Claude's counts from what was measured; it is not the provider's own count.
        return Tokenizer(name, _claude(), estimate=True)
    raise UsageError(f"tokenizer {name!r}: unknown; choose from {', '.join(NAMES)}")
