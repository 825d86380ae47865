"""All that one run found, as values that can be written down: sums by server and kind, and the bars they are held to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench.lean.asking import Asked
from bench.lean.counting import JUDGE
from bench.lean.latency import Added
from bench.lean.menus import Checked, Menu
from bench.lean.tasks import Spent
from bench.pages import Bar

__all__ = ["Figures", "Pair", "bars", "less", "summed"]

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Pair:
    """Tokens before and after."""

    before: int = 0
    after: int = 0

    def __add__(self, other: Pair) -> Pair:
        """Return the sum of both."""
        return Pair(self.before + other.before, self.after + other.after)

    @property
    def saved(self) -> float:
        """Return the share that went away; 0 where there was nothing."""
        return 1 - self.after / self.before if self.before else 0.0


@dataclass(frozen=True, slots=True)
class Figures:
    """One run: menus and answers by the name of the way they were asked for, and what checking them found."""

    counters: dict[str, Count]
    menus: dict[str, list[Menu]]
    answers: dict[str, list[Asked]]
    checked: list[Checked]
    spent: list[Spent]
    added: dict[str, Added]
    """What proxies add, by how they are reached and for what: `stdio`, `stdio, rows`, `http` and so on."""

    def menu(self, arm: str, server: str, counter: str = JUDGE) -> Pair:
        """Return what the menu of *server* was, and is in the way *arm*."""
        count = self.counters[counter]
        before, after = (
            next(one for one in self.menus[name] if one.server == server) for name in ("alone", arm)
        )
        return Pair(count(before.text), count(after.text))

    def servers(self) -> list[str]:
        """Return the names of the servers, in the order of their declaration."""
        return [menu.server for menu in self.menus["alone"]]

    def all_menus(self, arm: str, counter: str = JUDGE, left_out: str = "") -> Pair:
        """Return the sum over all servers, but for one that is *left_out*."""
        servers = (server for server in self.servers() if server != left_out)
        return summed(self.menu(arm, server, counter) for server in servers)

    def answer(self, asked: Asked, counter: str = JUDGE) -> Pair:
        """Return what a model would have read of an answer, and reads."""
        count = self.counters[counter]
        return Pair(count(asked.before), count(asked.after))

    def kind(self, arm: str, kinds: Sequence[str], counter: str = JUDGE, server: str = "") -> Pair:
        """Return the sum over the answers of some *kinds*, of one *server* where that is given."""
        return summed(
            self.answer(asked, counter)
            for asked in self.answers[arm]
            if asked.call.kind in kinds and server in ("", asked.call.server)
        )

    def larger(self) -> list[str]:
        """Return every menu and every answer that is larger than it was, by any of the tokenizers."""
        found = []
        for name in self.counters:
            for arm in self.menus:
                found += [
                    f"menu of {server}, {arm}, {name}: {pair.before} to {pair.after}"
                    for server in self.servers()
                    if (pair := self.menu(arm, server, name)).after > pair.before
                ]
            for arm, answers in self.answers.items():
                found += [
                    f"{one.call.server} {one.call.tool}, {arm}, {name}: {pair.before} to {pair.after}"
                    for one in answers
                    if (pair := self.answer(one, name)).after > pair.before
                ]
        return found

    def faults(self) -> list[str]:
        """Return everything that checking menus and answers found wrong."""
        found = [f"{one.server}: {fault}" for one in self.checked for fault in one.faults]
        for arm, answers in self.answers.items():
            for one in answers:
                found += [
                    f"{arm} {one.call.server} {one.call.tool}: {f}" for f in one.verdict.faults
                ]
        return found


def summed(pairs: Iterable[Pair]) -> Pair:
    """Return the sum of *pairs*."""
    return sum(pairs, Pair())


def less(share: float) -> str:
    """Return a share that went away as a percentage."""
    return f"{share * 100:.1f} %"


_DATA = ("rows", "nested")


def bars(figures: Figures) -> list[Bar]:
    """Return all bars as this run meets them."""
    found = []
    for arm, name, least in (
        ("lossless", "menus, nothing lost", 0.2),
        ("lean", "menus, lean", 0.6),
    ):
        saved = figures.all_menus(arm).saved
        found.append(
            Bar(f"{name}: smaller by", less(saved), f"at least {least:.0%}", saved >= least)
        )
    for arm, name, least in (
        ("lossless", "structured answers, nothing cut", 0.35),
        ("limited", "structured answers, with limits", 0.7),
    ):
        saved = figures.kind(arm, _DATA).saved
        found.append(
            Bar(f"{name}: smaller by", less(saved), f"at least {least:.0%}", saved >= least)
        )
    larger, faults = figures.larger(), figures.faults()
    found.append(Bar("menus and answers that grew", str(len(larger)), "none", not larger))
    found.append(Bar("faults found by the checker", str(len(faults)), "none", not faults))
    for way in ("stdio", "http"):
        if (added := figures.added.get(way)) is not None:
            name = f"added latency, p50, against --pass, {way}"
            found.append(Bar(name, f"{added.ratio:.2f}", "at most 1.3", added.ratio <= 1.3))
            name, ratio = f"latency of a call, p50, against --pass, {way}", added.whole_ratio
            found.append(Bar(name, f"{ratio:.2f}", "at most 1.3", ratio <= 1.3))
    return found
