"""The head of the page of usage: the tiles, what a cost means here, and what the figures leave out (V1, P4, P9, F13, F17)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from econome.usage.sums import TOKENS

if TYPE_CHECKING:
    from fractions import Fraction

    from econome.server.screens.usage_scene import Scene
    from econome.server.telling import Telling

__all__ = ["Note", "Tile", "meaning", "notes", "tiles"]


@dataclass(frozen=True, slots=True)
class Tile:
    """One headline figure, and what must be known with it."""

    title: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence about the figures, and the names that it is about, each with what is said of it."""

    text: str
    names: tuple[tuple[str, str], ...] = ()


def tiles(scene: Scene) -> Sequence[Tile]:
    """Return the tiles, in the order of the rule (V1)."""
    told, total = scene.telling, scene.found.total
    text = told.text
    output = told.brief(total.count("output_tokens"))
    incomplete = total.count("output_incomplete")
    partial = total.unpriced and total.known
    return (
        Tile(text("Estimated cost"), scene.cost(total), text("partial") if partial else ""),
        Tile(text("Sessions"), told.count(len(scene.found.sessions))),
        Tile(text("Responses"), told.count(total.responses)),
        Tile(text("Tokens in"), told.brief(total.count("input_tokens")), text("without the cache")),
        Tile(
            text("Tokens out"), f"≥\u00a0{output}" if incomplete else output,
            text("a lower bound") if incomplete else "",
        ),
        Tile(
            text("Cache read"), told.brief(total.count("cache_read_tokens")),
            _factors(told, scene.found.read_factors),
        ),
    )  # fmt: skip


def _factors(told: Telling, factors: set[Fraction]) -> str:
    """Return what a token read from the cache costs beside one that is read anew; models may differ (P5)."""
    if not factors:
        return ""
    least, most = _percent(told, min(factors)), _percent(told, max(factors))
    if least == most:
        return told.text("at {share} of the input price", share=most)
    return told.text("at {least} to {most} of the input price, by model", least=least, most=most)


def _percent(told: Telling, factor: Fraction) -> str:
    return told.text("{number}%", number=told.number(float(factor * 100), 2))


def meaning(scene: Scene) -> str:
    """Return what a cost means here (P9)."""
    return scene.telling.text(
        "Costs are estimates at API list prices (table {version}, checked {checked}): not what a subscription paid, and a "
        "lower bound, since some calls never reach a transcript.",
        version=scene.found.prices["version"],
        checked=scene.telling.day(scene.found.prices["checked"]),
    )


def notes(scene: Scene) -> Sequence[Note]:
    """Return what the figures leave out, and what they rest on."""
    found = [*_money(scene), *_counted(scene)]
    return [*found, _covered(scene)]


def _money(scene: Scene) -> Sequence[Note]:
    told, found = scene.telling, scene.found
    made = []
    if found.unpriced:
        names = tuple((row["model"], _tokens(told, row)) for row in found.unpriced)
        made.append(
            Note(
                told.plural(
                    "{count} model has responses without a price: their tokens count, their cost is n/a, and every total without them "
                    "is marked ≥:",
                    "{count} models have responses without a price: their tokens count, their cost is n/a, and every total "
                    "without them is marked ≥:",
                    len(names),
                ),
                names,
            )
        )
    if found.unsplit:
        made.append(
            Note(
                told.text(
                    "{tokens} were written to a cache without saying for how long; they are priced as 5 minutes, so the cost is "
                    "at least as shown.",
                    tokens=told.plural("{count} token", "{count} tokens", found.unsplit),
                )
            )
        )
    if found.refused:
        attempts = sum(row["attempts"] for row in found.refused)
        made.append(
            Note(
                told.text(
                    "{attempts} with {tokens}: in no total, since whether they are billed is not published.",
                    attempts=told.plural(
                        "{count} refused attempt", "{count} refused attempts", attempts
                    ),
                    tokens=told.plural(
                        "{count} token", "{count} tokens", sum(_sum(row) for row in found.refused)
                    ),
                )
            )
        )
    return made


def _counted(scene: Scene) -> Sequence[Note]:
    told, total = scene.telling, scene.found.total
    incomplete = total.count("output_incomplete")
    if not incomplete:
        return ()
    return (
        Note(
            told.text(
                "{share} of the responses never wrote their final output: tokens out and cost are at least as shown.",
                share=told.share(incomplete / total.responses),
            )
        ),
    )


def _covered(scene: Scene) -> Note:
    """Return what was read, from which day on, and what of it is gone from disk (R6, F17)."""
    told, coverage = scene.telling, scene.found.coverage
    files = told.plural("{count} file", "{count} files", coverage["files"])
    if coverage["first_day"] is None:
        said = told.text("Read {files} without a dated response.", files=files)
    else:
        said = told.text(
            "First day covered: {first}. Read {files}, up to {last}.",
            first=told.day(coverage["first_day"]), files=files, last=told.day(coverage["last_day"]),
        )  # fmt: skip
    parts = [said]
    if scene.found.from_history:
        parts.append(
            told.plural(
                "From history, since it is gone from disk: {count} file.",
                "From history, since they are gone from disk: {count} files.",
                scene.found.from_history,
            )
        )
    flaws = _flaws(told, coverage)
    if flaws:
        parts.append(
            told.text("Not counted, or not in full: {flaws}; see “econome doctor”.", flaws=flaws)
        )
    return Note(" ".join(parts))


def _flaws(told: Telling, coverage: dict[str, Any]) -> str:
    plural = told.plural
    unreadable, damaged = len(coverage["unreadable"]), coverage["malformed"]
    impossible, unfinished = coverage["rejected"], coverage["pending"]
    counts = (
        (unreadable, plural("{count} unreadable file", "{count} unreadable files", unreadable)),
        (damaged, plural("{count} damaged line", "{count} damaged lines", damaged)),
        (impossible, plural("{count} line with an impossible counter", "{count} lines with impossible counters", impossible)),
        (unfinished, plural("{count} unfinished line", "{count} unfinished lines", unfinished)),
    )  # fmt: skip
    return ", ".join(said for count, said in counts if count)


def _sum(row: dict[str, Any]) -> int:
    return sum(row[name] for name in TOKENS)


def _tokens(told: Telling, row: dict[str, Any]) -> str:
    return told.plural("{count} token", "{count} tokens", _sum(row))
