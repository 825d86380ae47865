"""One server looked at for its cost: its menu, how large its answers may grow and did, what each economy would save (L15).

It makes one value of what was captured, recorded and read from transcripts, the worst first everywhere. It asks nobody, keeps no
text of an answer, and says what its figures leave out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from econome.contract.captured import Captured
from econome.contract.ceilings import over
from econome.contract.costs import MenuCost, menu_cost, name_of
from econome.contract.economies import Bounds, Subject, economies, forms
from econome.contract.promises import namespace_of, promise
from econome.contract.recorded import MEASURED, Answers, Recording, Served
from econome.contract.response import CEILING, FLOOR
from econome.contract.static import (
    CLASSES,
    StaticClass,
    risk_of,
    server_advice,
    server_class,
    static_class,
)
from econome.contract.told_texts import told_of
from econome.errors import LockBroken
from econome.lean.counting import Count
from econome.lean.rules import Budget, ToolRules

__all__ = ["bounds_of", "profile"]

_CHARACTERS: Final = "sizes in transcripts are characters, and no tokens"
_NOT_TOLD: Final = "answers in transcripts with images or files, whose tokens are not known"
_UNREADABLE: Final = 3
"""Entries that could not be read of which more than their number is said."""


def profile(
    captured: Captured,
    *,
    count: Count,
    tokenizer: str,
    estimate: bool,
    recording: Recording | None = None,
    weighed: Mapping[str, Mapping[str, Any]] | None = None,
    limits: Mapping[str, ToolRules] | None = None,
    budget: Budget | None = None,
) -> dict[str, Any]:
    """Return the profile of one server as JSON has it.

    *tokenizer* is the name of what *count* counts by, *estimate* whether it asks no model's own vocabulary. A *recording*
    that was counted by another one is left out, and that is said; of one, a server that was asked has the calls of its own
    tools. What is known of no list of tools is None. *weighed* is what transcripts say of this server's tools,
    as `Weighed.of` has it. *limits* are those that rules set, by the name of a tool, *budget* is what the server may cost.
    """
    bounds = bounds_of(captured, limits or {})
    other = recording is not None and recording.tokenizer != tokenizer
    heard, left = (None, ()) if recording is None or other else recording.of(*_asked(captured))
    subject = Subject(
        server=captured.name,
        tools=captured.tools,
        economies=captured.economies,
        machine=captured.machine,
        bounds=bounds,
        answers=None if heard is None else heard.answers,
        menu=captured.menu,
    )
    homes = [_home(tool, captured) for tool in captured.tools]
    cost = menu_cost(captured.tools, server=captured.name, count=count, namespaces=homes)
    classes = _classes(captured.tools, bounds)
    menus = forms(subject, count=count)
    weights = None if weighed is None else _heaviest_first(weighed)
    answers = None if heard is None else _answers(heard.answers)
    seen = _seen(cost, heard, weights)
    never = None if seen is None else _never(cost, seen)
    listed = bool(captured.tools or captured.menu or captured.protocol)
    found: dict[str, Any] = {
        "server": captured.name,
        "title": captured.title,
        "version": captured.version,
        "protocol": captured.protocol,
        "tokenizer": tokenizer,
        "estimate": estimate,
        "menu": {**_menu(captured, cost, classes, count, listed), "forms": menus},
        "class": server_class(classes.values()) if listed else None,
        "class_known": _known(captured.tools, classes) if listed else None,
        "economies": economies(subject, count=count, menus=menus),
        "answers": answers,
        "transcripts": weights,
        "never_called": never,
        "budget": None
        if budget is None or not listed
        else _budget(captured, budget, limits, heard, count),
        "texts": told_of(captured),
    }
    found["advisories"] = _advisories(found, classes)
    found["omitted"] = [
        *_omitted(captured, estimate, tokenizer),
        *_unheard(recording, heard, left, unseen=seen is None and bool(captured.tools)),
        *([] if weights is None else _unweighed(weights)),
    ]
    return found


def _asked(captured: Captured) -> tuple[str, set[str] | None]:
    """Return the name of a server and, where it was asked for them, those of its tools, declared and listed."""
    names = {name_of(tool) for tool in (*captured.tools, *captured.menu)}
    return captured.name, names if captured.protocol else None


def bounds_of(captured: Captured, limits: Mapping[str, ToolRules]) -> dict[str, Bounds]:
    """Return what bounds the answers of each tool: the tighter of its own limits and those that rules set."""
    found = {}
    for name in {name_of(tool) for tool in captured.tools} | captured.economies.keys():
        known = captured.economies.get(name)
        own: Mapping[str, Any] = known if isinstance(known, Mapping) else {}
        rules = limits.get(name, ToolRules())
        limit, rows = _whole(own.get("limit")), own.get("rows")
        if rules.limit is not None and (limit is None or rules.limit < limit):
            limit, rows = rules.limit, rules.rows if rules.rows is not None else rows
        caps = [cap for cap in (_whole(own.get("max_bytes")), rules.max_bytes) if cap is not None]
        found[name] = Bounds(
            limit, rows if isinstance(rows, str) else None, min(caps, default=None)
        )
    return found


def _whole(value: object) -> int | None:
    return value if type(value) is int and value > 0 else None


def _home(tool: Mapping[str, Any], captured: Captured) -> str:
    known = captured.economies.get(name_of(tool))
    named = known.get("namespace") if isinstance(known, Mapping) else None
    if isinstance(named, str) and named:
        return named
    return namespace_of(name_of(tool), captured.name)


def _classes(
    tools: Sequence[Mapping[str, Any]], bounds: Mapping[str, Bounds]
) -> dict[str, StaticClass]:
    """Return the static class of each tool by its name; of two of one name, the worse."""
    found: dict[str, StaticClass] = {}
    for tool in tools:
        name = name_of(tool)
        own = bounds[name]
        one = static_class(tool, limit=own.limit, max_bytes=own.max_bytes, rows=own.rows)
        known = found.get(name)
        if known is None or server_class([known, one]) != known.name:
            found[name] = one
    return found


def _known(tools: Sequence[Mapping[str, Any]], classes: Mapping[str, StaticClass]) -> int:
    """Return of how many tools a schema tells the class."""
    return sum(classes[name_of(tool)].max_tokens is not None for tool in tools)


def _menu(
    captured: Captured,
    cost: MenuCost,
    classes: Mapping[str, StaticClass],
    count: Count,
    listed: bool,
) -> dict[str, Any]:
    """Return what the menu costs: what is listed, and in `declared` what its tools come to one by one."""
    library = bool(captured.menu) and tuple(captured.menu) != tuple(captured.tools)
    shown = menu_cost(captured.menu, server=captured.name, count=count) if library else cost
    own = {one.name for one in cost.tools}
    told = bool(captured.instructions or captured.protocol)
    order = sorted(cost.tools, key=lambda one: -CLASSES.index(classes[one.name].name))
    return {
        "per_turn": shown.tokens if listed else None,
        "declared": cost.tokens if listed else None,
        "deferred": shown.deferred if listed else None,
        "instructions": count(captured.instructions) if told else None,
        "library": library,
        "listed": [
            {
                "tool": one.name,
                "tokens": one.tokens,
                "found": one.found,
                "listed": one.listed,
                "declared": one.name in own,
            }
            for one in (shown.tools if library else ())
        ],
        "tools": [
            {
                "tool": one.name,
                "namespace": one.namespace,
                "tokens": one.tokens,
                "share": one.share,
                "name": one.in_name,
                "description": one.in_description,
                "schema": one.in_schema,
                "listed": one.listed,
                "found": one.found,
                **_static(classes[one.name]),
            }
            for one in order
        ],
        "namespaces": [
            {"namespace": one.name, "tools": one.tools, "tokens": one.tokens, "share": one.share}
            for one in cost.namespaces
        ],
    }


def _static(one: StaticClass) -> dict[str, Any]:
    return {
        "class": one.name,
        "reason": one.reason,
        "fields": one.fields,
        "collections": list(one.collections),
        "min_tokens": one.min_tokens,
        "max_tokens": one.max_tokens,
        "advice": list(one.advice),
    }


def _answers(answers: Mapping[str, Answers]) -> dict[str, Any]:
    """Return what the answers of each tool weighed, those that cost most in all first."""
    order = sorted(answers, key=lambda name: (-answers[name].tokens.total, name))
    return {name: _answer(answers[name]) for name in order}


def _answer(own: Answers) -> dict[str, Any]:
    kinds = sorted(own.kinds, key=lambda kind: (-own.kinds[kind].total, kind))
    total = own.tokens.total
    worst = own.worst
    return {
        "calls": own.calls,
        "unanswered": own.unanswered,
        "errors": own.errors,
        **own.tokens.spread(),
        "by_kind": {
            kind: {"answers": own.kinds[kind].many, **own.kinds[kind].spread()} for kind in kinds
        },
        "payload": own.payload,
        "overhead": own.overhead,
        "share": own.overhead / total if total else None,
        "class": None if worst is None else risk_of(worst.total),
        "advisory": "" if worst is None else worst.advisory,
        "estimated": sorted(own.methods),
    }


def _heaviest_first(weighed: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return dict(sorted(weighed.items(), key=lambda one: (-one[1]["characters"]["total"], one[0])))


def _seen(
    cost: MenuCost, recording: Served | None, weights: Mapping[str, Any] | None
) -> frozenset[str] | None:
    """Return the names that were called, None where nobody was seen to call any that the menu has."""
    called = {*(() if recording is None else recording.answers), *(weights or ())}
    if called.isdisjoint(one.name for one in cost.tools):
        return None
    return frozenset(called)


def _never(cost: MenuCost, seen: frozenset[str]) -> dict[str, Any]:
    """Return the tools that nobody was seen to call, with what they cost a turn."""
    idle = [one for one in cost.tools if one.name not in seen]
    return {
        "tokens": sum(one.tokens for one in idle),
        "tools": [{"tool": one.name, "tokens": one.tokens} for one in idle],
    }


def _budget(
    captured: Captured,
    budget: Budget,
    limits: Mapping[str, ToolRules] | None,
    recording: Served | None,
    count: Count,
) -> list[dict[str, Any]] | None:
    """Return the ceilings that are exceeded, None where the server's lists cannot be held against any."""
    try:
        server = promise(captured, count=count, limits=limits)
    except LockBroken:
        return None
    largest = {
        name: own.tokens.largest
        for name, own in ({} if recording is None else recording.answers).items()
        if own.tokens.many
    }
    return [
        {
            "level": one.level,
            "scope": one.scope,
            "name": one.name,
            "tokens": one.tokens,
            "ceiling": one.ceiling,
            "estimated": one.estimated,
        }
        for one in over(captured.name, server, budget, answers=largest)
    ]


