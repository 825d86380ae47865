"""Whether calls that an old schema accepted still succeed: judged by making calls, not by comparing texts.

It looks for one call that the old schema accepts and the new one refuses, and for one the other way round. A library of JSON Schema
judges each call; what is made here only says which calls are worth judging. It never proves what it did not try: where a rule
changed that no made call can settle, it says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from econome.contract.accepts import Judge, Work
from econome.contract.arguments import Maker, Side
from econome.contract.cases import Cases
from econome.contract.complaints import complaint
from econome.contract.readings import Reading, key_of, read
from econome.contract.sameness import Outline, Sameness, outlined, unsettled
from econome.contract.shrinking import shrunk

__all__ = ["Verdict", "compare"]

_MOST_CALLS = 1_500
_MOST_WORK = 100_000
"""Rules that are looked at while calls are made, and again while they are judged."""
_WORK_TO_SHRINK = 30_000
_MOST_TOLD = 4


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found between two schemas.

    *refused* are the arguments of the smallest call found that the old schema accepts and the new one refuses, None without
    one; *where* is a JSON pointer into those arguments (of the field that is missing, where one is), *reason* one sentence.
    *wider* is a call that only the new one accepts; once one is refused, it is not looked for. *tried* calls were judged by both. *proven* is False where no call was refused and
    something that changed could not be settled by any; *unproven* then says what. *added* and *dropped* are the fields that only
    the new or only the old schema names, as pointers with `*` for any item: calls with them may be accepted by both.
    """

    refused: Any | None = None
    where: str = ""
    reason: str = ""
    wider: Any | None = None
    tried: int = 0
    proven: bool = True
    unproven: str = ""
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def compare(old_schema: object, new_schema: object) -> Verdict:
    """Return what changed for callers between two input schemas.

    The same two schemas give the same verdict everywhere, in whatever order they are written. Nothing is fetched, formats are
    not judged (see `accepts.py`), and no schema raises, however broken.
    """
    old, new = read(old_schema), read(new_schema)
    if old.flaw or new.flaw:
        if _written_alike(old_schema, new_schema):
            return Verdict()
        flaws = [("old", old.flaw), ("new", new.flaw)]
        told = "; ".join(
            f"of the {which} schema nothing could be judged: {flaw}"
            for which, flaw in flaws
            if flaw
        )
        return Verdict(proven=False, unproven=told)
    if old.dialect == new.dialect and key_of(old.schema) == key_of(new.schema):
        lost = _left_out(old, new)
        return Verdict(proven=not lost, unproven=_told(lost))
    return _Comparison(old, new).verdict()


class _Comparison:
    """The search for a call of either kind, between two schemas that are not the same."""

    def __init__(self, old: Reading, new: Reading) -> None:
        self._old, self._new = old, new
        making, self._work = Work(_MOST_WORK), Work(_MOST_WORK)
        self._sides = [
            Side(one, Judge(one, making), Cases(one, other))
            for one, other in ((old, new), (new, old))
        ]
        self._judges = Judge(old, self._work), Judge(new, self._work)
        self._refused: Any = None
        self._wider: Any = None
        self._tried = 0
        self._accepted = 0
        self._untold = 0

    def verdict(self) -> Verdict:
        old, new = self._sides
        sameness = Sameness(self._old, self._new, [old.cases, new.cases])
        forth, back = Maker(old, new, sameness), Maker(new, old, sameness)
        self._search(forth)
        if self._refused is None:
            self._search(back)
        outlines = [outlined(side.reading, side.cases) for side in self._sides]
        added, dropped = _fields(outlines[1], outlines[0]), _fields(outlines[0], outlines[1])
        if self._refused is not None:
            return self._told(outlines[0], added, dropped)
        lost = self._unproven(forth, outlines)
        return Verdict(
            wider=self._smaller(self._wider, new, old),
            tried=self._tried,
            proven=not lost,
            unproven=_told(lost),
            added=added,
            dropped=dropped,
        )

    def _told(self, outline: Outline, added: tuple[str, ...], dropped: tuple[str, ...]) -> Verdict:
        refused = self._smaller(self._refused, *self._sides)
        judge = Judge(self._new, Work(_WORK_TO_SHRINK))
        old = self._sides[0]
        said = outlined(old.reading, old.cases, said=True).said
        where, reason = complaint(judge.complaints(refused), named=outline.fields, said=said)
        return Verdict(refused, where, reason, None, self._tried, added=added, dropped=dropped)

    def _search(self, maker: Maker) -> None:
        """Judge the calls that one maker makes, until one is refused or enough were judged."""
        old, new = self._judges
        for nth, call in enumerate(maker.calls()):
            if nth >= _MOST_CALLS or self._work.spent:
                maker.cut = True
                return
            was, now = old.accepts(call), new.accepts(call)
            if was is None or now is None:
                self._untold += was is True
                continue
            self._tried += 1
            self._accepted += was
            if was and not now:
                self._refused = call
                return
            if now and not was and self._wider is None:
                self._wider = call

    def _smaller(self, call: Any, side: Side, other: Side) -> Any:
        """Return the smallest call that one side takes and the other refuses; the work of the search is not asked for."""
        if call is None:
            return None
        work = Work(_WORK_TO_SHRINK)
        takes, refuses = Judge(side.reading, work), Judge(other.reading, work)
        return shrunk(
            call, lambda one: takes.accepts(one) is True and refuses.accepts(one) is False
        )

    def _unproven(self, maker: Maker, outlines: list[Outline]) -> list[str]:
        """Return what keeps a search that found nothing from meaning that there is nothing."""
        lost = _left_out(self._old, self._new)
        if not (self._old.known and self._new.known):
            lost.append("`$schema`, whose dialect is not known")
        lost += unsettled(*outlines)
        if maker.cut or self._work.spent:
            lost.append(
                f"more than the {self._tried} calls that were tried"
                if self._tried
                else "so large a schema, of which no call could be tried"
            )
        elif not self._accepted and self._old.schema is not False:
            lost.append("any call, since none was found that the old schema accepts")
        else:
            unmade = [one for one in maker.unmade if not _leads_on(one, maker.unmade)]
            lost += [f"{where or 'the top'}, where no valid call came" for where in unmade]
        if self._untold and not lost:
            lost.append(f"{self._untold} calls, which the new schema cannot be asked about")
        return lost


def _left_out(old: Reading, new: Reading) -> list[str]:
    places = {
        where: None
        for where in [*old.left_out, *new.left_out]
        if old.left_out.get(where) != new.left_out.get(where)
    }
    return [f"{where or 'the top'}, which no validator can read" for where in places]


def _fields(some: Outline, others: Outline) -> tuple[str, ...]:
    """Return the fields that only the first names; what is inside such a field is not listed again."""
    only = sorted(one for one in some.fields if not others.names(one))
    return tuple(one for one in only if not any(one.startswith(other + "/") for other in only))


def _written_alike(some: object, others: object) -> bool:
    try:
        return key_of(some) == key_of(others)
    except (RecursionError, TypeError, ValueError):
        return False


def _leads_on(place: str, places: Iterable[str]) -> bool:
    return any(other.startswith(place + "/") for other in places)


def _told(lost: Iterable[str]) -> str:
    told = list(lost)
    more = f" and {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
    return "; ".join(told[:_MOST_TOLD]) + more
