"""What a profile says, in the order and the words in which a screen and a page show it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from econome.cli.profile_texts import BASES, PER, PROFILE, STEPS
from econome.cli.render.figures import NOT_AVAILABLE, full
from econome.cli.render.notes import counted

__all__ = [
    "Report",
    "Step",
    "advised",
    "basis",
    "dearest_first",
    "deferred",
    "failures",
    "figure",
    "heading",
    "is_known",
    "is_worth_it",
    "library",
    "listed",
    "method_of",
    "never_line",
    "no_tools",
    "of_all_servers",
    "over_line",
    "overview",
    "saved",
    "steps",
    "steps_of",
    "text_line",
    "told",
    "weighed_notes",
    "weighed_read",
]

Report = Mapping[str, Any]

_LOOKED_UP = ("lean", "lazy")
_LIMIT = "set a limit"
"""How advice begins that step 3 may know better."""
_UNBOUNDED = "does not bound"
_LEAST_SAVED = 5
_LEAST_SHARE = 100
"""A saving of less than one part in so many is not worth telling."""
_OWN = 5
_WHOLE = re.compile(r"(?<![\w./,-])\d{4,}(?![\w/-]|[.,]\d)")


@dataclass(frozen=True, slots=True)
class Step:
    """One place in the order of operations, with all its rows, the best first.

    What saves goes before what does not, what was counted or measured before what is estimated, a menu that loses nothing
    before one that is looked up; then the largest saving is first.
    """

    order: int
    title: str
    rows: tuple[Report, ...]


def figure(tokens: int | None) -> str:
    """Return a figure, or that there is none."""
    return NOT_AVAILABLE if tokens is None else full(tokens)


def is_known(tool: Report) -> bool:
    """Tell whether anything is known of how large the answers of a tool may grow."""
    return tool["max_tokens"] is not None


def _saves(row: Report) -> int | None:
    before, after = row["tokens_before"], row["tokens_after"]
    return None if before is None or after is None else before - after


def is_worth_it(row: Report) -> bool:
    """Tell whether a row has a figure that is worth telling, or none at all."""
    saves = _saves(row)
    if saves is None:
        return True
    return abs(saves) >= _LEAST_SAVED and abs(saves) * _LEAST_SHARE >= row["tokens_before"]


def steps_of(server: Report) -> list[Report]:
    """Return the economies of a server; of one whose menu is not known, those of its answers that have figures."""
    rows = server["economies"]
    if server["menu"]["tools"]:
        return list(rows)
    return [row for row in rows if row["per"] == "answer" and row["tokens_before"] is not None]


def steps(economies: Iterable[Report]) -> list[Step]:
    """Return the economies in their order, each with its rows."""
    found: dict[tuple[int, str], list[Report]] = {}
    for row in economies:
        found.setdefault((row["order"], row["economy"]), []).append(row)
    return [
        Step(order, STEPS[economy], tuple(sorted(rows, key=_rank)))
        for (order, economy), rows in found.items()
    ]


def _rank(row: Report) -> tuple[bool, bool, bool, bool, int]:
    saves = _saves(row) or 0
    looked_up = row["economy"] == "group" and _is_looked_up(row)
    return saves <= 0, row["basis"] is None, row["basis"] == "estimated", looked_up, -saves


def _is_looked_up(row: Report) -> bool:
    """Tell whether a form of a menu keeps something back, which the model has to ask for."""
    return row["what"].rpartition(" ")[2] in _LOOKED_UP


def told(row: Report) -> str:
    """Return in a sentence what a row is about: its figures and its note."""
    before, after = row["tokens_before"], row["tokens_after"]
    note = row["note"]
    if before is None or after is None:
        return f"{row['what']}: {note}" if note else row["what"]
    figures = PROFILE["from_to"].format(what=row["what"], before=full(before), after=full(after))
    return f"{figures}; {note}" if note else figures


def saved(row: Report) -> str:
    """Return what a row saves or costs, in tokens and of what; nothing of what saves by no figure."""
    if row["economy"] == "lock":
        return ""
    saves = _saves(row)
    if saves is None:
        return NOT_AVAILABLE
    text = "saves" if saves > 0 else "costs" if saves < 0 else "saves_nothing"
    return PROFILE[text].format(tokens=full(abs(saves)), per=PER[row["per"]])


def basis(row: Report) -> str:
    """Return how the figures of a row were come by."""
    if row["economy"] == "lock":
        return ""
    return BASES[row["basis"]] if row["basis"] else NOT_AVAILABLE


def no_tools(server: Report) -> str:
    """Return why nothing is said of a menu: the server has none, or it was not asked, and its recording has none."""
    text = "heading_none" if server["protocol"] else "heading_unlisted"
    return PROFILE[text].format(server=server["server"])


def heading(server: Report) -> str:
    """Return in a sentence what the menu of a server costs a turn, or why nothing is said of it."""
    menu = server["menu"]
    if not menu["tools"]:
        return no_tools(server)
    facts = {"server": server["server"], "tokens": full(menu["per_turn"])}
    return PROFILE["heading"].format(**facts, tools=counted("tools", listed(menu) or 0))


def dearest_first(servers: Iterable[Report]) -> tuple[list[Report], int | None]:
    """Return servers, the dearest menu first, and what the menus that are known cost together, None where none is."""
    rows = sorted(servers, key=lambda one: (-(one["menu"]["per_turn"] or 0), one["server"]))
    known = [one["menu"]["per_turn"] for one in rows if one["menu"]["per_turn"] is not None]
    return rows, sum(known) if known else None


def overview(servers: Iterable[Report]) -> str:
    """Return in a sentence what servers cost together, and of how many that is known."""
    rows, whole = dearest_first(servers)
    known = sum(one["menu"]["per_turn"] is not None for one in rows)
    text = "overview_some" if 0 < known < len(rows) else "overview"
    facts = {
        "servers": counted("servers", len(rows)),
        "tokens": figure(whole),
        "known": full(known),
    }
    return PROFILE[text].format(**facts)


def listed(menu: Report) -> int | None:
    """Return how many tools a turn pays for, None where no list of them is known."""
    return None if menu["per_turn"] is None else len(menu["listed"] or menu["tools"])


def library(menu: Report) -> list[str]:
    """Return how what a library lists differs from its tools one by one, in sentences; nothing without one."""
    if not menu["library"]:
        return []
    difference = menu["per_turn"] - menu["declared"]
    text = "dearer" if difference > 0 else "cheaper" if difference else "same"
    facts = {
        "difference": full(abs(difference)),
        "declared": full(menu["declared"]),
        "tools": counted("tools", len(menu["tools"])),
    }
    said = [PROFILE[f"library_{text}"].format(**facts)]
    own = [
        PROFILE["library_entry"].format(tool=one["tool"], tokens=full(one["tokens"]))
        for one in menu["listed"]
        if not one["declared"]
    ]
    if own:
        more = [PROFILE["others"].format(count=full(len(own) - _OWN))] if own[_OWN:] else []
        said.append(PROFILE["library_own"].format(own=", ".join([*own[:_OWN], *more])))
    return said


def never_line(server: Report, names: str) -> str:
    """Return in a sentence which tools nobody was seen to call, by *names*."""
    never = server["never_called"]
    facts = {
        "tools": counted("tools", len(never["tools"])),
        "all": full(len(server["menu"]["tools"])),
        "tokens": full(never["tokens"]),
    }
    text = "never_declared" if server["menu"]["library"] else "never"
    return PROFILE[text].format(**facts, names=names)


def weighed_read(weighed: Report, rows: Mapping[str, Report]) -> str:
    """Return in a sentence what was read of transcripts, and how their tokens were guessed."""
    facts = {
        "lines": counted("lines", weighed["lines"]),
        "files": counted("files", weighed["files"]),
    }
    return PROFILE["weighed_read"].format(**facts, method=method_of(rows))


def method_of(rows: Mapping[str, Report]) -> str:
    """Return how the tokens of transcripts were guessed."""
    return next((own["tokens"]["method"] for own in rows.values()), "chars/3.5")


def weighed_notes(weighed: Report) -> list[str]:
    """Return what of transcripts is left out, a sentence each."""
    return [
        PROFILE[f"weighed_{left}"].format(calls=counted("calls", weighed[left]))
        for left in ("unnamed", "odd")
        if weighed[left]
    ]


def deferred(menu: Report) -> str:
    """Return what a menu costs where a client searches for tools: a turn, and for a tool that is found."""
    costs = [tool["found"] for tool in menu["listed"] or menu["tools"]]
    least, most = min(costs), max(costs)
    text = "found_alone" if len(costs) == 1 else "found_each" if least == most else "found_range"
    found = PROFILE[text].format(cost=full(most), least=full(least), most=full(most))
    return PROFILE["deferred"].format(names=full(menu["deferred"]), found=found)


def over_line(row: Report) -> str:
    """Return what is over a budget, in a sentence."""
    what = f"{row['scope']} {row['name']}"
    if row["tokens"] is None:
        return PROFILE["unmatched"].format(what=what)
    if row["estimated"]:
        text, what = PROFILE["over_estimated"], row["name"]
    else:
        text = PROFILE["over" if row["level"] == "fail" else "over_warn"]
    return text.format(what=what, tokens=full(row["tokens"]), ceiling=full(row["ceiling"]))


def text_line(row: Report) -> str:
    """Return what a text says to a model besides, with where it stands."""
    where = f"{row['subject']} {row['name']}" if row["name"] else row["subject"]
    return f"{where}: {PROFILE[row['kind']]}: {row['what']}"


def advised(server: Report) -> list[str]:
    """Return the advice on a server, all that is said of one tool, which stands in brackets in front, in one line.

    Where a limit was tried on a tool and does not help, as step 3 says, none is advised.
    """
    tried = {row["what"]: row for row in server["economies"] if row["economy"] == "limit"}
    found: dict[str, list[str]] = {}
    for one in server["advisories"]:
        tool, bracket, text = one.partition("] ")
        whose = tool + "]" if bracket and tool.startswith("[") else ""
        known = tried.get(tool[1:]) if whose else None
        if known is None or not text.startswith(_LIMIT) or _helps(known):
            found.setdefault(whose or _separated(one), []).append(text if whose else "")
        elif _UNBOUNDED in known["note"]:
            found.setdefault(whose, []).append(known["note"].partition(":")[0])
    return [
        f"{whose} {'; '.join(_separated(text).removesuffix('.') for text in texts)}"
        if any(texts)
        else whose
        for whose, texts in found.items()
    ]


def _helps(limit: Report) -> bool:
    return (_saves(limit) or 0) > 0 and _UNBOUNDED not in limit["note"]


def _separated(text: str) -> str:
    """Return a text with its numbers as tables have them."""
    return _WHOLE.sub(lambda number: full(int(number[0])), text)


def failures(own: Report, failed: str) -> str:
    """Return how many answers failed; where no call was answered that is not known."""
    return NOT_AVAILABLE if own["unanswered"] == own["calls"] else full(own[failed])


def of_all_servers(weighed: Report) -> dict[str, Report]:
    """Return what transcripts say of all MCP tools, each with its server, the heaviest first."""
    rows = {
        f"{server} {tool}": counts
        for server, tools in weighed["servers"].items()
        for tool, counts in tools.items()
    }
    return dict(sorted(rows.items(), key=lambda each: -each[1]["characters"]["total"]))
