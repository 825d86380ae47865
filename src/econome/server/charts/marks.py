"""Text of anybody's, made harmless for a document: nothing in it is a mark, and nothing of it is obeyed."""

from __future__ import annotations

from html import escape

__all__ = ["written"]


def written(text: object) -> str:
    """Return a text as it may stand between marks and in an attribute; what cannot be seen in it is replaced by a sign that can."""
    plain = str(text)
    if not plain.isprintable():
        plain = "".join(letter if letter.isprintable() else "\ufffd" for letter in plain)
    return escape(plain)
