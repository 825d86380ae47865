"""The pages of the manual as they are shipped: Markdown, one directory a language."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

__all__ = ["FIRST", "LANGUAGES", "NAMES", "source"]

FIRST: Final = "index"
"""The page that tells what econome is and leads to all others."""

NAMES: Final = (
    FIRST,
    "usage",
    "session",
    "savings",
    "servers",
    "diagnosis",
    "prices",
    "reading",
    "privacy",
    "terminal",
)
"""The pages, in the order of their list: first those of a screen each, then what several of them rest on."""

LANGUAGES: Final = ("en", "fr")
"""The languages that every page is there in."""


def source(name: str, language: str) -> str:
    """Return a page's Markdown.

    Raises:
        KeyError: there is no such page, or none in this language.
    """
    if name not in NAMES or language not in LANGUAGES:
        raise KeyError(name, language)
    return (files("econome.manual") / language / f"{name}.md").read_text(encoding="utf-8")
