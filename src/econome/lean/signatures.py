"""Actions written as signatures: one line each, with every field, type, bound, default and text of the schema.

It knows how a list of signatures saves what stands in it more than once: a field that several actions share is
written out once, a sentence that several texts hold stands in a note.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from econome.lean.actions import Action
from econome.lean.counting import Count
from econome.lean.notation import CLOSED, Hand, facets_text, key_text
from econome.lean.schemas import compact, same_dialect

__all__ = ["Listing", "listing", "signature", "skeleton"]

_DEFINED = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_BESIDE = "Fields stand beside the action: "
_NOTE = re.compile(r"\[\d+\]")


def signature(action: Action, *, text: bool = True, mark: str = "") -> str:
    """Return all that a model needs to call *action*, in one text that stands for itself.

    Without *text* the description of the action is left out; those of its fields stay. *mark* stands behind its name.
    """
    return _line(action, Hand(), action.description if text else "", mark)


def skeleton(action: Action) -> str:
    """Return the fields of *action* with their types and nothing else: `(url, max_length?:integer)`."""
    return f"({Hand(texts=False).fields(action.schema)[0]})"


@dataclass(frozen=True, slots=True)
class Listing:
    """Several signatures in one text.

    *legend* says how to read them, *shared* the fields that several have and *notes* the sentences that several texts
    hold (empty where there are none), *lines* has one text for each action.
    """

    legend: str
    shared: str
    notes: str
    lines: tuple[str, ...]

    def text(self) -> str:
        """Return the whole."""
        return "\n".join(filter(None, (self.legend, self.shared, self.notes, *self.lines)))


def listing(actions: Sequence[Action], count: Count) -> Listing:
    """Return the signatures of *actions*, each thing that stands in several written once where *count* says it pays."""
    nodes = [node for action in actions for node in _objects(_root(action))]
    closed = sum(node.get("additionalProperties", True) is False for node in nodes)
    hand = Hand(closed=closed * 2 > len(nodes))
    bodies = _shared(actions, hand, count)
    hand = replace(hand, shared={key: compact(schema) for key, schema in bodies.items()})
    texts, notes = _noted([action.description for action in actions], count)
    lines = tuple(_line(action, hand, text) for action, text in zip(actions, texts, strict=True))
    fields = ", ".join(key_text(key) + hand.body(schema, key) for key, schema in bodies.items())
    legend = f"{_BESIDE}field?:type=default (text); untyped: string"
    if closed:
        legend += "; no other fields" + ("" if hand.closed else f" where {CLOSED}")
    return Listing(
        legend=legend,
        shared=f"Shared: {fields}" if fields else "",
        notes="\n".join(f"[{number}] {note}" for number, note in enumerate(notes, 1)),
        lines=lines,
    )


def _root(action: Action) -> dict[str, Any]:
    """Return the schema of an action without what says nothing at its root."""
    root = dict(action.schema)
    if action.strict:
        root["additionalProperties"] = False
    root.pop("title", None)
    if same_dialect(root):
        del root["$schema"]
    root.pop("type", None)
    return root


def _line(action: Action, hand: Hand, description: str, mark: str = "") -> str:
    root = _root(action)
    definitions = ""
    for keyword in ("$defs", "definitions"):
        if not definitions and _are_definitions(root.get(keyword)):
            definitions = keyword
    hand = replace(hand, definitions=definitions)
    defined = root.pop(definitions) if definitions else {}
    fields, used, closing = hand.fields(root)
    for keyword in used:
        root.pop(keyword, None)
    where = ", ".join(
        f"{name}{hand.body(part, name) or ':string'}" for name, part in defined.items()
    )
    head = f"{key_text(action.name)}{mark}({fields}){closing}{facets_text(root)}"
    head += f" where {where}" if where else ""
    return f"{head}: {description}" if description else head


def _are_definitions(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(_DEFINED.fullmatch(name) for name in value)
        and all(isinstance(part, Mapping | bool) for part in value.values())
    )


def _objects(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the object schemas in *schema* that have fields, itself among them."""
    yield schema
    for _key, part in _fields(schema):
        if isinstance(part, Mapping) and isinstance(part.get("properties"), Mapping):
            yield part


def _fields(value: object) -> Iterator[tuple[str, Any]]:
    """Yield every field in *value* by name, wherever it stands."""
    if isinstance(value, Mapping):
        properties = value.get("properties")
        if isinstance(properties, Mapping):
            yield from properties.items()
        for entry in value.values():
            yield from _fields(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _fields(entry)


def _shared(actions: Sequence[Action], hand: Hand, count: Count) -> dict[str, Any]:
    """Return the fields that are worth being written once, by name."""
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    schemas: dict[str, Any] = {}
    for action in actions:
        if "definitions" in action.schema or "$defs" in action.schema:
            continue  # a field may mean another definition of the same name
        for key, schema in _fields(action.schema):
            text = compact(schema)
            schemas[text] = schema
            seen[key][text] += 1
    worth: dict[str, Any] = {}
    for key, variants in seen.items():
        text, times = variants.most_common(1)[0]
        body = hand.body(schemas[text], key)
        if times > 1 and (times - 1) * count(body) > count(key) + 1:
            worth[key] = schemas[text]
    return worth


def _noted(texts: Sequence[str], count: Count) -> tuple[list[str], list[str]]:
    """Return *texts* with each sentence that several hold replaced by the number of a note, and the notes."""
    if any(_NOTE.search(text) for text in texts):
        return list(texts), []
    seen = Counter(
        sentence
        for text in texts
        for sentence in set(_SENTENCE_END.split(text))
        if len(sentence) > 20
    )
    notes: list[str] = []
    shortened = list(texts)
    for sentence, times in seen.most_common():
        if times < 2 or (times - 1) * count(sentence) <= (times + 1) * 3 + 2 or "\n" in sentence:
            continue
        notes.append(sentence)
        mark = f"[{len(notes)}]"
        shortened = [_replaced(text, sentence, mark) for text in shortened]
    return shortened, notes


def _replaced(text: str, sentence: str, mark: str) -> str:
    """Return *text* with a whole sentence of it replaced."""
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(text))]
    starts = [place for place in ends if text.startswith(sentence, place)]
    for place in reversed(starts):
        after = text[place + len(sentence) :]
        if not after or after[0].isspace():
            text = text[:place] + mark + after
    return text
