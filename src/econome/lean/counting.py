"""What the lean room asks of a tokenizer: a function from a text to its tokens."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Count"]

Count = Callable[[str], int]
"""Tokens of a text, counted or estimated; who gives it says which, by name."""
