"""What one file says of one response: rows folded by maximum, in any order, however often repeated (F2, F3).

An occurrence is a list whose layout is the constants below: a gigabyte of transcripts makes 100,000 of them.
Occurrences that may be one response share a *group*; `fold` decides which of a group's are.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, TypeAlias

from econome.usage import rows as r

__all__ = ["UNDATED", "FileFold", "merge", "merge_groups", "triple"]

Occurrence: TypeAlias = list[Any]
Groups: TypeAlias = dict[int, list[Occurrence]]

# The layout of an occurrence: the eight counters of a row at the same places, then:
INPUT, OUTPUT, CACHE_READ, CACHE_WRITE, WRITE_5M, WRITE_1H, SEARCHES, FETCHES = range(8)
TIME, LEAD, LEAD_TIME, FINAL, ROWS, RANK, OWN_TIME, OWN_OFFSET, OWN, REQUEST, EXTRAS = range(8, 19)
# LEAD = (model, speed, tier, geo) of the line with the greatest output; RANK = 2 * side chain + foreign, of
# the owning row; OWN = (session, cwd, branch, attributed agent) of it; REQUEST = hash of requestId or 0.

UNDATED = 1 << 70
"""A time after every real one, in nanoseconds: the line gave none that can be read (F7)."""

_NO_REQUEST = 0


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8"), digest_size=8).digest(), "little")


def is_uuid(text: str) -> bool:
    """Say whether an id has the shape of a UUID, which identifies a line and not a response (F2)."""
    if len(text) != 36 or text[8] != "-" or text[13] != "-" or text[18] != "-" or text[23] != "-":
        return False
    digits = text.replace("-", "")
    return len(digits) == 32 and all(c in "0123456789abcdefABCDEF" for c in digits)


def triple(occurrence: Occurrence) -> tuple[int, int, int]:
    """Return (input, cache read, cache write), which one response repeats on each of its lines (F2)."""
    return occurrence[INPUT], occurrence[CACHE_READ], max(0, occurrence[CACHE_WRITE])


def _lead_first(a: Occurrence, b: Occurrence) -> bool:
    """Whether *b* leads *a* (F3): greater output, then earlier, then the smaller model id."""
    if b[OUTPUT] != a[OUTPUT]:
        return bool(b[OUTPUT] > a[OUTPUT])
    return bool((b[LEAD_TIME], b[LEAD]) < (a[LEAD_TIME], a[LEAD]))


def own_key(occurrence: Occurrence) -> tuple[int, int, int]:
    """Return what orders the rows of one file by ownership (F5)."""
    return occurrence[RANK], occurrence[OWN_TIME], occurrence[OWN_OFFSET]


def merge(a: Occurrence, b: Occurrence, keep_owner: bool = False) -> None:
    """Fold *b* into *a*; the order of folding never matters.

    With *keep_owner* the owning row of *a* stays (the caller has decided between files).
    """
    if _lead_first(a, b):
        a[LEAD], a[LEAD_TIME] = b[LEAD], b[LEAD_TIME]
    for at in range(8):
        if b[at] > a[at]:
            a[at] = b[at]
    if b[TIME] < a[TIME]:
        a[TIME] = b[TIME]
    a[FINAL] = a[FINAL] or b[FINAL]
    a[ROWS] += b[ROWS]
    if not keep_owner and own_key(b) < own_key(a):
        a[RANK], a[OWN_TIME], a[OWN_OFFSET], a[OWN] = b[RANK], b[OWN_TIME], b[OWN_OFFSET], b[OWN]
    if b[EXTRAS]:
        a[EXTRAS] = merge_extras(a[EXTRAS], b[EXTRAS])


def merge_extras(a: r.Extras | None, b: r.Extras) -> r.Extras:
    """Fold the calls beside two top levels: each position by maximum, the smaller model id where they differ."""
    folded = dict(a or {})
    for key, (model, counters) in b.items():
        if key in folded:
            other, known = folded[key]
            model = min(filter(None, (model, other)), default=None)
            counters = tuple(map(max, counters, known))
        folded[key] = model, counters
    return folded


def merge_groups(into: Groups, more: Groups) -> None:
    """Fold the groups of a file's later part into those of its earlier part."""
    for gid, occurrences in more.items():
        known = into.get(gid)
        if known is None:
            into[gid] = occurrences
            continue
        for occurrence in occurrences:
            same = _same(known, occurrence, identified(gid))
            if same is None:
                known.append(occurrence)
            else:
                merge(same, occurrence)


def identified(gid: int) -> bool:
    """Say whether a group is of a message id, as against rows whose id identifies nothing."""
    return bool(gid & 1)


