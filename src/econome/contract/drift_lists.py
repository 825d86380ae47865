"""What differs in what a server offers beside its tools: prompts, resources, templates of resources, and parts of the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from econome.contract.about import About
from econome.contract.entries import differing, mapping, same, texts_of
from econome.contract.findings import Finding
from econome.contract.shown import given, listed, shown
from econome.lean.pointers import below

__all__ = ["LISTS", "capability_drift", "entry_drift", "reworded"]

LISTS: Final = {"prompts": "prompt", "resources": "resource", "templates": "template"}
"""The lists of a server beside its tools, and what findings call an entry of each."""


_HOLDERS: Final = frozenset(
    {"/experimental", "/extensions", "/tasks/requests", "/tasks/requests/tools"}
)
"""Parts of the capabilities that offer nothing but what they hold."""


def reworded(about: About, changed: Mapping[str, tuple[Any, Any]]) -> Iterator[Finding]:
    """Yield one finding about all texts that changed, each by its place with what it was and is; none where none did."""
    if not changed:
        return
    where = min(changed, key=lambda place: (len(place), place))
    old, new = changed[where]
    said = "reads otherwise; it was"
    if len(changed) > 1:
        said = f"and {len(changed) - 1} more read otherwise; the first was"
    text = f"`{shown(where)}` {said} “{shown(old or '')}” and is “{shown(new or '')}”."
    yield about.tells("text-reworded", text, where, old=old, new=new)


def entry_drift(about: About, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what differs between two entries of one name that are no tools."""
    texts: dict[str, tuple[Any, Any]] = {}
    details = []
    for place, was, now in differing(old, new):
        if place == "/description":
            texts[place] = (was, now)
        elif place == "/arguments" and about.subject == "prompt":
            yield from _arguments(about, was, now, texts)
        elif place == "/mimeType":
            kind = "output-added" if was is None else "output-changed"
            text = f"Its type was {given(was)} and is {given(now)}."
            yield about.tells(kind, text, place, old=was, new=now)
        else:
            details.append((place, was, now))
    yield from about.details(details)
    yield from reworded(about, texts)
    yield from about.says(texts_of(old), texts_of(new))


def _by_name(arguments: Any) -> dict[str, Mapping[str, Any]] | None:
    """Return the arguments of a prompt by their names, None where they cannot be told apart."""
    if arguments is None:
        return {}
    if not isinstance(arguments, list):
        return None
    named = {
        one["name"]: one
        for one in arguments
        if isinstance(one, Mapping) and isinstance(one.get("name"), str)
    }
    return named if len(named) == len(arguments) else None


def _arguments(
    about: About, was: Any, now: Any, texts: dict[str, tuple[Any, Any]]
) -> Iterator[Finding]:
    old, new = _by_name(was), _by_name(now)
    if old is None or new is None:
        yield from about.details([("/arguments", was, now)])
        return
    found = False
    needed = {name: "a" for name, one in old.items() if one.get("required") is True}
    for name in sorted(old.keys() | new.keys()):
        place = below("/arguments", name)
        before, after = old.get(name), new.get(name)
        if before is not None and after is not None and same(before, after):
            continue
        found = True
        requires = after is not None and after.get("required") is True
        called = f"The argument `{shown(name)}`"
        if after is None:
            text = f"{called} is gone; who gives it may be refused."
            yield about.tells("prompt-argument-removed", text, place)
        elif requires and name not in needed:
            how = "is new and has to be given" if before is None else "has to be given now"
            yield about.tells("prompt-argument-required", f"{called} {how}.", place, witness=needed)
        elif before is None or (name in needed and not requires):
            how = "is new and may be given" if before is None else "need not be given any more"
            yield about.tells("prompt-argument-optional", f"{called} {how}.", place)
        if before is not None and after is not None:
            yield from _argument(about, place, before, after, texts)
    if not found:
        text = "Its arguments stand in another order."
        yield about.tells("detail-changed", text, "/arguments")


def _argument(
    about: About,
    place: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    texts: dict[str, tuple[Any, Any]],
) -> Iterator[Finding]:
    details = []
    for at, was, now in differing(old, new, place):
        if at == place + "/description":
            texts[at] = (was, now)
        elif at != place + "/required" or (was is True) == (now is True):
            details.append((at, was, now))
    yield from about.details(details)


def capability_drift(about: About, old: Any, new: Any) -> Iterator[Finding]:
    """Yield what a server offers of the protocol and did not, or no longer does."""
    if same(old, new):
        return
    before, after = _offered(mapping(old)), _offered(mapping(new))
    place = "/capabilities"
    gone, come = before.keys() - after.keys(), after.keys() - before.keys()
    if gone:
        text = f"It no longer offers {listed(one[1:] for one in _tops(gone))}."
        yield about.tells("capability-removed", text, place + min(gone))
    if come:
        text = f"It offers {listed(one[1:] for one in _tops(come))} as well."
        yield about.tells("capability-added", text, place + min(come))
    changed = [
        (place + one, before[one], after[one])
        for one in sorted(before.keys() & after.keys())
        if not same(before[one], after[one])
    ]
    yield from about.details(changed)
    if not (gone or come or changed):
        yield about.tells("detail-changed", "It says otherwise what it does not offer.", place)
    yield from about.says(texts_of(old, place), texts_of(new, place))


def _offered(value: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """Return what is offered by its place, with the value where that is more than a yes."""
    found: dict[str, Any] = {}
    for key, held in value.items():
        at = below(place, key)
        if isinstance(held, Mapping):
            if at not in _HOLDERS:
                found[at] = True
            found.update(_offered(held, at))
        elif held is not False and held is not None:
            found[at] = held
    return found


def _tops(places: set[str]) -> set[str]:
    """Return the places that lie below no other of them."""
    return {one for one in places if not any(one.startswith(f"{other}/") for other in places)}