def _advisories(found: Mapping[str, Any], classes: Mapping[str, StaticClass]) -> list[str]:
    """Return what to do, the most pressing first: answers that were seen, schemas, tables, tools that nobody called."""
    seen = (found["answers"] or {}).items()
    says = [
        f"[{name}] {own['advisory']}"
        for name, own in sorted(seen, key=lambda one: -(one[1]["max"] or 0))
        if own["advisory"]
    ]
    for name, own in seen:
        mean = own["overhead"] / max(own["calls"] - own["unanswered"], 1)
        if not own["advisory"] and mean >= FLOOR and own["share"] > CEILING:
            says.append(f"[{name}] OVERHEAD WARNING: more than {round(CEILING * 100)}% of what its answers cost in all is overhead.")  # fmt: skip
    says += server_advice(classes)
    says += [
        row["note"]
        for row in found["economies"]
        if row["economy"] == "table" and row["tokens_after"] > row["tokens_before"]
    ]
    never = found["never_called"]
    if never and never["tools"]:
        many = len(never["tools"])
        what = f"{many} tools were" if many > 1 else "1 tool was"
        says.append(f"{what} never called, at {never['tokens']} tokens a turn")
    return says


def _omitted(captured: Captured, estimate: bool, tokenizer: str) -> list[str]:
    """Return what the figures of a menu leave out."""
    says = ["what a client writes around menus and answers is not counted"]
    if estimate:
        says.append(f"figures are estimates by {tokenizer}, and no provider's count")
    if captured.prompts or captured.resources or captured.templates:
        says.append("prompts and resources stand in no menu and are not counted")
    twice = [name for name, times in Counter(map(name_of, captured.tools)).items() if times > 1]
    if twice:
        says.append(f"names that come twice, of which a client may show one: {len(twice)}")
    odd = captured.unreadable
    says += odd[:_UNREADABLE]
    if len(odd) > _UNREADABLE:
        says.append(f"{len(odd) - _UNREADABLE} more entries of its lists cannot be read")
    return says


