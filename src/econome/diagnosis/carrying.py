"""What an answer of a tool weighs in the context: it is written once, and read again by every response after.

Pure. An answer enters at the next response of its thread and is carried on until the context is cut down, which shows
as a shorter prompt or as a compaction. What is claimed of a response never exceeds what it read or wrote. Tokens are
estimated from characters, at four for a token.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from econome.diagnosis.findings import Claim
from econome.diagnosis.spending import Spent, Thread

__all__ = ["TOKENIZER", "Answer", "carried", "tokens_of"]

TOKENIZER = "chars/4"
"""The name of the method by which characters become tokens."""


@dataclass(frozen=True, slots=True)
class Answer:
    """So many tokens that came into a thread at an instant, from a source that several answers may share."""

    thread: Thread
    at_ns: int
    tokens: int
    source: str


def tokens_of(characters: int) -> int:
    """Return how many tokens so many characters are estimated to be."""
    return -(-characters // 4)


def carried(
    answers: Iterable[Answer],
    threads: Mapping[Thread, Sequence[Spent]],
    cuts: Mapping[Thread, Sequence[int]],
) -> dict[str, dict[int, Claim]]:
    """Return for each source what its answers were of each response, by its place.

    *cuts* are the instants at which the context of a thread was cut down, as far as they are known.
    """
    of_thread: dict[Thread, list[Answer]] = {}
    for answer in answers:
        of_thread.setdefault(answer.thread, []).append(answer)
    found: dict[str, dict[int, Claim]] = {}
    for thread, here in of_thread.items():
        arriving = sorted(here, key=lambda one: (one.at_ns, one.source, one.tokens))
        _carry(arriving, threads.get(thread, ()), sorted(cuts.get(thread, ())), found)
    return found


def _carry(
    arriving: Sequence[Answer],
    responses: Sequence[Spent],
    cuts: Sequence[int],
    found: dict[str, dict[int, Claim]],
) -> None:
    live: dict[str, int] = {}
    at = cut = longest = 0
    for one in responses:
        new: dict[str, int] = {}
        while at < len(arriving) and arriving[at].at_ns <= one.time_ns:
            source = arriving[at].source
            new[source] = new.get(source, 0) + arriving[at].tokens
            at += 1
        was_cut = one.prompt < longest
        while cut < len(cuts) and cuts[cut] <= one.time_ns:
            was_cut, cut = True, cut + 1
        longest = one.prompt
        if was_cut:  # what came just before the cut may be in the summary, or not
            live = {}
            continue
        if one.within:
            for source, claim in _claims(one, live, new).items():
                found.setdefault(source, {})[one.place] = claim
        for source, tokens in new.items():
            live[source] = live.get(source, 0) + tokens


def _claims(one: Spent, live: Mapping[str, int], new: Mapping[str, int]) -> dict[str, Claim]:
    """Share out what a response read among what it carries, and what it wrote among what is new."""
    response = one.response
    rates = one.rates or (0, 0, 0, 0, 0, 0)
    read = [(response.cache_read_tokens, rates[2])]
    wrote = [
        (response.cache_write_1h_tokens, rates[4]),
        (response.cache_write_5m_tokens, rates[3]),
        (response.input_tokens, rates[0]),
    ]
    tokens: dict[str, int] = {}
    atto: dict[str, int] = {}
    for asked, rooms in ((live, read), (new, wrote)):
        for source in sorted(asked):
            wanted = asked[source]
            for place, (room, rate) in enumerate(rooms):
                taken = min(wanted, room)
                rooms[place] = room - taken, rate
                wanted -= taken
                tokens[source] = tokens.get(source, 0) + taken
                atto[source] = atto.get(source, 0) + taken * rate
    return {
        source: Claim(count, None if one.rates is None else atto[source])
        for source, count in tokens.items()
        if count
    }
