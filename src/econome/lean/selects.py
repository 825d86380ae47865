"""`_select`: the argument by which a call asks for some fields of its answer, and whether offering it pays.

It knows output schemas and input schemas. Narrowing an answer is not its business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from econome.lean.actions import Action, fields_of
from econome.lean.counting import Count
from econome.lean.pointers import followed
from econome.lean.schemas import compact

__all__ = ["SELECT", "VALUE_TOKENS", "BreakEven", "break_even", "root_fields", "select_property"]

SELECT = "_select"
"""The name of the argument; an action that has a field of that name cannot have it."""

VALUE_TOKENS = 8
"""Tokens of a value with its punctuation, on top of its name; an invoice of 15 fields that was narrowed to five showed 10."""

_STEPS = 20
"""Layers that are looked through on the way to the fields of an output."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """What `_select` costs a turn, what one narrowed record saves, and the narrowed records a turn it takes to pay."""

    cost: int
    saves: int

    @property
    def pays(self) -> bool:
        """Whether one narrowed answer saves more than the argument costs in one turn."""
        return self.cost < self.saves

    @property
    def answers(self) -> float:
        """How many narrowed answers a turn pay for the argument; infinite where none would."""
        return self.cost / self.saves if self.saves else float("inf")


def root_fields(schema: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the names of the root fields that an output schema declares, in its order.

    References, lists, the one kind beside null and a lone field `result` are looked through; where several kinds of
    object are possible there are no such names.
    """
    here: Any = schema
    for _ in range(_STEPS):
        if not isinstance(here, Mapping):
            return ()
        fields = fields_of(here)
        if set(fields) == {"result"} and isinstance(fields["result"], Mapping):
            here = fields["result"]
        elif fields:
            return tuple(fields)
        else:
            here = _inside(here, schema or {})
    return ()


def _inside(here: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    ref = here.get("$ref")
    if isinstance(ref, str):
        return followed(ref, root)
    if isinstance(here.get("items"), Mapping):
        return here["items"]
    for keyword in ("anyOf", "oneOf", "allOf"):
        parts = here.get(keyword)
        if isinstance(parts, list):
            kinds = [part for part in parts if part != {"type": "null"}]
            return kinds[0] if len(kinds) == 1 else None
    return None


def select_property(actions: Sequence[Action]) -> dict[str, Any] | None:
    """Return the schema of `_select` for one tool that stands for *actions*: the sorted union of their fields.

    None where no action has such fields, or where one has an argument of that name.
    """
    names = sorted({name for action in actions for name in action.select})
    if not names or any(SELECT in fields_of(action.schema) for action in actions):
        return None
    return {"type": "array", "items": {"enum": names}}


def break_even(actions: Sequence[Action], count: Count) -> BreakEven:
    """Return what `_select` costs and saves where one tool stands for *actions*.

    A narrowed record is taken to keep a third of its fields; what is saved is that of the action with most fields.
    """
    offered = select_property(actions)
    cost = count(compact({SELECT: offered})) if offered else 0
    widest = max((action.select for action in actions), key=len, default=())
    dropped = widest[-(-len(widest) // 3) :]
    return BreakEven(cost, sum(count(name) + VALUE_TOKENS for name in dropped))