def _unheard(
    recording: Recording | None, heard: Served | None, left: Sequence[str], *, unseen: bool
) -> list[str]:
    """Return what the figures of recorded answers leave out; *unseen* says that none is of a tool of the menu."""
    if recording is None:
        return ["no answers were recorded: what they weigh in tokens is not known"]
    if heard is None:
        return [f"the recording was counted by {recording.tokenizer} and is left out"]
    skipped = [f"{number} {reason}" for reason, number in sorted(recording.skipped.items())]
    says = [f"of the recording: {', '.join(skipped)}"] if skipped else []
    says += left
    methods = sorted({method for own in heard.answers.values() for method in own.methods})
    if methods:
        says.append(f"images, sounds and files are estimates: {', '.join(methods)}")
    measured = [own.measured.answers for own in heard.answers.values() if own.measured]
    if MEASURED in measured:
        says.append(f"economies of answers are measured on the first {MEASURED} of a tool")
    if unseen and heard.answers:
        says.append("calls went by names that the menu does not have, so nothing is said of tools that were never called")  # fmt: skip
    return says


def _unweighed(weights: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return what the figures of transcripts leave out."""
    hidden = sum(counts["tokens"]["not_told"] for counts in weights.values())
    return [_CHARACTERS, *([f"{hidden} {_NOT_TOLD}"] if hidden else [])]
