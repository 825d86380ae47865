"""What a call that a client makes of a menu turns into: a call of the server, or an answer of ours.

It knows arguments as values, and never changes the value or the order of one that reaches the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from econome.lean.actions import Action, Namespace, fields_of, required_of
from econome.lean.describe import look_up, name_list
from econome.lean.lazy import find
from econome.lean.schemas import compact
from econome.lean.selects import SELECT
from econome.lean.signatures import signature

__all__ = ["Grouping", "MoreAsked", "Outcome", "Passed", "Said", "Sent"]


_WRAPPERS = ("arguments", "args", "input", "parameters", "params")
"""Names under which models put the fields of an action that should stand beside its name."""

_OF = ("of", "name", "names", "action_name")
"""Names under which models say which actions are to be described; the first is the one that menus tell."""


@dataclass(frozen=True, slots=True)
class Passed:
    """The call goes on byte for byte; *action* is None where the server declared no tool of that name."""

    action: Action | None


@dataclass(frozen=True, slots=True)
class Sent:
    """The call goes on under another name or with other arguments than the client gave.

    *select* is the value of `_select`, whatever it is, None where it was not given.
    """

    name: str
    arguments: Mapping[str, Any]
    action: Action
    select: object = None


@dataclass(frozen=True, slots=True)
class Said:
    """The call is answered here: *kind* is `refused` (then it *failed*), `describe` or `find`."""

    text: str
    failed: bool
    kind: str


@dataclass(frozen=True, slots=True)
class MoreAsked:
    """The rest of a cut answer is asked for, with these arguments."""

    arguments: Mapping[str, Any]


Outcome = Passed | Sent | Said | MoreAsked


@dataclass(frozen=True, slots=True)
class Grouping:
    """One tool that stands for several actions: how a call of it is read.

    *describe*, *find*, *through* (a call that names its action apart) and *more* are the names of what can be asked beside
    the actions; an empty one cannot be.
    *teaching* refusals carry the whole signature, since the menu does not.
    """

    namespace: Namespace
    discriminator: str
    describe: str = ""
    find: str = ""
    through: str = ""
    more: str = ""
    selects: bool = False
    teaching: bool = False

    def call(self, arguments: Mapping[str, Any]) -> Outcome:
        """Return what becomes of a call of the tool with *arguments*."""
        actions = {action.name: action for action in self.namespace.actions}
        chosen = arguments.get(self.discriminator)
        if self.discriminator not in arguments:
            return self._refused(f"{self.discriminator} is missing")
        if not isinstance(chosen, str):
            return self._refused(f"{self.discriminator} must be a text")
        given = {key: value for key, value in arguments.items() if key != self.discriminator}
        if chosen and chosen == self.through:
            named = given.pop("name", None)
            if not isinstance(named, str):
                return self._refused(f"{chosen} takes the name of an action")
            chosen = named
        if chosen not in actions and chosen.removesuffix("!") in actions:
            chosen = chosen.removesuffix(
                "!"
            )  # the mark of a destructive action, read as a part of its name
        if chosen in actions:
            return self._sent(actions[chosen], given)
        if chosen in self.namespace.hidden:
            return self._refused(f"{chosen} is not offered here")
        if chosen:
            asked = _unwrapped({}, given)
            if chosen == self.more:
                return MoreAsked(asked)
            if chosen == self.describe:
                return self._described(asked, actions)
            if chosen == self.find:
                return self._found(asked.get("query"), actions)
        return self._refused(f"there is no {self.discriminator} {chosen[:64]!r}")

    def _refused(self, reason: str) -> Said:
        names = name_list(action.name for action in self.namespace.actions)
        hint = f"; {self.find} searches" if self.find else ""
        text = f"{self.namespace.name}: {reason}; {self.discriminator} is one of: {names}{hint}"
        return Said(text, failed=True, kind="refused")

    def _sent(self, action: Action, beside: Mapping[str, Any]) -> Sent | Said:
        given = _unwrapped(action.schema, beside)
        # Where it is another action's, it is an argument as others are.
        ours = bool(action.select) or action.reads_select
        selects = self.selects and ours and SELECT in given
        select = given[SELECT] if selects else None
        if selects:
            given = {key: value for key, value in given.items() if key != SELECT}
        faults = _faults(action, given)
        if faults:
            said = signature(action) if self.teaching else signature(action, text=False)
            text = f"{action.name}: {'; '.join(faults)}. Call {self._example(action)}, as in {said}"
            return Said(text, failed=True, kind="refused")
        return Sent(action.name, given, action, select)

    def _example(self, action: Action) -> str:
        """Return the arguments of a call of *action* with the least that it takes, as they stand beside each other."""
        fields = [f"{compact(name)}:…" for name in required_of(action.schema)]
        return f"{{{','.join([f'{compact(self.discriminator)}:{compact(action.name)}', *fields])}}}"

    def _described(self, asked: Mapping[str, Any], actions: Mapping[str, Action]) -> Said:
        odd = [name[:64] for name in asked if name not in _OF]
        given = [value for value in asked.values() if value is not None]
        of: object = given[0] if given else list(actions)
        names = [of] if isinstance(of, str) else of
        if odd or len(given) > 1 or not isinstance(names, list):
            wrong = f"has no field {name_list(odd)}, it takes" if odd else "takes"
            return self._refused(f"{self.describe} {wrong} of, with a name or a list of names")
        unknown = [
            str(name)[:64] for name in names if not isinstance(name, str) or name not in actions
        ]
        if unknown:
            return self._refused(
                f"there is no {self.discriminator} {', '.join(unknown)} to describe"
            )
        return Said(look_up(actions[name] for name in dict.fromkeys(names)), False, "describe")

    def _found(self, query: object, actions: Mapping[str, Action]) -> Said:
        if not isinstance(query, str) or not query.strip():
            return self._refused(f"{self.find} takes a query, some words")
        found = find(tuple(actions.values()), query)
        if not found:
            return self._refused(f"nothing fits {query[:64]!r}")
        return Said(look_up(found), False, "find")


def _unwrapped(schema: Mapping[str, Any], given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what was given, with the fields that stand in an object of their own (`arguments`) in its place.

    Only where the object cannot be meant for the server: no field is called so, and either fields that are required or
    nothing but fields are in it.
    """
    fields, required = fields_of(schema), required_of(schema)
    found = [name for name in given if name in _WRAPPERS and name not in fields]
    inner = given[found[0]] if len(found) == 1 else None
    if not isinstance(inner, Mapping) or (inner.keys() & given.keys()):
        return given
    lacks = not all(name in given for name in required)
    if not (lacks or not schema or (inner and inner.keys() <= fields.keys())):
        return given
    if len(given) == 1:
        return inner
    whole: dict[str, Any] = {}
    for name, value in given.items():
        whole |= inner if name == found[0] else {name: value}
    return whole


def _faults(action: Action, given: Mapping[str, Any]) -> list[str]:
    """Return what a call lacks, and what it has that the action refuses."""
    fields = fields_of(action.schema)
    faults = []
    missing = [name for name in required_of(action.schema) if name not in given]
    if missing:
        faults.append(f"{name_list(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    unknown = [name[:64] for name in given if name not in fields] if action.closed else []
    if unknown:
        names = name_list(fields) or "none"
        faults.append(f"it has no field {name_list(unknown)}, its fields are: {names}")
    return faults
