"""How much a proxy adds to a call: the same call asked alone, through passing and through lean, in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from bench.lean.arms import ALONE, LOSSLESS, PASSING, Arm, listening, session
from bench.lean.lines import Line
from bench.lean.post import Post
from bench.lean.record import placed
from bench.lean.script import CALLS, Call
from bench.lean.servers import SERVERS, Places
from bench.measure import median

__all__ = ["Added", "Sample", "added", "measure"]

_ARMS = (ALONE, PASSING, LOSSLESS)


@dataclass(frozen=True, slots=True)
class Sample:
    """One call, asked in one round in each way: the milliseconds from the request to the whole answer."""

    server: str
    tool: str
    kind: str
    alone_ms: float
    passing_ms: float
    lean_ms: float


@dataclass(frozen=True, slots=True)
class Added:
    """What proxies add, in milliseconds at the middle of all samples, and how one stands to the other."""

    samples: int
    alone_ms: float
    passing_ms: float
    lean_ms: float
    whole_ratio: float

    @property
    def ratio(self) -> float:
        """Return what lean adds for each millisecond that passing adds."""
        return self.lean_ms / self.passing_ms


def measure(places: Places, rounds: int, *, http: bool) -> list[Sample]:
    """Ask every call of the script *rounds* times in each way, after one round that does not count.

    The proxies are asked over standard input and output or over *http*. The way that goes first changes with each call,
    and its answers are not looked at: others do that.
    """
    samples: list[Sample] = []
    for server in SERVERS:
        calls = [call for call in CALLS if call.server == server.name]
        if not calls:
            continue
        with ExitStack() as open_:
            lines: dict[Arm, Line | Post] = {}
            for arm in _ARMS:
                if http and arm is not ALONE:
                    lines[arm] = open_.enter_context(listening(arm, server, places))
                else:
                    lines[arm] = open_.enter_context(session(arm, server, places))
                lines[arm].tools()
            for number in range(rounds + 1):
                for at, call in enumerate(calls):
                    taken = _asked(lines, _turned(_ARMS, number + at), call, places)
                    if number:
                        samples.append(_sample(call, taken))
    return samples


def _asked(
    lines: Mapping[Arm, Line | Post], arms: Sequence[Arm], call: Call, places: Places
) -> dict[Arm, float]:
    arguments = placed(call.arguments, places)
    return {arm: lines[arm].call(call.tool, arguments)[1] / 1e6 for arm in arms}


def _turned(arms: Sequence[Arm], by: int) -> list[Arm]:
    by %= len(arms)
    return [*arms[by:], *arms[:by]]


def _sample(call: Call, taken: dict[Arm, float]) -> Sample:
    return Sample(call.server, call.tool, call.kind, taken[ALONE], taken[PASSING], taken[LOSSLESS])


def added(samples: Sequence[Sample]) -> Added:
    """Return the medians over *samples* of what each proxy adds to the same call of the same round."""
    return Added(
        samples=len(samples),
        alone_ms=median([one.alone_ms for one in samples]),
        passing_ms=median([one.passing_ms - one.alone_ms for one in samples]),
        lean_ms=median([one.lean_ms - one.alone_ms for one in samples]),
        whole_ratio=median([one.lean_ms / one.passing_ms for one in samples]),
    )
