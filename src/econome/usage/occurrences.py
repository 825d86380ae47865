"""What one file says of one response: rows folded by maximum, in any order, however often repeated (F2, F3).

An occurrence is a list whose layout is the constants below: a gigabyte of transcripts makes 100,000 of them.
Occurrences that may be one response share a *group*; `fold` decides which of a group's are.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, TypeAlias

from econome.usage import rows as r

__all__ = [
    "CACHE_READ", "CACHE_WRITE", "EXTRAS", "FETCHES", "FINAL", "INPUT", "LEAD", "LEAD_TIME",
    "OFFSET", "OUTPUT", "OWN", "RANK", "REQUEST", "ROWS", "SEARCHES", "TIME", "UNDATED", "WRITE_1H",
    "WRITE_5M", "Beside", "FileFold", "Groups", "Lead", "Occurrence", "Owner", "group_id",
    "identified", "is_uuid", "merge", "merge_extras", "merge_groups", "triple",
]  # fmt: skip

Occurrence: TypeAlias = list[Any]
Owner: TypeAlias = tuple[str, str, str, str]
Lead: TypeAlias = tuple[str, str, str, str]
Beside: TypeAlias = dict[tuple[str, int], tuple[str | None, tuple[int, ...], int, int]]
"""`rows.Extras`, each with the greatest output of a line and that line's time: what its model comes from (F3)."""
Groups: TypeAlias = dict[int, list[Occurrence]]

# The layout of an occurrence: the eight counters of a row at the same places, then:
INPUT, OUTPUT, CACHE_READ, CACHE_WRITE, WRITE_5M, WRITE_1H, SEARCHES, FETCHES = range(8)
TIME, LEAD, LEAD_TIME, FINAL, ROWS, RANK, OFFSET, OWN, REQUEST, EXTRAS = range(8, 18)
# LEAD = (model, speed, tier, geo) of the line with the greatest output; RANK = 2 * side chain + foreign, of
# the owning row; OWN = (session, cwd, branch, attributed agent) of it; REQUEST = requestId; without one
# the triple of a row that a message id identifies, else None.

UNDATED = 1 << 70
"""A time after every real one, in nanoseconds: the line gave none that can be read (F7)."""


def is_uuid(text: str) -> bool:
    """Say whether an id has the shape of a UUID, which identifies a line and not a response (F2)."""
    if len(text) != 36 or text[8] != "-" or text[13] != "-" or text[18] != "-" or text[23] != "-":
        return False
    digits = text.replace("-", "")
    return len(digits) == 32 and all(c in "0123456789abcdefABCDEF" for c in digits)


def triple(counters: Sequence[int]) -> tuple[int, int, int]:
    """Return (input, cache read, cache write), which one response repeats on each of its lines (F2)."""
    written = counters[CACHE_WRITE]
    if written == r.ABSENT:
        written = counters[WRITE_5M] + counters[WRITE_1H]
    return counters[INPUT], counters[CACHE_READ], written


def _lead_first(a: Occurrence, b: Occurrence) -> bool:
    """Whether *b* leads *a* (F3): greater output, then earlier, then the smaller model id."""
    if b[OUTPUT] != a[OUTPUT]:
        return bool(b[OUTPUT] > a[OUTPUT])
    return bool((b[LEAD_TIME], b[LEAD]) < (a[LEAD_TIME], a[LEAD]))


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
    if not keep_owner and (b[RANK], b[OFFSET]) < (a[RANK], a[OFFSET]):
        a[RANK], a[OFFSET], a[OWN] = b[RANK], b[OFFSET], b[OWN]
    if b[EXTRAS]:
        a[EXTRAS] = merge_extras(a[EXTRAS], b[EXTRAS])


def merge_extras(a: Beside | None, b: Beside) -> Beside:
    """Fold the calls beside two top levels: each position like a response of its own (F3, F6)."""
    folded = dict(a or {})
    for key, (model, counters, output, time) in b.items():
        if key in folded:
            other, known, other_output, other_time = folded[key]
            leads = (-output, time, model or "") < (-other_output, other_time, other or "")
            if not leads:
                model, output, time = other, other_output, other_time
            counters = tuple(map(max, counters, known))
        folded[key] = model, counters, output, time
    return folded


def merge_groups(into: Groups, more: Groups) -> None:
    """Fold the groups of a file's later part into those of its earlier part."""
    for gid, occurrences in more.items():
        known = into.get(gid)
        if known is None:
            into[gid] = occurrences
            continue
        for occurrence in occurrences:
            for same in known:
                if same[REQUEST] == occurrence[REQUEST]:
                    merge(same, occurrence)
                    break
            else:
                known.append(occurrence)


