"""What a profile says, in the order and the words in which a screen and a page show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from econome.cli.profile_texts import BASES, PER, PROFILE, STEPS
from econome.cli.render.figures import NOT_AVAILABLE, full

__all__ = [
    "Report",
    "Step",
    "basis",
    "figure",
    "found_range",
    "is_known",
    "joined",
    "no_tools",
    "over_line",
    "saved",
    "steps",
    "steps_of",
    "text_line",
    "told",
    "worst_first",
]

Report = Mapping[str, Any]

_LOOKED_UP = ("lean", "lazy")

_CLASSES = ("low", "medium", "high", "critical")


@dataclass(frozen=True, slots=True)
class Step:
    """One place in the order of operations: its rows that save something, or the one that says why none does.

    What was counted or measured goes before what is estimated, then the largest saving first. So many *more* save something.
    """

    order: int
    title: str
    rows: tuple[Report, ...]
    more: int


def figure(tokens: int | None) -> str:
    """Return a figure, or that there is none."""
    return NOT_AVAILABLE if tokens is None else full(tokens)


def is_known(tool: Report) -> bool:
    """Tell whether anything is known of how large the answers of a tool may grow."""
    return tool["max_tokens"] is not None


def worst_first(tools: Iterable[Report]) -> list[Report]:
    """Return tools by their class, the worst first, then by what they cost; those of which nothing is known come last."""
    return sorted(
        tools,
        key=lambda one: (
            -_CLASSES.index(one["class"]) if is_known(one) else 1,
            -one["tokens"],
            one["tool"],
        ),
    )


def _saves(row: Report) -> int | None:
    before, after = row["tokens_before"], row["tokens_after"]
    return None if before is None or after is None else before - after


def steps_of(server: Report) -> list[Report]:
    """Return the economies of a server; of one whose menu is not known, those of its answers that have figures."""
    rows = server["economies"]
    if server["menu"]["tools"]:
        return list(rows)
    return [row for row in rows if row["per"] == "answer" and row["tokens_before"] is not None]


def steps(economies: Iterable[Report], most: int) -> list[Step]:
    """Return the economies in their order, each with at most *most* rows."""
    found: dict[tuple[int, str], list[Report]] = {}
    for row in economies:
        found.setdefault((row["order"], row["economy"]), []).append(row)
    return [_step(order, economy, rows, most) for (order, economy), rows in found.items()]


def _step(order: int, economy: str, rows: list[Report], most: int) -> Step:
    saving = sorted(
        [row for row in rows if (_saves(row) or 0) > 0],
        key=lambda row: (row["basis"] == "estimated", -(_saves(row) or 0)),
    )
    shown = saving[:most]
    if (
        economy == "group"
    ):  # what loses nothing goes before what is looked up, and one of each is enough
        kept = [row for row in saving if not _is_looked_up(row)]
        shown = kept[:most] + [row for row in saving if _is_looked_up(row)][:most]
    return Step(order, STEPS[economy], tuple(shown or rows[:1]), len(saving) - len(shown))


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
    """Return what a row saves or costs, in tokens and of what."""
    saves = _saves(row)
    if saves is None:
        return NOT_AVAILABLE
    sign = "−" if saves > 0 else "+" if saves < 0 else ""
    return f"{sign}{full(abs(saves))} {PER[row['per']]}"


def basis(row: Report) -> str:
    """Return how the figures of a row were come by."""
    return BASES[row["basis"]] if row["basis"] else NOT_AVAILABLE


def no_tools(server: Report) -> str:
    """Return why nothing is said of a menu: the server has none, or it was not asked, and its recording has none."""
    text = "heading_none" if server["protocol"] else "heading_unlisted"
    return PROFILE[text].format(server=server["server"])


def found_range(tools: Iterable[Report]) -> str:
    """Return what a tool costs that a search finds, from the least to the most."""
    costs = [tool["found"] for tool in tools]
    least, most = min(costs), max(costs)
    if least == most:
        return full(least)
    return PROFILE["range"].format(least=full(least), most=full(most))


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


def joined(advice: Iterable[str]) -> list[str]:
    """Return advice with all that is said of one tool, which stands in brackets in front, in one line."""
    found: dict[str, list[str]] = {}
    for one in advice:
        tool, bracket, text = one.partition("] ")
        whose = tool + "]" if bracket and tool.startswith("[") else ""
        found.setdefault(whose or one, []).append(text if whose else "")
    return [
        f"{whose} {'; '.join(text.removesuffix('.') for text in texts)}" if any(texts) else whose
        for whose, texts in found.items()
    ]
