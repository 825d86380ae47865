"""The thresholds of the diagnosis in words: from where on a rule tells, the floor, and what is usual for the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = ["Limit", "limits", "norms"]


@dataclass(frozen=True, slots=True)
class Limit:
    """A threshold in words; a part of it that there is not is empty."""

    used: str = ""
    floor: str = ""
    own: str = ""


def norms(told: Telling) -> Mapping[str, str]:
    """Return what a user's own norm is a percentile of."""
    return {
        "compactions-of-a-session": told.text("compactions of a session"),
        "cost-of-a-day": told.text("cost of a day"),
        "cost-of-a-run": told.text("cost of a run of a sub-agent"),
        "repeats-of-a-file": told.text("repeated reads of a file"),
        "responses-of-a-session": told.text("such responses of a session"),
        "rework-of-a-preset": told.text("rework of a preset"),
        "share-of-a-session": told.text("share of sub-agents in a session"),
        "share-of-a-tool": told.text("share of a tool"),
        "tokens-of-a-rebuild": told.text("tokens of a rebuild"),
        "tokens-of-a-session": told.text("such tokens of a session"),
        "tokens-of-a-menu": told.text("tokens of a menu"),
    }


def _tokens(told: Telling, count: int) -> str:
    return told.plural("{count} token", "{count} tokens", count)


def _repeats(told: Telling, count: int) -> str:
    return told.plural("{count} repeat", "{count} repeats", count)


def _compactions(told: Telling, count: int) -> str:
    return told.plural("{count} compaction", "{count} compactions", count)


def _responses(told: Telling, count: int) -> str:
    return told.plural("{count} response", "{count} responses", count)


_COUNTED: Mapping[str, Callable[[Telling, int], str]] = {
    "same-file-read-again": _repeats,
    "compaction-again": _compactions,
    "long-prompt-for-little": _responses,
}
"""What a rule counts, where that is not tokens."""


def limits(told: Telling, rule: str, threshold: Mapping[str, Any] | None) -> Limit:
    """Return the threshold of a rule in words.

    Where the user's own norm only decides which rows are shown, the rule tells from the floor on.
    """
    if threshold is None:
        return Limit()
    own, floor = threshold["percentile"], _written(told, rule, threshold["floor"])
    used = _written(told, rule, threshold["used"])
    norm = ""
    if own is not None and own["value"] is not None:
        value = _written(told, rule, own["value"])
        norm = told.text(
            "{p}% of yours are at most {value} ({what})",
            value=value,
            p=own["p"],
            what=norms(told)[own["of"]],
        )
    return Limit(used if threshold["decides"] == "finding" else floor, floor, norm)


def _written(told: Telling, rule: str, value: Any) -> str:
    if isinstance(value, str):
        return told.usd(value)
    if isinstance(value, float):
        return told.share(value)
    return _COUNTED.get(rule, _tokens)(told, value)