def group_id(source: str) -> int:
    """Return the id of a group, a signed 64-bit hash, from what its rows share.

    *source* begins with `i` before a message id, which sets the lowest bit (see `identified`), with `r`
    before a request id, `u` before a row's uuid, `l` before a place. The hash is a published one, since history keeps it.
    """
    digest = blake2b(source.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True) & ~1 | (source[0] == "i")


def identified(gid: int) -> bool:
    """Say whether a group is of a message id, as against rows whose id identifies nothing."""
    return bool(gid & 1)


class FileFold:
    """The rows of one file, folded as they come.

    *home* is the session that the file is named after ("" for an agent's file: none of its rows is foreign);
    *salt* tells the file apart from every other where a row identifies nothing.
    """

    def __init__(self, home: str, stem: str, salt: str) -> None:
        self._home, self._stem, self._salt = home, stem, salt
        self._groups: dict[str, list[Occurrence]] = {}
        self._leads: dict[Lead, Lead] = {}
        self.owners: dict[Owner, Owner] = {}
        self.rows = 0
        self.first = UNDATED

    def add(self, row: r.Row, offset: int) -> None:
        """Fold one row; *offset* is where its line begins."""
        message_id, request_id = row[0], row[1]
        if message_id is None or is_uuid(message_id):
            if request_id is not None:
                source, request_id = "r" + request_id, None
            else:
                source = f"u{row[2]}" if row[2] is not None else f"l{self._salt}:{offset}"
        else:
            source = "i" + message_id
        own = (row[4] or self._stem, row[5], row[6], row[21])
        lead = (row[8], row[17], row[18], row[19])
        foreign = row[4] if row[4] else self._home
        self.add_sure(
            source,
            request_id,
            own,
            lead,
            row[7],
            row[3],
            foreign,
            row[20],
            offset,
            [*row[9:17]],
            row[22],
        )

    def add_sure(
        self,
        source: str,
        request: str | None,
        own: Owner,
        lead: Lead,
        time: int | None,
        side: bool,
        session: str,
        final: bool,
        offset: int,
        counters: Occurrence,
        extras: r.Extras | None,
    ) -> None:
        """Fold a row taken apart: its group's *source*, its request, owner and lead, then the rest.

        *session* is the row's own, without a fall back; *counters* are the eight of a row.
        """
        self.rows += 1
        if time is None:
            time = UNDATED
        elif time < self.first:
            self.first = time
        rank = 2 if side else 0
        if session != self._home and self._home:
            rank += 1
        beside: Beside | None = None
        if extras:
            beside = {at: (*found, found[1][1], time) for at, found in extras.items()}
        key = triple(counters) if request is None and source[0] == "i" else request
        group = self._groups.get(source)
        if group is not None:
            for known in group:
                if known[REQUEST] == key:
                    self._again(known, own, lead, time, rank, final, offset, counters, beside)
                    return
        own, lead = self.owners.setdefault(own, own), self._leads.setdefault(lead, lead)
        counters += (time, lead, time, final, 1, rank, offset, own, key, beside)
        if group is None:
            self._groups[source] = [counters]
        else:
            group.append(counters)

    def _again(
        self,
        known: Occurrence,
        own: Owner,
        lead: Lead,
        time: int,
        rank: int,
        final: bool,
        offset: int,
        counters: Occurrence,
        beside: Beside | None,
    ) -> None:
        known[ROWS] += 1
        output = counters[OUTPUT]
        if output >= known[OUTPUT] and (
            output > known[OUTPUT] or (time, lead) < (known[LEAD_TIME], known[LEAD])
        ):
            known[OUTPUT], known[LEAD_TIME] = output, time
            if lead != known[LEAD]:
                known[LEAD] = self._leads.setdefault(lead, lead)
        counters[OUTPUT] = known[OUTPUT]
        if known[:8] != counters:
            known[:8] = map(max, known[:8], counters)
        if time < known[TIME]:
            known[TIME] = time
        if final:
            known[FINAL] = True
        if (
            rank < known[RANK]
        ):  # else the row that came first in the file owns, and lines come in order
            known[RANK], known[OFFSET] = rank, offset
            known[OWN] = self.owners.setdefault(own, own)
        if beside:
            known[EXTRAS] = merge_extras(known[EXTRAS], beside)

    def groups(self, passing: bool = False) -> Groups:
        """Return the occurrences by group id: a signed 64-bit hash whose lowest bit says `identified`.

        What is kept needs a hash that never changes. Where all is *passing*, with this process and its forks, the
        interpreter's own will do.
        """
        found: Groups = {}
        for source, occurrences in self._groups.items():
            gid = hash(source) & ~1 | (source[0] == "i") if passing else group_id(source)
            found[gid] = occurrences
        return found
