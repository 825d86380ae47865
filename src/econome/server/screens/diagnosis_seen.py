"""What each rule of the diagnosis saw, in a sentence made of the facts of its finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from econome.server.screens.diagnosis_amounts import length

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = ["SEEN", "seen"]

_Facts = Mapping[str, Any]


def seen(told: Telling, rule: str, facts: _Facts) -> str:
    """Return what a rule saw."""
    return SEEN[rule](told, facts)


def _sessions(told: Telling, count: int) -> str:
    return told.plural("{count} session", "{count} sessions", count)


def _responses(told: Telling, count: int) -> str:
    return told.plural("{count} response", "{count} responses", count)


def _rebuilt(told: Telling, facts: _Facts) -> str:
    return told.text(
        "{times} in {sessions}, the context was written to the cache again after a pause longer than the cache lives. The longest "
        "pause was {pause}.",
        times=told.plural("Once", "{count} times", facts["rebuilds"]),
        sessions=_sessions(told, facts["sessions"]),
        pause=length(told, facts["longest_pause_seconds"]),
    )


def _unread(told: Telling, facts: _Facts) -> str:
    return told.text(
        "{sessions} wrote {written} tokens to the cache for an hour. Of these {unread} were never read ({unread_usd} more than "
        "for 5 minutes), and {short} were read within 5 minutes only ({short_usd} more).",
        sessions=_sessions(told, facts["sessions"]),
        written=told.count(facts["written_tokens"]),
        unread=told.count(facts["unread_tokens"]),
        unread_usd=told.usd(facts["unread_usd"]),
        short=told.count(facts["short_tokens"]),
        short_usd=told.usd(facts["short_usd"]),
    )


def _dear(told: Telling, facts: _Facts) -> str:
    return told.text(
        "{runs} of sub-agents, with {responses}, had a model for which another one that you use would have cost at least a quarter "
        "less, for the same tokens.",
        runs=told.plural("{count} run", "{count} runs", facts["runs"]),
        responses=_responses(told, facts["responses"]),
    )


def _fan_out(told: Telling, facts: _Facts) -> str:
    return told.text(
        "In {sessions}, sub-agents took more than {norm} of the cost. In half of your sessions it is {usual} or less.",
        sessions=_sessions(told, facts["sessions"]),
        norm=told.share(facts["norm_share"]),
        usual=told.share(facts["usual_share"]),
    )


def _answers(told: Telling, facts: _Facts) -> str:
    return told.text(
        "{tools} gave {answers} of together {characters} characters, about {tokens} tokens. Each answer is read again in every "
        "later turn of its session.",
        tools=told.plural("{count} tool", "{count} tools", facts["tools"]),
        answers=told.plural("{count} answer", "{count} answers", facts["answers"]),
        characters=told.count(facts["characters"]),
        tokens=told.count(facts["tokens"]),
    )


def _files(told: Telling, facts: _Facts) -> str:
    return told.text(
        "{files} with {reads} by the same agent of a session, {again} of them without a change by that session or a "
        "compaction since the one before: {characters} characters, about {tokens} tokens.",
        files=told.plural("{count} file", "{count} files", facts["files"]),
        reads=told.plural("{count} read", "{count} reads", facts["reads"]),
        again=told.count(facts["again"]),
        characters=told.count(facts["characters"]),
        tokens=told.count(facts["tokens"]),
    )


def _compactions(told: Telling, facts: _Facts) -> str:
    return told.text(
        "{sessions} had more than one compaction, {compactions} in all. The transcripts hold {responses} that made "
        "the summaries.",
        sessions=_sessions(told, facts["sessions"]),
        compactions=told.count(facts["compactions"]),
        responses=_responses(told, facts["responses"]),
    )


def _long(told: Telling, facts: _Facts) -> str:
    return told.text(
        "{responses} had a prompt that was at most {margin} longer than where the dearer price begins. That price then holds for "
        "the whole request.",
        responses=_responses(told, facts["responses"]),
        margin=told.share(facts["margin_share"]),
    )


def _days(told: Telling, facts: _Facts) -> str:
    return told.text(
        "{days} cost far more than usual. Of {norm} with a cost, half cost {usual} or less.",
        days=told.plural("{count} day", "{count} days", facts["days"]),
        norm=told.plural("{count} day", "{count} days", facts["norm_days"]),
        usual=told.usd(facts["usual_usd"]),
    )


def _losses(told: Telling, facts: _Facts) -> str:
    return told.text(
        "{presets}, over {delegations}, cost more to steer and to correct than was avoided, or had much of the work "
        "corrected.",
        presets=told.plural("{count} preset", "{count} presets", facts["presets"]),
        delegations=told.plural("{count} delegation", "{count} delegations", facts["delegations"]),
    )


def _menus(told: Telling, facts: _Facts) -> str:
    return told.text(
        "{servers} put {tokens} tokens of menu before the model in each of {turns}.",
        servers=told.plural("{count} server", "{count} servers", facts["servers"]),
        tokens=told.count(facts["menu_tokens"]),
        turns=told.plural("{count} turn", "{count} turns", facts["turns"]),
    )


SEEN: Mapping[str, Callable[[Telling, _Facts], str]] = {
    "cache-rebuilt-after-pause": _rebuilt,
    "hour-writes-unread": _unread,
    "dear-model-in-sub-agents": _dear,
    "fan-out-above-norm": _fan_out,
    "mcp-answers-dominate": _answers,
    "same-file-read-again": _files,
    "compaction-again": _compactions,
    "long-prompt-for-little": _long,
    "unusual-day": _days,
    "delegation-loses": _losses,
    "heavy-menu": _menus,
}
"""What tells the facts of each rule."""
