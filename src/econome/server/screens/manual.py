"""The pages of the manual: each as a page of its own, and as the sheet beside the screen that it tells of (V11)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from econome.manual.pages import FIRST, NAMES, source
from econome.server.screens.state import path_of
from econome.server.screens.visit import Screen, Visit, missing

if TYPE_CHECKING:
    from econome.manual.rendering import Article

__all__ = ["screen"]

_ROOM = "manual"


def screen(visit: Visit) -> Screen:
    """Return the page that the rest of the path names, the first one where it names none."""
    text = visit.telling.text
    name = visit.rest or FIRST
    if name not in NAMES:
        reason = text("The manual has no page of this name; its first page lists those it has.")
        return missing(visit, reason)
    language = visit.telling.language
    article = _article(name, language)
    context = {
        "name": name,
        "address": _address(name),
        "first": _address(FIRST),
        "article": article,
        "listed": [(one, _address(one), _article(one, language).title) for one in NAMES],
    }
    title = text("{page}, the manual", page=article.title)
    return Screen(_ROOM, title, context=context, manual=FIRST)


def _address(name: str) -> str:
    return path_of(_ROOM) if name == FIRST else path_of(_ROOM, name)


@cache
def _article(name: str, language: str) -> Article:
    # The reader of Markdown is slow to import, and no other screen needs it.
    from econome.manual.rendering import rendered

    return rendered(source(name, language), _address)
