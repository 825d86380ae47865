"""The page that says what a run found: `docs/lean-bench.md`, written whole each time."""

from __future__ import annotations

import platform
from collections.abc import Iterator

from bench.lean.arms import LIMITED
from bench.lean.counting import JUDGE
from bench.lean.figures import Figures, Pair, bars, less
from bench.lean.script import CALLS, TASKS
from bench.lean.servers import PEER, SERVERS
from bench.lean.tasks import Spent
from bench.pages import bar_parts, joined, table

__all__ = ["page"]

_LARGE = "excel"
"""The server whose menu is more than half of all: sums are given without it too."""

_KINDS = ("rows", "nested", "text")
_FORMS = ("alone", "lossless", "lean", "lazy", "peer", "peer joined")

_HEAD = """# Lean, measured

What real public MCP servers cost a model with `econome proxy` in front of them and without, in tokens and in time. `make
bench-lean` installs the servers, runs all of it and writes this page. The [calls](../bench/lean/script.py) were written and
committed before the economies, and have not changed since; nobody chose them by how well they would do.

The baseline is what a client shows its model: of a tool its name, description and input schema as compact JSON; of an answer
its structure as compact JSON where it has one, else its text. That is what Claude Code does, whose name the bench gives; of
menus, where it does not search for tools itself, which is asked for here with `--menu auto`.
"""

_CHECKS = """## What was checked

An answer counts as lossless where readers that share nothing with the writer (Python's JSON, the TOON library, and
readers of the table forms in `bench/lean`) give back, field by field and type by type, what the server said in that very
call. Between proxy and server stands a program that notes both sides, so the answers compared are one and the same even
where they hold the time of day.
"""


def page(figures: Figures) -> str:
    """Return the whole page."""
    parts = [
        _HEAD,
        *bar_parts(bars(figures)),
        *_menus(figures),
        *_tasks(figures),
        *_answers(figures),
    ]
    parts += [*_latency(figures), _CHECKS, *_checked(figures), *_how(figures)]
    return joined(parts)


def _cell(pair: Pair) -> str:
    return f"{pair.after:,} ({less(pair.saved)})"


def _menus(figures: Figures) -> Iterator[str]:
    yield "## Menus\n"
    yield (
        f"Tokens ({JUDGE}) in every turn. *Lossless* keeps every sentence, field, type, bound and default in sight or "
        "behind `describe`; *lean* has a line for each action and the rest behind `describe`; *lazy* finds actions by a "
        "search. A menu that would not be smaller stays as it is.\n"
    )
    rows = []
    for server in figures.servers():
        tools = next(len(m.tools) for m in figures.menus["alone"] if m.server == server)
        cells = [_cell(figures.menu(arm, server)) for arm in ("lossless", "lean", "lazy")]
        before = figures.menu("lossless", server).before
        rows.append((server, str(tools), f"{before:,}", *cells))
    for name in figures.counters:
        for label, left_out in (("all", ""), (f"all but {_LARGE}", _LARGE)):
            sums = [figures.all_menus(arm, name, left_out) for arm in ("lossless", "lean", "lazy")]
            rows.append((f"**{label}, {name}**", "", f"{sums[0].before:,}", *map(_cell, sums)))
    yield table(("server", "tools", "before", "lossless", "lean", "lazy"), rows)


def _tasks(figures: Figures) -> Iterator[str]:
    yield "## Whole tasks\n"
    yield (
        f"Menu × turns + calls + look-ups, {JUDGE} tokens. The model is taken to know nothing: where a menu keeps something "
        "back, it looks each action up once, in a turn of its own, which pays the menu again. *Peer* is the search of "
        f"{PEER.package.replace('==', ' ')}, before each server as a proxy stands, and *joined* before all of a task's servers "
        "at once; its results leave out the texts of fields.\n"
    )
    rows = []
    for task in TASKS:
        own = {one.form: one for one in figures.spent if one.task == task.name}
        rows.append((task.name, str(len(task.servers)), *(_spent(own[form]) for form in _FORMS)))
    totals = [sum(one.total for one in figures.spent if one.form == form) for form in _FORMS]
    rows.append(("**all**", "", *(f"{total:,}" for total in totals)))
    yield table(("task (turns)", "servers", *_FORMS), rows)


