"""The figures of a balance: sums that add up, and the rows they are shown as.

It knows what net and rework rate are, and that money without a price is not known (P4). It sees no event.
"""

from __future__ import annotations

from typing import Any

from econome.prices.amounts import usd

__all__ = ["AVOIDED", "CORRECTIONS", "DELEGATIONS", "FIGURES", "STEERING", "Dollars", "Figures"]

DELEGATIONS, AVOIDED, STEERING, CORRECTIONS = range(4)
"""The places of the counters in a row's sums."""

FIGURES = ("delegations", "avoided", "steering", "corrections", "net", "rework_rate")
"""The keys of a row's figures, in their order."""

_AMOUNTS = ("avoided", "steering", "corrections")


class Dollars:
    """Sums of money in atto-dollars: of what was avoided, of steering and of corrections.

    `priced` and `unpriced` say of each whether anything in it had a price, and whether anything had none.
    """

    __slots__ = ("priced", "sums", "unpriced")

    def __init__(self) -> None:
        self.sums = [0, 0, 0]
        self.priced = [False, False, False]
        self.unpriced = [False, False, False]

    def add(self, at: int, atto: int | None) -> None:
        """Add an amount to the sum of counter *at*; None is one without a price."""
        place = at - AVOIDED
        if atto is None:
            self.unpriced[place] = True
        else:
            self.priced[place] = True
            self.sums[place] += atto

    def merge(self, other: Dollars) -> None:
        """Add another row's money."""
        for place in range(len(_AMOUNTS)):
            self.sums[place] += other.sums[place]
            self.priced[place] |= other.priced[place]
            self.unpriced[place] |= other.unpriced[place]

    def row(self) -> dict[str, Any]:
        """Return the money of a row: exact decimal texts, None for what is not known."""
        known = [
            priced or not unpriced
            for priced, unpriced in zip(self.priced, self.unpriced, strict=True)
        ]
        texts = [
            usd(atto) if is_known else None for atto, is_known in zip(self.sums, known, strict=True)
        ]
        avoided, steering, corrections = self.sums
        return {
            **dict(zip(_AMOUNTS, texts, strict=True)),
            "net": usd(avoided - steering - corrections) if all(known) else None,
            "partial": any(self.unpriced),
        }


class Figures:
    """The sums of one row, of a client or of all."""

    __slots__ = ("conflicts", "sums", "unattached", "usd")

    def __init__(self, sums: list[int] | None = None, money: Dollars | None = None) -> None:
        self.sums = [0, 0, 0, 0] if sums is None else sums
        self.usd = money
        self.unattached = self.conflicts = 0

    def merge(self, other: Figures) -> None:
        """Add another row's sums."""
        for at, value in enumerate(other.sums):
            self.sums[at] += value
        self.unattached += other.unattached
        self.conflicts += other.conflicts
        if self.usd is not None and other.usd is not None:
            self.usd.merge(other.usd)

    @property
    def net(self) -> int:
        """What was avoided less what steering and corrections cost."""
        return self.sums[AVOIDED] - self.sums[STEERING] - self.sums[CORRECTIONS]

    def row(self) -> dict[str, Any]:
        """Return the figures that every row has; the rate is None where nothing was avoided."""
        delegations, avoided, steering, corrections = self.sums
        rate = corrections / avoided if avoided > 0 else None
        values = (delegations, avoided, steering, corrections, self.net, rate)
        found: dict[str, Any] = dict(zip(FIGURES, values, strict=True))
        if self.usd is not None:
            found["usd"] = self.usd.row()
        return found

    def whole(self) -> dict[str, Any]:
        """Return the figures of a client or of all: those of a row, and what belongs to no row."""
        found = self.row()
        money = {"usd": found.pop("usd")} if "usd" in found else {}
        return found | {"unattached": self.unattached, "conflicts": self.conflicts} | money
