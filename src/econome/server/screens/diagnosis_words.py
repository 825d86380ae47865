"""What the parts of a diagnosis are called: its rules, methods, reasons, what it cannot know. Words of one language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = [
    "bases",
    "confidences",
    "economies",
    "methods",
    "names",
    "outcomes",
    "reasons",
    "sought",
    "unknowns",
]


def names(told: Telling) -> Mapping[str, str]:
    """Return the short name of each rule."""
    return {
        "cache-rebuilt-after-pause": told.text("Cache rebuilt after a pause"),
        "hour-writes-unread": told.text("Hour-long cache not needed"),
        "dear-model-in-sub-agents": told.text("Dear model in sub-agents"),
        "fan-out-above-norm": told.text("More sub-agents than usual"),
        "mcp-answers-dominate": told.text("Answers of one MCP tool"),
        "same-file-read-again": told.text("Same file read again"),
        "compaction-again": told.text("Repeated compaction"),
        "long-prompt-for-little": told.text("Long-prompt price for little"),
        "unusual-day": told.text("An unusual day"),
        "delegation-loses": told.text("Delegation that costs more"),
        "heavy-menu": told.text("A heavy menu of tools"),
    }


def sought(told: Telling) -> Mapping[str, str]:
    """Return what each rule looks for, in a sentence."""
    return {
        "cache-rebuilt-after-pause": told.text(
            "After a pause longer than the cache lives, the context is written to it anew."
        ),
        "hour-writes-unread": told.text(
            "What is written to the cache for an hour, at 2 times the price of input, is not read, or only within 5 "
            "minutes."
        ),
        "dear-model-in-sub-agents": told.text(
            "Sub-agents work with a model that is at least a quarter dearer than another one you use."
        ),
        "fan-out-above-norm": told.text(
            "In a session, sub-agents take a larger share of the cost than is usual for you."
        ),
        "mcp-answers-dominate": told.text(
            "The answers of one tool of an MCP server are a large part of all answers in its sessions."
        ),
        "same-file-read-again": told.text(
            "The same agent of a session reads the same file again and again, though nothing changed it in between."
        ),
        "compaction-again": told.text(
            "A session fills its context and is compacted more than once."
        ),
        "long-prompt-for-little": told.text(
            "A prompt is a little longer than where the dearer price begins, which then holds for the whole request."
        ),
        "unusual-day": told.text("A day cost far more than your days usually do."),
        "delegation-loses": told.text(
            "A preset costs more tokens to steer and to correct than it avoids, or much of its work is corrected."
        ),
        "heavy-menu": told.text(
            "The menu of an MCP server is large in every turn, and could be smaller."
        ),
    }


def bases(told: Telling) -> Mapping[str, str]:
    """Return what each basis of a worth is called."""
    return {"measured": told.text("measured"), "estimated": told.text("estimated")}


def confidences(told: Telling) -> Mapping[str, str]:
    """Return what each degree of confidence is called."""
    return {"high": told.text("high"), "medium": told.text("medium"), "low": told.text("low")}


def outcomes(told: Telling) -> Mapping[str, str]:
    """Return what a rule came to."""
    return {
        "found": told.text("found"),
        "nothing": told.text("nothing found"),
        "not judged": told.text("not judged"),
    }


def methods(told: Telling) -> Mapping[str, str]:
    """Return how a worth was come by."""
    return {
        "write-minus-read-price": told.text(
            "tokens written again, at the price of writing less that of reading them from the cache"
        ),
        "hour-minus-five-minute-price": told.text(
            "tokens written for an hour, at the price of that less the price of 5 minutes"
        ),
        "same-tokens-at-other-price": told.text(
            "the same tokens at the price of the cheaper model; another model would have used more or fewer"
        ),
        "above-own-norm": told.text("what lies above the value from which the rule reports"),
        "characters-carried-on": told.text(
            "tokens estimated from characters, written once and read again in each later turn of the session"
        ),
        "cost-of-compactions": told.text("what the requests that summed up the context cost"),
        "long-minus-short-price": told.text(
            "the same requests at the price of long prompts less that of short ones"
        ),
        "contract-estimate": told.text(
            "what was lost, or what corrections cost where nothing was lost on the whole; avoided tokens are an estimate "
            "of four characters a token"
        ),
        "menu-of-every-turn": told.text(
            "what the economy that saves most would have spared of the menu, at the price of reading it from the cache"
        ),
    }


def reasons(told: Telling) -> Mapping[str, str]:
    """Return why a rule was not judged."""
    return {
        "no-responses": told.text("there is no response in this period"),
        "no-detail": told.text(
            "the details of sessions (tools, files, compactions) could not be read"
        ),
        "no-claude-transcripts": told.text("only transcripts of Claude Code say this"),
        "too-few-days": told.text("too few days to know what is usual for you"),
        "too-few-sessions": told.text("too few sessions to know what is usual for you"),
        "no-ledger": told.text("the ledger of what was delegated cannot be read"),
        "no-delegations": told.text("no preset was delegated to 5 times or more in this period"),
        "no-profile": told.text(
            "no server was profiled or locked, so the weight of its menu is not known"
        ),
    }


def unknowns(told: Telling) -> Mapping[str, str]:
    """Return what a report cannot know, in sentences."""
    return {
        "flat-rate": told.text(
            "What you paid: amounts are API list prices. A subscription is billed at a flat rate, and counts against its limits "
            "in a way that is not published."
        ),
        "quality-of-answers": told.text(
            "Whether the answers were good: only what they cost is in the transcripts."
        ),
        "need-of-a-dear-model": told.text(
            "Whether a cheaper model would have done: the same work may take it more turns, or not succeed."
        ),
        "calls-beyond-transcripts": told.text(
            "Calls that no transcript holds, such as titles of sessions, other machines, other programs."
        ),
        "cache-lifetime": told.text(
            "How long the cache really lived: a pause is compared with the time that was paid for, 5 minutes or an hour."
        ),
        "cause-of-a-rebuild": told.text(
            "Why a cache was written anew: a changed set of tools, another model or an upgrade does so too, and may fall together "
            "with a pause."
        ),
        "parts-of-files": told.text(
            "Whether a file was read again for another part of it: only that it was read is compared."
        ),
        "changes-from-outside": told.text(
            "Whether a file had been changed by you or another program in between, so that it had to be read again."
        ),
        "tokens-of-characters": told.text(
            "How many tokens an answer of a tool or a file is: transcripts have its characters, and tokens are estimated from them."
        ),
        "overlap-of-findings": told.text(
            "What remains of one finding after another was acted on: findings can be about the same responses. Sums count each response "
            "once, by its largest finding."
        ),
        "detail-of-other-agents": told.text(
            "Tools, files and compactions of other agent programs than Claude Code: their transcripts are counted, not looked into."
        ),
        "incomplete-output": told.text(
            "The whole output of some responses: their final count was never written, so amounts are at least as shown."
        ),
        "models-without-a-price": told.text(
            "What the models without a price cost: their tokens are counted, their cost is in no amount."
        ),
        "undated-responses": told.text(
            "When some responses were: without a usable time they are in no day, and in no finding about days or pauses."
        ),
    }


def economies(told: Telling) -> Mapping[str, str]:
    """Return what economies of a server do, as far as their names are known."""
    return {
        "group": told.text("Group the tools"),
        "select": told.text("Let the model select fields"),
        "limit": told.text("Limit the rows of answers"),
        "table": told.text("Write actions as a table"),
        "encode": told.text("Write answers as tables"),
        "compact": told.text("Show short texts first"),
    }
