"""Text of anybody's, made harmless for a document: nothing in it is a mark, and nothing of it is obeyed."""

from __future__ import annotations

from html import escape

__all__ = ["linked", "seen", "written"]

_SPACES = frozenset("\u00a0\u202f")
"""What separates the digits of figures, though Python counts it as not printable."""


def seen(text: str) -> str:
    """Return a text in which what cannot be seen is replaced by a sign that can."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in _SPACES else "\ufffd" for letter in text
    )


def written(text: object) -> str:
    """Return a text as it may stand between marks and in an attribute, with nothing in it that cannot be seen."""
    return escape(seen(str(text)))


def linked(drawn: str, link: str) -> str:
    """Return marks as a link that only a pointer takes, or as they are where they lead nowhere."""
    return f'<a href="{written(link)}" tabindex="-1">{drawn}</a>' if link else drawn
