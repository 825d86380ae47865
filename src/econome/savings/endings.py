"""The journal in memory: one compact column for each figure that a balance takes from a request that ended.

It reads the lines of `delegation/wire.py` as tolerantly as the journal's own reader. It opens no file.
"""

from __future__ import annotations

from array import array

import msgspec

from econome.delegation.wire import Ended
from econome.savings.wire import epoch_seconds

__all__ = ["NONE", "UNDATED", "Endings"]

NONE = -1
"""The place of a name that is not there."""

UNDATED = -(1 << 62)
"""The instant of a line whose date is none."""

_read_lines = msgspec.json.Decoder(Ended).decode_lines
_read_line = msgspec.json.Decoder(Ended).decode

_LONGEST_S = 2**53  # a damaged line may say what no sum can hold


class Endings:
    """Every line of the journal, by column, in the order of the lines.

    `request`, `preset`, `format`, `model` and `status` hold the place of a name in `requests` and `names`, or `NONE`; an
    empty preset, format or model is none. What is not known of tokens and seconds is 0. `size` is how many bytes were
    read, `malformed` how many lines are no entry.
    """

    __slots__ = (
        "duration_s", "format", "malformed", "model", "names", "preset", "request", "requests", "seconds", "size",
        "status", "tokens_in", "tokens_out",
    )  # fmt: skip

    def __init__(self, requests: dict[str, int]) -> None:
        """*requests* gives each request its place; the ledger's books use it too."""
        self.requests = requests
        self.names: dict[str, int] = {}
        self.request, self.status = array("i"), array("i")
        self.preset, self.format, self.model = array("i"), array("i"), array("i")
        self.tokens_in, self.tokens_out = array("q"), array("q")
        self.seconds, self.duration_s = array("q"), array("d")
        self.size = self.malformed = 0

    def __len__(self) -> int:
        return len(self.status)

    def add_lines(self, data: bytes) -> None:
        """Add whole lines of the journal, in the order in which they stand there."""
        self.size += len(data)
        found = self._read(data)
        place = self.requests.setdefault
        name = self.names.setdefault
        self.request.extend(
            NONE if one.request_id is None else place(one.request_id, len(self.requests))
            for one in found
        )
        self.status.extend(name(one.status, len(self.names)) for one in found)
        for column, values in (
            (self.preset, (one.preset for one in found)),
            (self.format, (one.format for one in found)),
            (self.model, (one.model for one in found)),
        ):
            column.extend(name(value, len(self.names)) if value else NONE for value in values)
        self.tokens_in.extend([one.tokens_in or 0 for one in found])
        self.tokens_out.extend([one.tokens_out or 0 for one in found])
        durations = [one.duration_s or 0.0 for one in found]
        self.duration_s.extend([one if one <= _LONGEST_S else 0.0 for one in durations])
        for one in found:
            seconds = epoch_seconds(one.date)
            self.seconds.append(UNDATED if seconds is None else seconds)

    def _read(self, data: bytes) -> list[Ended]:
        try:
            data.decode("utf-8")  # the decoder does not look into the strings that it skips
            found = _read_lines(data)
        except (ValueError, RecursionError):
            found = []
        if len(found) == data.count(b"\n"):
            return found
        found = []
        for line in data.split(b"\n")[:-1]:
            try:
                line.decode("utf-8")
                found.append(_read_line(line))
            except (ValueError, RecursionError):
                self.malformed += 1
        return found
