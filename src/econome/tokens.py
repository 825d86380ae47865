"""Estimates of how many tokens a text is, each with its name; an estimate is never a provider's count.

It knows texts and no tokenizer of a model.
"""

from __future__ import annotations

__all__ = ["METHOD", "estimate_tokens", "utf16_length"]

METHOD = "caracteres/4"
"""The contract's name of `estimate_tokens`."""


def utf16_length(text: str) -> int:
    """Return the length of *text* as JavaScript counts it, in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def estimate_tokens(text: str) -> int:
    """Return the contract's estimate for *text*: one token for four UTF-16 units, rounded up (S8)."""
    return -(-utf16_length(text) // 4)
