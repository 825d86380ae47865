"""What differs between two promises of one tool: whether old calls succeed, what they mean and cost, and what its texts say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from econome.contract.about import About
from econome.contract.drift_lists import reworded
from econome.contract.drift_schemas import input_drift, output_drift
from econome.contract.entries import differing, mapping, parts_of, same, texts_of
from econome.contract.findings import Finding
from econome.contract.least import least_call
from econome.contract.shown import given, listed, shown
from econome.contract.static import CLASSES, NOTHING_KNOWN

__all__ = ["tool_drift", "tool_texts"]

_FOLLOWING: Final = frozenset({"tokens", "short_tokens", "fields", "collections", "reason"})
"""What follows from other parts of a tool; a difference in it alone is still told."""

_COUNTED: Final = frozenset({"tokens", "short_tokens"})
_HINTS: Final = frozenset({"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"})
_SCHEMAS: Final = frozenset({"inputSchema", "outputSchema"})


def tool_texts(tool: object) -> dict[str, str]:
    """Return all texts of a tool that a model may be shown, by their places."""
    declared = mapping(mapping(tool).get("declared"))
    texts = texts_of({key: value for key, value in declared.items() if key != "name"})
    short = mapping(mapping(tool).get("economy")).get("short")
    return {**texts, "/economy/short": short} if isinstance(short, str) and short else texts


def tool_drift(about: About, old: Any, new: Any, *, alike: bool = True) -> Iterator[Finding]:
    """Yield what differs between two promises of one tool, but for the states it is open in.

    *alike* is whether tokens were counted alike.
    """
    if same(old, new):
        return
    was, now = mapping(old), mapping(new)
    found = [*_declared(about, was, now), *_economy(about, was, now)]
    found = _with_class(about, was, now, found)
    found += about.says(tool_texts(was), tool_texts(now))
    yield from found
    economies = mapping(was.get("economy")), mapping(now.get("economy"))
    gated = any(economies[0].get(key) != economies[1].get(key) for key in ("states", "event"))
    counted = frozenset() if alike else _COUNTED
    if not found and not gated:
        left = [one for one in about.rest(old, new) if one.where[1:] not in counted]
        yield from left
        return
    known = {"declared", "economy", "class", *_FOLLOWING}
    yield from about.details(one for one in differing(was, now) if one[0][1:] not in known)


def _declared(about: About, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Finding]:
    before, after = mapping(old.get("declared")), mapping(new.get("declared"))
    texts: dict[str, tuple[Any, Any]] = {}
    details: list[tuple[str, Any, Any]] = []
    for place, was, now in differing(before, after):
        key = place[1:]
        if key == "description":
            texts[place] = (was or "", now or "")
        elif key == "annotations":
            yield from _hints(about, mapping(was), mapping(now))
            details += _beside(_HINTS, was, now, place)
        elif key == "execution":
            yield from _execution(about, mapping(was), mapping(now), before.get("inputSchema"))
            details += _beside({"taskSupport"}, was, now, place)
        elif key in _SCHEMAS:
            texts.update(_schema_texts(was, now, place))
            judge = input_drift if key == "inputSchema" else output_drift
            yield from judge(about, was, now)
        else:
            details.append((place, was, now))
    was, now = (mapping(one.get("economy")).get("short") for one in (old, new))
    if not same(was, now):
        texts["/economy/short"] = (was or "", now or "")
    yield from about.details(details)
    yield from reworded(about, texts)


def _beside(
    names: Collection[str], old: Any, new: Any, place: str
) -> Iterator[tuple[str, Any, Any]]:
    """Yield what differs between two objects beside the keys of these *names*, or the whole where one is no object."""
    if all(one is None or isinstance(one, Mapping) for one in (old, new)) and (old or new):
        for one in differing(mapping(old), mapping(new), place):
            if one[0].rpartition("/")[2] not in names:
                yield one
    else:
        yield place, old, new


def _schema_texts(old: Any, new: Any, place: str) -> dict[str, tuple[Any, Any]]:
    """Return the texts of fields that both schemas have and that read otherwise."""
    before, after = parts_of(old, place), parts_of(new, place)
    return {
        at: (before.texts.get(at), after.texts.get(at))
        for at in sorted(before.texts.keys() | after.texts.keys())
        if (at in before.texts) != (at in after.texts)
        or not same(before.texts.get(at), after.texts.get(at))
        if at.rpartition("/")[0] in before.places and at.rpartition("/")[0] in after.places
    }


def _meaning(hints: Mapping[str, Any]) -> dict[str, bool]:
    """Return what a client makes of hints, with what the protocol takes for granted where they say nothing."""

    def said(name: str, usual: bool) -> bool:
        value = hints.get(name)
        return value if isinstance(value, bool) else usual

    reads = said("readOnlyHint", False)
    return {
        "only reads": reads,
        "may destroy": not reads and said("destructiveHint", True),
        "may be repeated": reads or said("idempotentHint", False),
        "reaches out": said("openWorldHint", True),
    }


_ASKED: Final = {"only reads": True, "may destroy": False, "reaches out": False}
"""For what clients ask their user, and the answer that spares it; of what may destroy they ask in any case."""


def _hints(about: About, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Finding]:
    before, after = _meaning(old), _meaning(new)
    changed = [name for name in before if before[name] != after[name]]
    place = "/annotations"
    if changed:
        told = ", ".join(f"that it {name if after[name] else _denied(name)}" for name in changed)
        milder = any(name in changed and after[name] is safe for name, safe in _ASKED.items())
        asks = after["may destroy"] or new.get("destructiveHint") is True
        note = ", and a client may now call it without asking" if milder and not asks else ""
        text = f"It now says {told}{note}."
        yield about.tells(
            "hint-changed", text, place, old=dict(old), new=dict(new), regression=True
        )
        return
    for at, was, now in differing(old, new, place):
        if at.rpartition("/")[2] in _HINTS:
            text = f"`{shown(at)}` is {_written(was, now)} and means the same."
            yield about.tells("detail-changed", text, at, old=was, new=now)


def _written(was: Any, now: Any) -> str:
    return "given now" if was is None else "no longer given" if now is None else "written otherwise"


def _denied(name: str) -> str:
    return {
        "only reads": "does not only read",
        "may destroy": "does not destroy",
        "may be repeated": "may not be repeated",
        "reaches out": "does not reach out",
    }[name]


def _execution(
    about: About, old: Mapping[str, Any], new: Mapping[str, Any], schema: object
) -> Iterator[Finding]:
    """Yield what differs in how a tool is called; the witness is a call that the old *schema* accepts."""
    place = "/execution/taskSupport"
    was, now = old.get("taskSupport"), new.get("taskSupport")
    if was == now:
        return
    before, after = (one if one in ("optional", "required") else "forbidden" for one in (was, now))
    told = partial(about.tells, where=place, old=was, new=now)
    if after == "required":
        text = "A call that is no task is refused."
        yield told("call-refused", text, witness=least_call(schema))
    elif after == "forbidden" and before != "forbidden":
        text = "A call as a task is refused."
        yield told("call-refused", text, witness=least_call(schema))
    elif before != after:
        how = "as a task" if before == "forbidden" else "without a task"
        yield told("call-widened", f"It may be called {how} as well.")
    else:
        yield told("detail-changed", f"`taskSupport` is {_written(was, now)} and means the same.")


_LIMITS: Final = {"limit": "rows", "max_bytes": "bytes"}
_ELSEWHERE: Final = frozenset({"short", "states", "event"})
_GUARDING: Final = {
    "more": "what was cut of an answer can no longer be asked for",
    "repeats": "an answer that was given before is sent in full again",
    "rules": "the rules that came with its answers are gone",
}


def _economy(about: About, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Finding]:
    before, after = mapping(old.get("economy")), mapping(new.get("economy"))
    for place, was, now in differing(before, after, "/economy"):
        key = place.rpartition("/")[2]
        if key in _LIMITS and all(one is None or type(one) is int for one in (was, now)):
            yield _limit(about, key, place, was, now)
        elif key == "select":
            schema = mapping(old.get("declared")).get("inputSchema")
            yield from _select(about, was, now, schema)
        elif key not in _ELSEWHERE:
            yield _other(about, key, place, was, now)


def _limit(about: About, key: str, place: str, was: int | None, now: int | None) -> Finding:
    what = _LIMITS[key]
    if now is None:
        text = f"Its answers were cut at {was:,} {what} and are not cut there any more."
        return about.tells("limit-lifted", text, place, old=was, new=now, regression=True)
    if was is None or now < was:
        text = f"Its answers may now be cut at {now:,} {what}" + (
            "." if was is None else f", before at {was:,}."
        )
        return about.tells("limit-lowered", text, place, old=was, new=now)
    text = f"Its answers were cut at {was:,} {what} and are now cut at {now:,}."
    return about.tells("limit-raised", text, place, old=was, new=now, regression=True)


def _select(about: About, was: Any, now: Any, schema: object) -> Iterator[Finding]:
    """Yield what differs in the fields that can be selected; the witness is a call that the old *schema* accepts beside that."""
    place = "/economy/select"
    before, after = (
        {one for one in held if isinstance(one, str)} if isinstance(held, list) else set()
        for held in (was, now)
    )
    gone, come = sorted(before - after), sorted(after - before)
    if gone:
        text = (
            f"A call that selects {listed(gone)} is refused: it is no field that can be selected."
        )
        least = least_call(schema)
        witness = None if least is None else {**least, "_select": [gone[0]]}
        yield about.tells("call-refused", text, place, old=was, new=now, witness=witness)
    if come:
        text = f"A call may select {listed(come)} as well."
        yield about.tells("call-widened", text, place, old=was, new=now)
    if not gone and not come:
        yield about.tells(
            "economy-changed", "What can be selected is written otherwise.", place, old=was, new=now
        )


def _other(about: About, key: str, place: str, was: Any, now: Any) -> Finding:
    text = f"`{shown(key)}` was {given(was, 'not set')} and is {given(now, 'not set')}"
    fewer = (
        key == "guards" and type(was) is int and (now is None or (type(now) is int and now < was))
    )
    less = fewer or (key in _GUARDING and was and not now)
    reason = (
        ": fewer checks stand before a call" if fewer else f": {_GUARDING[key]}" if less else ""
    )
    return about.tells(
        "economy-changed", f"{text}{reason}.", place, old=was, new=now, regression=bool(less)
    )


def _with_class(
    about: About, old: Mapping[str, Any], new: Mapping[str, Any], found: list[Finding]
) -> list[Finding]:
    """Return findings with what is told of the class; one that is known only now, or no longer, goes with the output schema."""
    was, now = old.get("class"), new.get("class")
    if was == now:
        return found
    if was not in CLASSES or now not in CLASSES:
        return [*found, *about.details([("/class", was, now)])]
    knows = [_tells_size(one) for one in (old, new)]
    if knows[0] is knows[1]:
        return [*found, _class(about, was, now, new)]
    said = f"the class of its answers is known now: {now}"
    if knows[0]:
        said = f"the class of its answers, {was} before, is not known any more"
    for nth, one in enumerate(found):
        if one.kind in ("output-added", "output-changed"):
            found[nth] = replace(one, text=f"{one.text.removesuffix('.')}; {said}.")
            return found
    text = f"{said[0].upper()}{said[1:]}."
    return [*found, about.tells("detail-changed", text, "/class", old=was, new=now)]


def _tells_size(tool: Mapping[str, Any]) -> bool:
    """Tell whether anything is known of a tool's answers; of others the class is only what stands for that."""
    declared = mapping(tool.get("declared")).get("outputSchema")
    return isinstance(declared, Mapping) and tool.get("reason") not in NOTHING_KNOWN


def _class(about: About, was: str, now: str, new: Mapping[str, Any]) -> Finding:
    risen = CLASSES.index(now) > CLASSES.index(was)
    reason = shown(new.get("reason") or "", 200)
    text = f"Its static class was {was} and is {now}" + (f": {reason}." if reason else ".")
    kind = "class-risen" if risen else "class-fallen"
    return about.tells(kind, text, "/class", old=was, new=now, regression=risen)