def _spent(spent: Spent) -> str:
    return f"{spent.total:,} ({spent.turns})"


def _answers(figures: Figures) -> Iterator[str]:
    options = " ".join(LIMITED.options or ())
    yield "## Answers\n"
    yield f"{len(CALLS)} calls. *Limited* is `{options}`; the handle and the note are counted.\n"
    rows = []
    for kind in _KINDS:
        for server in figures.servers():
            whole = figures.kind("lossless", (kind,), server=server)
            if whole.before:
                cut = figures.kind("limited", (kind,), server=server)
                rows.append((f"{kind}, {server}", f"{whole.before:,}", _cell(whole), _cell(cut)))
    for name in figures.counters:
        for label, kinds in (
            *((kind, (kind,)) for kind in _KINDS),
            ("rows and nested", _KINDS[:2]),
        ):
            whole, cut = (figures.kind(arm, kinds, name) for arm in ("lossless", "limited"))
            rows.append((f"**{label}, {name}**", f"{whole.before:,}", _cell(whole), _cell(cut)))
    yield table(("answers", "before", "lossless", "limited"), rows)


def _latency(figures: Figures) -> Iterator[str]:
    if not figures.added:
        return
    yield "## Latency\n"
    yield (
        "Each call is asked without a proxy, through `--pass` and through the lossless economies, in turn in one run, the "
        "first one changing. Medians in milliseconds; *ratio* is what the economies add for each millisecond that passing "
        "adds, *whole* compares the calls themselves. Prose passes almost as it does through `--pass`; data takes the time to "
        "write it in several forms, to choose, and to read the choice back before it is sent.\n"
    )
    rows = [
        (
            way,
            f"{one.samples:,}",
            *(f"{ms:.2f}" for ms in (one.alone_ms, one.passing_ms, one.lean_ms)),
            f"{one.ratio:.2f}",
            f"{one.whole_ratio:.2f}",
        )
        for way, one in figures.added.items()
    ]
    head = ("over, answers", "calls", "no proxy", "+ `--pass`", "+ economies", "ratio", "whole")
    yield table(head, rows)


def _checked(figures: Figures) -> Iterator[str]:
    said = sum(one.facts for one in figures.checked)
    made = sum(one.calls for one in figures.checked)
    looked = sum(one.looked_up for one in figures.checked)
    answers = sum(map(len, figures.answers.values()))
    read: dict[str, int] = {}
    for one in figures.answers["lossless"]:
        form = one.verdict.form or "not read"
        read[form] = read.get(form, 0) + 1
    pages = sum(one.pages for one in figures.answers["limited"])
    faults = figures.faults()
    yield (
        f"- {answers} answers were read back and compared; the forms of the lossless ones: "
        + ", ".join(f"{form} {count}" for form, count in sorted(read.items()))
        + ".\n"
        f"- What limits cut was fetched with `more` ({pages} calls) and joined; the whole was compared again.\n"
        f"- {said:,} facts of the old menus were looked for in the new ones and in {looked} answers of `describe`.\n"
        f"- {made:,} random valid calls of the old menus were made through the new ones; a server that notes what it "
        "hears had to get each unchanged, in the old order of its fields.\n"
        f"- Faults: {len(faults) or 'none'}."
    )
    if faults:
        yield "\n".join(f"  - {fault}" for fault in faults[:20])


def _how(figures: Figures) -> Iterator[str]:
    yield "## The set\n"
    names = ", ".join(f"{server.package.replace('==', ' ')}" for server in SERVERS)
    yield (
        f"{len(SERVERS)} servers: {names}. github is there for its menu alone, since its tools need the network. The data: a "
        "clone of this repository, its history, tables about it, a price table, time zones, characters, a workbook, a graph, "
        f"and pages served on loopback. Python {platform.python_version()}; counted by {' and '.join(figures.counters)}."
    )
