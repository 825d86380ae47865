"""Sentences that tell a model what to do, beyond how one tool is called.

They are known by a row of words with few others in between, by marks of those who run models, or by speaking of several things
at once that descriptions of tools seldom do. It judges words and no intentions: what it finds is to be read by a person, and
what it does not find may still be an order.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from econome.contract.folding import folded, sentences, words_of
from econome.contract.wordings import ELSEWHERE, RULES, SETS, TOPICS

__all__ = ["orders", "rephrases"]

_MARKS = re.compile(
    r"<\s{0,4}/?\s{0,4}(?:important|system|sys|instructions?|inst|admin|override|assistant|critical|urgent|(?:hidden|secret|private|internal)_?(?:instructions?|prompt|note|rules?|text|message)?)\b[^<>]{0,60}>"
    r"|\[\s{0,4}/?\s{0,4}(?:system|sys|important|instructions?|inst|admin|override|critical|assistant|urgent)\b[^\[\]]{0,60}\]"
    r"|^\W{0,4}(?:assistant|ai|ai assistant|claude|chatgpt|copilot|gemini|gpt|dear (?:ai|assistant|model))\s{0,2}[,:]\s"
    r"|<\|[^|<>\n]{1,40}\|>|<<\s{0,4}sys\s{0,4}>>"
    r"|(?:^|\n)[\s#*>]{0,8}(?:system|assistant|system prompt|system message|system override|override)\s{0,4}[:\]]\**\s{1,4}(?:you|the|do|ignore|always|from|this|all|new|call|now)\b"
    r"|(?:^|\n)[\s#*>=-]{0,8}(?:new|updated|revised|hidden|secret|real|actual|overriding) (?:system )?instructions?[\s#*=:.-]{0,8}(?:\n|$)"
    r"|(?:begin|end|start) (?:of )?(?:system|hidden|admin|secret) (?:prompt|instructions?|message)"
)
"""Marks that make a text look as if it came from whoever runs the model."""

_Rule = list[tuple[frozenset[str], int]]


def _read(line: str) -> _Rule:
    rule: _Rule = []
    gap = 0
    for part in line.split():
        if part.startswith("~"):
            gap = int(part[1:])
            continue
        words: set[str] = set()
        for name in part.split("|"):
            words |= set(SETS[name].split()) if name in SETS else {name}
        rule.append((frozenset(words), gap))
        gap = 0
    return rule


_READ: Final = [_read(line) for line in RULES.strip().splitlines()]
_BY_WORD: Final[dict[str, list[tuple[int, int]]]] = {}
for _number, _rule in enumerate(_READ):
    for _stage in reversed(range(len(_rule))):  # later stages first: one word is one step
        for _word in _rule[_stage][0]:
            _BY_WORD.setdefault(_word, []).append((_number, _stage))

_WEIGHTS: Final = tuple(weight for weight, _ in TOPICS)
_TOPIC: Final[dict[str, int]] = {
    word: topic for topic, (_, words) in enumerate(TOPICS) for word in words.split()
}
_ENOUGH: Final = 5
_NEAR: Final = 24
"""So many words apart two topics still count together."""

_DENYING: Final = TOPICS.index(next(one for one in TOPICS if one[1].startswith("never ")))
_LITTLE_WORDS: Final = (
    "a an and are as at be by can for from if in is it its of on or so than that the then these this those to unless was will "
    "with you your"
)
_LITTLE: Final = frozenset(_LITTLE_WORDS.split())
"""Words that say little: how many of the others two sentences share tells whether they are one."""

_MOSTLY: Final = 0.7
_LONGEST_COMPARED: Final = 300
_MOST_COMPARED: Final = 100

_DIGITS: Final = str.maketrans("0134578@$", "oieastbas")


def orders(text: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence of *text* that tells a model what to do: as it is compared, and as it stands there."""
    for sentence in sentences(text):
        words = words_of(sentence)
        if any(True for _ in _rules(words)) or _speaks(words) or _marked(sentence):
            yield " ".join(words), sentence


def rephrases(order: str, others: Collection[str]) -> bool:
    """Tell whether an order, as it is compared, says with most of the same words what one of *others* says.

    One that speaks of weighty things that the other does not, that denies more or less, or of which a rule holds that does
    not hold of the other, says something else.
    """
    words = _telling(order)
    for other in list(others)[:_MOST_COMPARED]:
        before = _telling(other)
        if not words or max(len(words), len(before)) > _LONGEST_COMPARED:
            continue
        if len(set(words) & set(before)) < _MOSTLY * len(set(words)):
            continue
        blocks = SequenceMatcher(None, before, words, autojunk=False).get_matching_blocks()
        alike = sum(block.size for block in blocks)
        if (
            alike >= _MOSTLY * len(words)
            and _denials(words) == _denials(before)
            and _weighty(words) <= _weighty(before)
            and set(_rules(order.split())) <= set(_rules(other.split()))
        ):
            return True
    return False


def _telling(order: str) -> list[str]:
    return [word for word in order.split() if word not in _LITTLE]


def _weighty(words: Sequence[str]) -> set[int]:
    return {topic for word in words if (topic := _TOPIC.get(word, -1)) >= 0 and _WEIGHTS[topic] > 1}


def _denials(words: Sequence[str]) -> int:
    return sum(_TOPIC.get(word) == _DENYING for word in words)


def _marked(sentence: str) -> bool:
    plain = folded(sentence)
    return bool(_MARKS.search(plain)) or any(one in sentence for one in ELSEWHERE)


def _rules(words: Sequence[str]) -> Iterator[int]:
    """Yield the number of each rule that holds of these words, in one pass over them; some twice."""
    reached: dict[tuple[int, int], int] = {}
    for at, written in enumerate(words):
        steps = _BY_WORD.get(written)
        if steps is None:
            steps = _BY_WORD.get(written.translate(_DIGITS)) if not written.isalpha() else None
            if steps is None:
                continue
        for number, stage in steps:
            rule = _READ[number]
            if stage:
                before = reached.get((number, stage - 1))
                if before is None or at - before - 1 > rule[stage][1]:
                    continue
            if stage == len(rule) - 1:
                yield number
            else:
                reached[number, stage] = at


def _speaks(words: Sequence[str]) -> bool:
    """Tell whether so many topics come together that a sentence is hardly about one tool alone."""
    latest = [-_NEAR] * len(_WEIGHTS)
    for at, word in enumerate(words):
        topic = _TOPIC.get(word)
        if topic is None:
            continue
        latest[topic] = at
        near = at - _NEAR
        if (
            sum(weight for weight, seen in zip(_WEIGHTS, latest, strict=True) if seen > near)
            >= _ENOUGH
        ):
            return True
    return False
