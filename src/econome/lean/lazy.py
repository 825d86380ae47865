"""Finding actions by words, for menus that show names only.

It knows names, texts and fields of actions, and no form of a menu.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from econome.lean.actions import Action, fields_of

__all__ = ["FOUND", "find"]

FOUND = 3
"""Actions that one search returns at most; what is asked for is nearly always among three."""

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SILENT = re.compile(
    "a|all|an|and|any|are|by|for|from|how|i|in|into|is|it|me|my|of|on|or|please|some|that|the|there|these|this|to|want"
    "|what|which|with"
)
"""Words that say nothing of what is looked for."""

_IN_NAME, _IN_TEXT, _IN_FIELDS = 3.0, 1.0, 0.5


def find(actions: Sequence[Action], query: str, most: int = FOUND) -> tuple[Action, ...]:
    """Return the actions that fit the words of *query* best, the best first; rare words weigh more.

    Of those that fit alike the one that was declared first comes first.
    """
    asked = set(_words(query))
    asked = {word for word in asked if not _SILENT.fullmatch(word)} or asked
    described = [_weights(action) for action in actions]
    holding = Counter(word for words in described for word in words)
    scored = []
    for place, words in enumerate(described):
        score = sum(
            weight * math.log(1 + len(actions) / holding[word])
            for word, weight in words.items()
            if word in asked
        )
        if score:
            scored.append((-score, place))
    return tuple(actions[place] for _, place in sorted(scored)[:most])


def _weights(action: Action) -> dict[str, float]:
    """Return the words of an action, each with the weight of the best place it stands in."""
    words: dict[str, float] = {}
    texts = (
        (action.name, _IN_NAME),
        (action.description, _IN_TEXT),
        (" ".join(fields_of(action.schema)), _IN_FIELDS),
    )
    for text, weight in texts:
        for word in _words(text):
            words[word] = max(weight, words.get(word, 0.0))
    return words


def _words(text: str) -> list[str]:
    """Return the words of a text in small letters, a plural as its singular."""
    return [_stem(word.casefold()) for word in _WORD.findall(_CAMEL.sub(" ", text))]


def _stem(word: str) -> str:
    """Return what a singular and its plural have in common: entity and entities, box and boxes."""
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return f"{word[:-1]}i" if len(word) > 3 and word.endswith("y") else word
