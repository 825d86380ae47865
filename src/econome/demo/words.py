"""The filler text and the random ids of the demo tree: made up here, and the same for the same seed."""

from __future__ import annotations

import random

__all__ = ["Dice"]

_SUBJECTS = (
    "the tide table", "a mooring line", "the berth ledger", "our pilot boat", "the fog signal",
    "a customs form", "the harbour clock", "the crane log", "a spare anchor", "the ferry queue",
    "the salt store", "an old chart",
)  # fmt: skip
_VERBS = (
    "waits for", "outlives", "is checked against", "forgets", "must follow", "replaces",
    "is counted before", "hides behind", "agrees with", "is written beside",
)  # fmt: skip
_ENDINGS = (
    "until the lamp is lit", "whenever the wind turns north", "once a week", "on the second bell",
    "without a rounding error", "in every time zone", "for boats under nine metres",
    "as the pier master asked", "only when the gate is closed", "twice on a leap day",
)  # fmt: skip
_BASE = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class Dice(random.Random):
    """A seeded generator that also makes sentences and ids."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._pool = [self._compose() for _ in range(300)]

    def _compose(self) -> str:
        parts = (self.choice(_SUBJECTS), self.choice(_VERBS), self.choice(_SUBJECTS))
        return f"{' '.join(parts)} {self.choice(_ENDINGS)}."

    def sentence(self) -> str:
        """Return one made-up sentence."""
        return self.choice(self._pool)

    def text(self, characters: int) -> str:
        """Return made-up lines of about *characters* characters."""
        lines: list[str] = []
        while characters > 0:
            line = self.sentence()
            lines.append(line)
            characters -= len(line) + 1
        return "\n".join(lines)

    def hex(self, digits: int) -> str:
        """Return *digits* lower-case hexadecimal digits."""
        return f"{self.getrandbits(4 * digits):0{digits}x}"

    def uuid(self) -> str:
        """Return an id with the shape of a version 4 UUID."""
        digits = self.hex(32)
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def uuid7(self, at_ms: int) -> str:
        """Return an id with the shape of a version 7 UUID, made at *at_ms*."""
        made, digits = f"{at_ms:012x}", self.hex(20)
        return f"{made[:8]}-{made[8:]}-7{digits[1:4]}-a{digits[5:8]}-{digits[8:]}"

    def token(self, prefix: str) -> str:
        """Return an id with the shape the API gives to messages, requests and tool calls."""
        return f"{prefix}_01" + "".join(self.choices(_BASE, k=22))

    def about(self, middle: int) -> int:
        """Return a whole number from half of *middle* up to half as much again."""
        return middle - middle // 2 + self.randrange(middle // 2 * 2 + 1)

    def chance(self, share: float) -> bool:
        """Return true in about *share* of the calls."""
        return self.random() < share
