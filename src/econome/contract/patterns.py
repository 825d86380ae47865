"""Regular expressions from both ends: how long a text one may be asked about, and texts that it matches.

It reads an expression with the parser of Python's own `re`, which is also what judges it. An expression that it cannot
read, or that could take a very long time, is given up and never run.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, product
from typing import Any

try:  # a private part of `re`: where a Python has none, every pattern is left unproven
    from re import _parser  # type: ignore[attr-defined]
except ImportError:
    _parser = None

__all__ = ["denied", "longest_judged", "matching"]

_LONGEST = 4_000
_MOST_WORK = 1_000_000
_LONGEST_PATTERN = 2_000
_MOST_LOOPS = 3
_MOST_TEXTS = 80
_MOST_CHOICES = 200
_MOST_DENIED = 24
_POOL = "aA0_- .é/@:!\n"
_CATEGORIES = {
    "CATEGORY_DIGIT": "05",
    "CATEGORY_NOT_DIGIT": "a-",
    "CATEGORY_SPACE": " \t",
    "CATEGORY_NOT_SPACE": "a0",
    "CATEGORY_WORD": "aZ0_",
    "CATEGORY_NOT_WORD": "- ",
}
_UNREADABLE = (re.error, RecursionError, OverflowError, ValueError, MemoryError, Warning)
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})


@lru_cache(maxsize=1024)
def longest_judged(pattern: str) -> int:
    """Return up to how many characters a text is matched surely quickly; 0 where *pattern* cannot be run at all."""
    tree = _tree(pattern)
    if tree is None:
        return 0
    ways, endless, loops = _cost(tree)
    if loops > _MOST_LOOPS:
        return 0
    anchored = bool(tree) and str(tree[0][0]) == "AT" and "BEGINNING" in str(tree[0][1])
    exponent = endless + (0 if anchored else 1)
    length = _LONGEST
    while length and (
        ways * length**exponent > _MOST_WORK
        or (loops > 1 and ways * (2 * loops) ** length > _MOST_WORK)
    ):
        length = length * 3 // 4
    return length


@lru_cache(maxsize=1024)
def matching(pattern: str, lengths: tuple[int, ...] = ()) -> tuple[str, ...]:
    """Return texts that *pattern* matches, the shortest choices first, and some of the *lengths* where they can be had."""
    tree, longest = _tree(pattern), longest_judged(pattern)
    if tree is None or longest == 0:
        return ()
    found: dict[str, None] = {}
    for text in _texts(tree, lengths):
        if len(text) <= longest and text not in found and re.search(pattern, text):
            found[text] = None
            if len(found) == _MOST_TEXTS:
                break
    return tuple(found)


@lru_cache(maxsize=1024)
def denied(pattern: str) -> tuple[str, ...]:
    """Return texts that *pattern* refuses for what it says must not follow or stand before, each with and without the rest."""
    tree, longest = _tree(pattern), longest_judged(pattern)
    if tree is None or longest == 0:
        return ()
    found: dict[str, None] = {}
    for inner in _denials(tree):
        ways: list[dict[int, int]] = [{}, *islice(_choices(inner), _MOST_CHOICES)]
        for taken, more in product(ways, (0, 1)):
            for text in (_Writer(taken, 0).text(inner), _Writer(taken, more, inner).text(tree)):
                if len(text) <= longest and not re.search(pattern, text):
                    found[text] = None
            if len(found) >= _MOST_DENIED:
                return tuple(found)
    return tuple(found)


def _denials(tree: Any) -> Iterator[Any]:
    for operation, argument in tree:
        if str(operation) == "ASSERT_NOT":
            yield argument[1]
        elif str(operation) not in _REPEATS:
            for inner in _inners(str(operation), argument):
                yield from _denials(inner)


def _tree(pattern: str) -> Sequence[Any] | None:
    if _parser is None or len(pattern) > _LONGEST_PATTERN:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what may come to mean something else is not relied on
            re.compile(pattern)
            return list(_parser.parse(pattern))
    except _UNREADABLE:
        return None


def _cost(tree: Any) -> tuple[int, int, int]:
    """Return how many ways its choices can be made, how many endless repeats it has, and how deep repeats stand in others."""
    ways, endless, loops = 1, 0, 0
    for operation, argument in tree:
        name = str(operation)
        if name in _REPEATS:
            inner = _cost_of_repeat(*argument)
            ways, endless, loops = ways * inner[0], endless + inner[1], max(loops, inner[2])
        elif name.startswith("GROUPREF"):
            endless += 1
        else:
            costs = [_cost(inner) for inner in _inners(name, argument)]
            ways *= max(1, len(costs) if name == "BRANCH" else 1)
            for cost in costs:
                ways, endless, loops = ways * cost[0], endless + cost[1], max(loops, cost[2])
        ways = min(ways, _MOST_WORK + 1)
    return ways, endless, loops


def _cost_of_repeat(low: int, high: int, inner: Any) -> tuple[int, int, int]:
    ways, endless, loops = _cost(inner)
    low, high = int(low), int(high)
    many = high - low > 8
    chosen = ways > 1 or endless > 0
    if high > 1 and (many or endless):
        loops += 2 if many and chosen and not loops else 1  # each round chooses anew
    ways = min(ways ** min(high, 32), _MOST_WORK + 1) if not many else ways
    return ways * (1 if many else high - low + 1), endless + many, loops


def _inners(name: str, argument: Any) -> list[Any]:
    if name == "SUBPATTERN":
        return [argument[-1]]
    if name == "BRANCH":
        return list(argument[1])
    if name in ("ASSERT", "ASSERT_NOT"):
        return [argument[1]]
    return [argument] if name == "ATOMIC_GROUP" else []


def _texts(tree: Any, lengths: tuple[int, ...]) -> Iterator[str]:
    """Yield texts made with each choice in turn taken otherwise than usual."""
    yield _Writer({}, 0).text(tree)
    yield _Writer({}, 1).text(tree)
    for taken in islice(_choices(tree), _MOST_CHOICES):
        yield _Writer(taken, 0).text(tree)
        yield _Writer(taken, 1).text(tree)
    for inner in _foreseen(tree):
        for taken in ({}, *islice(_choices(inner), _MOST_CHOICES)):
            yield _Writer(taken, 0).text(inner)
            yield _Writer(taken, 0, inner).text(tree)
    for length in lengths:
        if length > _LONGEST:
            continue
        for more in range(1, 4):
            text = _Writer({}, more).text(tree)
            yield text + "a" * (length - len(text))
        for key, low, high in _repeats(tree):
            one = len(_Writer({key: low}, 0).text(tree))
            step = len(_Writer({key: low + 1}, 0).text(tree)) - one
            if step > 0 and (times := low + (length - one) // step) <= high and times >= low:
                yield _Writer({key: times}, 0).text(tree)


def _foreseen(tree: Any) -> Iterator[Any]:
    """Yield what an expression says must follow or stand before."""
    for operation, argument in tree:
        if str(operation) == "ASSERT":
            yield argument[1]
        elif str(operation) == "SUBPATTERN":
            yield from _foreseen(argument[-1])


def _choices(tree: Any) -> Iterator[dict[int, int]]:
    """Yield each choice with those that lead to it: a branch that holds it, a repeat that happens at all."""
    for operation, argument in tree:
        name, key = str(operation), id(argument)
        if name in _REPEATS:
            low, high, inner = argument
            times = {low, low + 1, low + 2, high if high <= low + 64 else low + 5}
            yield from ({key: one} for one in sorted(times) if one <= high)
            yield from ({key: max(1, low), **taken} for taken in _choices(inner) if high)
        elif name == "BRANCH":
            for nth, inner in enumerate(argument[1]):
                yield {key: nth}
                yield from ({key: nth, **taken} for taken in _choices(inner))
        elif name == "IN":
            yield from ({key: nth} for nth in range(len(_members(argument))))
        elif not name.startswith("ASSERT"):
            for inner in _inners(name, argument):
                yield from _choices(inner)


def _repeats(tree: Any) -> Iterator[tuple[int, int, int]]:
    for operation, argument in tree:
        name = str(operation)
        if name in _REPEATS:
            yield id(argument), argument[0], int(argument[1])
        elif name == "SUBPATTERN":
            yield from _repeats(argument[-1])


def _members(argument: Any) -> str:
    """Return characters of a set: the ends of each range, a few of each category, or what a negated set leaves."""
    listed: list[str] = []
    negated = False
    for operation, value in argument:
        name = str(operation)
        if name == "NEGATE":
            negated = True
        elif name == "LITERAL":
            listed.append(chr(value))
        elif name == "RANGE":
            listed += [chr(value[0]), chr(value[1])]
        elif name == "CATEGORY":
            listed += _CATEGORIES.get(str(value), "")
    if not negated:
        return "".join(dict.fromkeys(listed))
    return "".join(letter for letter in _POOL if not _holds(argument, letter))


def _holds(argument: Any, letter: str) -> bool:
    for operation, value in argument:
        name = str(operation)
        if name == "LITERAL" and chr(value) == letter:
            return True
        if name == "RANGE" and value[0] <= ord(letter) <= value[1]:
            return True
        if name == "CATEGORY" and _in_category(str(value), letter):
            return True
    return False


def _in_category(name: str, letter: str) -> bool:
    kind = name.removeprefix("CATEGORY_").removeprefix("NOT_")
    inside = {
        "DIGIT": letter.isdigit(),
        "SPACE": letter.isspace(),
        "WORD": letter.isalnum() or letter == "_",
    }.get(kind, False)
    return inside != ("NOT_" in name)


class _Writer:
    """Writes one text along an expression: *taken* choices as told, others the first, *more* repeats than are needed.

    What an expression only looks at is left out, but for the part that is *seen*.
    """

    def __init__(self, taken: dict[int, int], more: int, seen: Any = None) -> None:
        self._taken, self._more, self._seen = taken, more, seen
        self._groups: dict[int, str] = {}
        self._left = _LONGEST

    def text(self, tree: Any) -> str:
        return "".join(self._piece(str(name), argument) for name, argument in tree)

    def _piece(self, name: str, argument: Any) -> str:
        if name == "LITERAL":
            return chr(argument)
        if name == "NOT_LITERAL":
            return next(letter for letter in _POOL if ord(letter) != argument)
        if name == "ANY":
            return "a"
        if name == "IN":
            members = _members(argument)
            return members[self._taken.get(id(argument), 0)] if members else ""
        if name == "BRANCH":
            return self.text(argument[1][self._taken.get(id(argument), 0)])
        if name == "SUBPATTERN":
            written = self.text(argument[-1])
            self._groups[argument[0] or 0] = written
            return written
        if name == "GROUPREF":
            return self._groups.get(argument, "")
        if name == "ATOMIC_GROUP":
            return self.text(argument)
        if name in ("ASSERT", "ASSERT_NOT"):
            return self.text(argument[1]) if argument[1] is self._seen else ""
        return self._repeated(argument) if name in _REPEATS else ""

    def _repeated(self, argument: Any) -> str:
        low, high, inner = argument
        times = self._taken.get(id(argument), min(low + self._more, int(high)))
        pieces: list[str] = []
        for _ in range(min(times, self._left)):
            piece = self.text(inner)
            self._left -= len(piece) + 1
            pieces.append(piece)
            if self._left <= 0:
                break
        return "".join(pieces)
