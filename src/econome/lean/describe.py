"""What a namespace says of itself: the table of its actions, the prose that the table replaces, and the answer to `describe`.

All of it is made from the actions as they are declared, never by hand, so that it cannot drift from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from econome.lean.actions import Action, Namespace, required_of
from econome.lean.counting import Count
from econome.lean.notation import CLOSED
from econome.lean.signatures import signature

__all__ = [
    "LEGEND",
    "Described",
    "brief_text",
    "described",
    "first_sentence",
    "harmful",
    "look_up",
    "name_list",
    "prose",
    "retired",
    "table",
]

LEGEND = f"field?:type=default (text); untyped: string; {CLOSED} no other fields"
"""How a signature that stands for itself is read."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|\n")
_LONGEST = 100
"""Characters of a first sentence that a lean table keeps."""

_WARNING = 80
"""Characters of a warning that is added to a first sentence."""

_RETIRED = re.compile(
    r"(?<!not )\b(?:deprecated|obsolete|superseded|discontinued|no longer (?:supported|maintained))\b"
    r"(?!\s+(?!(?:action|alias|and|api|as|because|but|by|for|from|function|in|method|since|tool|use|version)\b)(?-i:[a-z]))",
    re.IGNORECASE,
)
"""What an author writes of an action that is given up; `list deprecated packages` says it of something else."""

_INSTEAD = re.compile(r"\b(?:use|prefer|call)\s+\S+\s+instead\b", re.IGNORECASE)
_HARM = re.compile(
    r"(?<!non-)(?<!not )\b(?:destructive|dangerous|irreversibl[ey]|irrevocabl[ey]|data loss|without warning"
    r"|permanently (?:delet|remov|eras|destroy)\w*|(?:cannot|can't|can not) be (?:undone|reversed|recovered|restored)"
    r"|with (?:extreme |great )?caution)\b",
    re.IGNORECASE,
)
"""What an author writes of an action that destroys, where no hint says so."""

_NAMED = 100
"""Names that a refusal or an index lists before it only counts them."""


@dataclass(frozen=True, slots=True)
class Described:
    """The text of a namespace's tool and its form, `table` or `prose`."""

    text: str
    form: str


def table(namespace: Namespace, *, brief: bool = False) -> str:
    """Return the actions as a table: a header, then a row each with name, text and required fields.

    A `!` stands behind the name of a destructive action, `-` where there is nothing. A *brief* table keeps the short
    text of an action or the first sentence of its long one, with what that must not hide: a warning of harm as the
    mark, that it is deprecated as a sentence. Deprecated actions come last in it.
    """
    rows = [f"{namespace.name} actions|desc|required"]
    for action in sorted(namespace.actions, key=retired) if brief else namespace.actions:
        text = brief_text(action) if brief else action.description
        mark = "!" if (harmful(action) if brief else action.destructive) else ""
        required = ",".join(map(_cell, required_of(action.schema)))
        rows.append(f"{_cell(action.name)}{mark}|{_cell(text) or '-'}|{required or '-'}")
    return "\n".join(rows)


def prose(namespace: Namespace) -> str:
    """Return the actions in sentences, the usual form that the table replaces."""
    names = ", ".join(action.name for action in namespace.actions)
    head = (
        f"{namespace.description or namespace.name}. Select operation via: action. Actions: {names}"
    )
    rows = []
    for action in namespace.actions:
        required = ", ".join(required_of(action.schema))
        needs = f"Requires: {required}" if required else ""
        mark = "[DESTRUCTIVE]" if action.destructive else ""
        said = ". ".join(filter(None, (action.description.rstrip("."), needs)))
        if said or mark:
            rows.append(" ".join(filter(None, (f"- '{action.name}':", said, mark))))
    return "\n".join([f"{head}\n\nWorkflow:", *rows]) if rows else head


def described(namespace: Namespace, count: Count) -> Described:
    """Return a summary line, a blank one and the table; the prose where *count* says that it is shorter."""
    text = f"{_summary(namespace)}\n\n{table(namespace)}"
    plain = prose(namespace)
    return Described(text, "table") if count(text) <= count(plain) else Described(plain, "prose")


def _summary(namespace: Namespace) -> str:
    mark = " (! destructive)" if any(action.destructive for action in namespace.actions) else ""
    said = f"{namespace.description.rstrip('.')}. " if namespace.description else ""
    return f"{said}Give `action` and its fields{mark}."


def retired(action: Action) -> bool:
    """Tell whether the text of an action says that it is deprecated."""
    return _RETIRED.search(action.description) is not None


def harmful(action: Action) -> bool:
    """Tell whether an action is destructive by its hint, or by the words of its text where no hint rules that out."""
    if action.destructive:
        return True
    return not action.read_only and _HARM.search(action.description) is not None


def brief_text(action: Action) -> str:
    """Return the short text of an action, or the first sentence of its long one, cut where that is too long.

    What says that the action is deprecated, or which one to use instead, is never left out.
    """
    brief = action.short or first_sentence(action.description)
    parts = [brief]
    for sentence in _SENTENCE_END.split(action.description):
        found = _RETIRED.search(sentence) or _INSTEAD.search(sentence)
        if found is not None and not any(found[0] in part for part in parts):
            whole = first_sentence(sentence, _WARNING)
            inside = first_sentence(sentence[found.start() :], _WARNING)
            parts.append(whole if found[0] in whole else inside)
    return ". ".join(filter(None, parts[:3]))


def first_sentence(text: str, longest: int = _LONGEST) -> str:
    """Return the first sentence of a text without its full stop, cut at a word where it is longer than *longest*."""
    sentence = _SENTENCE_END.split(text.strip(), maxsplit=1)[0].strip()
    if len(sentence) <= longest:
        return sentence.removesuffix(".")
    return sentence[:longest].rpartition(" ")[0].rstrip(",;:") + "…"


def _cell(text: str) -> str:
    """Return a text as one cell: on one line, and no bar of its own."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")


def look_up(actions: Iterable[Action]) -> str:
    """Return all that there is to say of *actions*: how a signature is read, then the signatures with their texts."""
    known = list(actions)
    legend = f"{LEGEND}; ! destructive" if any(map(harmful, known)) else LEGEND
    lines = [signature(action, mark="!" if harmful(action) else "") for action in known]
    return "\n".join([legend, *lines])


def name_list(names: Iterable[str], longest: int = _NAMED) -> str:
    """Return names in a row; of very many the first, and how many more there are."""
    known = list(names)
    more = f" and {len(known) - longest} more" if len(known) > longest else ""
    return ", ".join(known[:longest]) + more
