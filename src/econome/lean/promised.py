"""What a server that uses this library promises, for whoever asks its list of tools for it: `econome lock` and `profile`.

It tells what an author declared: the tools before any economy, the economies of each, the table of states. Texts that
follow the data are told by their digest; what is made when it is needed is only said to be so. Nothing in it depends on the run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from econome.lean.gate import Machine
    from econome.lean.offering import Declared
    from econome.lean.options import Texts

__all__ = ["CONTRACT", "promised", "wants_promise"]

CONTRACT: Final = "econome/contract"
"""The key in `_meta` by which `tools/list` asks for the contract of a server, and is given it."""


def wants_promise(params: Any) -> bool:
    """Tell whether the parameters of `tools/list` ask for the contract."""
    meta = params.get("_meta") if isinstance(params, Mapping) else None
    return isinstance(meta, Mapping) and meta.get(CONTRACT) is True


def promised(
    tools: Iterable[Declared], machine: Machine | None, namespace: str
) -> dict[str, dict[str, Any]]:
    """Return what stands in `_meta` of the list: of *tools*, which are those that a client is offered in some state.

    `tools` are their entries as the server lists them, `economies` has by name what is set for each, `machine` the table of
    states or None. *namespace* is where a tool stands that names none.
    """
    offered = sorted(tools, key=lambda one: one.name)
    contract = {
        "tools": [dict(one.tool) for one in offered],
        "economies": {one.name: _economy(one, namespace) for one in offered},
        "machine": None if machine is None else _machine(machine),
    }
    return {CONTRACT: contract}


def _economy(one: Declared, namespace: str) -> dict[str, Any]:
    """Return the economies of a tool, those alone that are set, in an order that never changes."""
    asked = one.economy
    cuts = asked.limit is not None or asked.max_bytes is not None
    told: dict[str, Any] = {
        "limit": asked.limit,
        "rows": asked.rows,
        "max_bytes": asked.max_bytes,
        "more": asked.more is True if cuts else None,
        "repeats": asked.repeats or None,
        "select": list(one.fields) or None,
        "table": asked.table,
        "states": None if asked.states is None else sorted(asked.states),
        "event": asked.event,
        "short": asked.short or None,
        "tags": sorted(asked.tags) or None,
        "namespace": asked.namespace or namespace,
        "rules": _digest(asked.rules),
        "row_rules": "dynamic" if asked.row_rules is not None else None,
        "ui": _digest(asked.ui),
        "suggestions": _digest(asked.suggestions),
        "invalidates": sorted(asked.invalidates) or None,
        "guards": len(asked.guards) or None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _digest(texts: Texts) -> str | None:
    """Return what tells lines from others without telling them; those made from data are `dynamic`."""
    if callable(texts):
        return "dynamic"
    if not texts:
        return None
    lines = json.dumps(list(texts), ensure_ascii=True, separators=(",", ":"))
    return f"static:{hashlib.sha256(lines.encode('ascii')).hexdigest()}"


def _machine(machine: Machine) -> dict[str, Any]:
    return {
        "initial": machine.initial,
        "states": {state: dict(events) for state, events in machine.states.items()},
        "handle": machine.handle,
        "argument": machine.argument,
        "adopt": machine.adopt,
        "follow": machine.follow,
    }