def _same(known: list[Occurrence], new: Occurrence, by_message: bool) -> Occurrence | None:
    for occurrence in known:
        if occurrence[REQUEST] == new[REQUEST]:
            if new[REQUEST] != _NO_REQUEST or not by_message:
                return occurrence
            if triple(occurrence) == triple(new):
                return occurrence
    return None


class FileFold:
    """The rows of one file, folded as they come.

    *home* is the session that the file is named after ("" for an agent's file: none of its rows is foreign);
    *salt* tells the file apart from every other where a row identifies nothing.
    """

    def __init__(self, home: str, stem: str, salt: str) -> None:
        self._home, self._stem, self._salt = home, stem, salt
        self._groups: dict[str, list[Occurrence]] = {}
        self._shared: dict[Any, Any] = {}
        self.rows = 0
        self.first = UNDATED

    def add(self, row: r.Row, offset: int) -> None:
        """Fold one row; *offset* is where its line begins."""
        self.rows += 1
        message_id, request_id = row[0], row[1]
        by_message = True
        if message_id is None or (len(message_id) == 36 and is_uuid(message_id)):
            by_message = False
            if request_id is not None:
                source, request_id = "r" + request_id, None
            elif row[2] is not None:
                source = "u" + row[2]
            else:
                source = f"l{self._salt}:{offset}"
        else:
            source = "i" + message_id
        time = row[7]
        if time is None:
            time = UNDATED
        elif time < self.first:
            self.first = time
        group = self._groups.get(source)
        if group is not None:
            for known in group:
                if known[REQUEST] == request_id and (
                    request_id is not None
                    or not by_message
                    or triple(known) == (row[9], row[11], max(0, row[12]))
                ):
                    self._again(known, row, time, offset)
                    return
        occurrence = self._first(row, time, offset, request_id)
        if group is None:
            self._groups[source] = [occurrence]
        else:
            group.append(occurrence)

    def _rank(self, row: r.Row) -> int:
        return 2 * row[3] + (bool(row[4]) and row[4] != self._home and self._home != "")

    def _own(self, row: r.Row) -> tuple[str, str, str, str]:
        shared = self._shared
        own = (row[4] or self._stem, row[5], row[6], row[21])
        known = shared.get(own)
        if known is None:
            known = shared[own] = tuple(shared.setdefault(text, text) for text in own)
        return known  # type: ignore[no-any-return]

    def _lead(self, row: r.Row) -> tuple[str, str, str, str]:
        lead = (row[8], row[17], row[18], row[19])
        return self._shared.setdefault(lead, lead)  # type: ignore[no-any-return]

    def _first(self, row: r.Row, time: int, offset: int, request: str | None) -> Occurrence:
        # fmt: off
        return [
            *row[9:17], time, self._lead(row), time, row[20], 1,
            self._rank(row), time, offset, self._own(row), request, row[22],
        ]
        # fmt: on

    def _again(self, known: Occurrence, row: r.Row, time: int, offset: int) -> None:
        output = row[10]
        if output > known[OUTPUT] or (output == known[OUTPUT] and time <= known[LEAD_TIME]):
            lead = self._lead(row)
            if output > known[OUTPUT] or (time, lead) < (known[LEAD_TIME], known[LEAD]):
                known[LEAD], known[LEAD_TIME] = lead, time
                known[OUTPUT] = output
        for at, value in zip((0, 2, 3, 4, 5, 6, 7), (row[9], *row[11:17]), strict=True):
            if value > known[at]:
                known[at] = value
        if time < known[TIME]:
            known[TIME] = time
        known[FINAL] = known[FINAL] or row[20]
        known[ROWS] += 1
        rank = self._rank(row)
        if rank < known[RANK] or (
            rank == known[RANK] and (time, offset) < (known[OWN_TIME], known[OWN_OFFSET])
        ):
            known[RANK], known[OWN_TIME], known[OWN_OFFSET] = rank, time, offset
            known[OWN] = self._own(row)
        if row[22]:
            known[EXTRAS] = merge_extras(known[EXTRAS], row[22])

    def groups(self) -> Groups:
        """Return the occurrences by group id: 63 bits of a hash, the lowest bit says `identified`."""
        found: Groups = {}
        for source, occurrences in self._groups.items():
            for occurrence in occurrences:
                request = occurrence[REQUEST]
                occurrence[REQUEST] = _NO_REQUEST if request is None else _hash(request) | 1
            gid = (_hash(source) & ~1) | (source[0] == "i")
            found[gid - (1 << 63)] = occurrences
        return found
