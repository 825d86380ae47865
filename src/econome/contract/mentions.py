"""Which names of fields the schemas of one object mention without listing them, and which they admit.

A name is mentioned where another field needs it, where it needs others, where it must be there, or where a rule lists it. It
says which names are worth trying and never whether a field is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from econome.contract.cases import Case
from econome.contract.patterns import longest_judged, matching
from econome.contract.readings import Schema

__all__ = ["admits", "forbids", "matched", "mentioned", "needs", "required_together", "ruling"]

_NAMES_A_PATTERN = 3
_DEEPEST = 8
_INSIDE = ("not", "if", "then", "else", "allOf", "anyOf", "oneOf")


def ruling(nodes: Iterable[dict[str, Any]], name: str) -> list[Schema]:
    """Return the schemas that rule a field."""
    rules, nodes = [], list(nodes)
    for node in nodes:
        fields = node.get("properties", {})
        own = [fields[name]] if name in fields else []
        patterns = node.get("patternProperties", {})
        own += [part for pattern, part in patterns.items() if _matches(pattern, name)]
        if not own and "additionalProperties" in node:
            own = [node["additionalProperties"]]
        rules += own
    return rules or [
        node["unevaluatedProperties"] for node in nodes if "unevaluatedProperties" in node
    ]


def admits(case: Case, name: str, *, top: bool) -> bool:
    """Return whether schemas take a field that they do not name, more than by saying nothing of it.

    An object that declares no field at all is a map of any; at the *top* it is a tool without arguments, unless it says how
    many fields there must be. What says which names there may be admits those.
    """
    rules = ruling(case, name)
    if rules or any("propertyNames" in node for node in case):
        return False not in rules
    if any("properties" in node for node in case):
        return False
    return not top or any(node.get("minProperties", 0) > 0 for node in case)


def forbids(nodes: Iterable[dict[str, Any]], name: str) -> bool:
    """Return whether a field is named only to say that it must not be there."""
    return any(node.get("properties", {}).get(name) is False for node in nodes)


def mentioned(nodes: Iterable[dict[str, Any]], depth: int = 0) -> list[str]:
    """Return the names that dependencies, required lists and rules for names mention, in conditions and denials too."""
    names: dict[str, None] = {}
    for node in nodes:
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            for name, held in node.get(keyword, {}).items():
                names[name] = None
                names.update(dict.fromkeys(held if isinstance(held, list) else ()))
        names.update(dict.fromkeys(_strings(node.get("required"))))
        rule = node.get("propertyNames")
        if isinstance(rule, dict):
            names.update(dict.fromkeys(_strings([*rule.get("enum", ()), rule.get("const")])))
        if depth < _DEEPEST:
            names.update(dict.fromkeys(mentioned(_parts(node), depth + 1)))
    return list(names)


def required_together(nodes: Iterable[dict[str, Any]], depth: int = 0) -> Iterator[list[str]]:
    """Yield each list of names that a schema, a condition or a denial asks for together."""
    for node in nodes:
        if len(asked := _strings(node.get("required"))) > 1:
            yield asked
        if depth < _DEEPEST:
            yield from required_together(_parts(node), depth + 1)


def needs(case: Case) -> dict[str, list[str]]:
    """Return, by the name of a field, the fields that must stand beside it."""
    found: dict[str, list[str]] = {}
    for node in case:
        for keyword in ("dependentRequired", "dependencies"):
            for name, held in node.get(keyword, {}).items():
                if isinstance(held, list):
                    found.setdefault(name, []).extend(held)
    return found


def matched(pattern: str, case: Case, taken: Iterable[str]) -> list[str]:
    """Return a few names that *pattern* matches and that a case does not forbid, first such as are not *taken*."""
    texts = matching(pattern)
    longer = (
        text + more
        for more in ("b", "_2", "-c")
        for text in texts[:8]
        if _matches(pattern, text + more)
    )
    known = set(taken)
    free = [name for name in dict.fromkeys(chain(texts, longer)) if False not in ruling(case, name)]
    return sorted(free, key=known.__contains__)[:_NAMES_A_PATTERN]


def _matches(pattern: str, name: str) -> bool:
    return len(name) <= longest_judged(pattern) and bool(re.search(pattern, name))


def _strings(held: object) -> list[str]:
    return [one for one in held if isinstance(one, str)] if isinstance(held, list) else []


def _parts(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for keyword in _INSIDE:
        held = node.get(keyword)
        yield from (
            one for one in (held if isinstance(held, list) else [held]) if isinstance(one, dict)
        )
