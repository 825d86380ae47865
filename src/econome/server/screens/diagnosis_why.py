"""Why the diagnosis is as sure of a finding as it says: what stands in a transcript, and what is concluded from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = ["reasons", "why"]


def why(told: Telling, rule: str, confidence: str) -> str:
    """Return what the confidence in a finding rests on."""
    found = reasons(told)
    return found.get(f"{rule}.{confidence}") or found[rule]


def reasons(told: Telling) -> Mapping[str, str]:
    """Return for each rule what its confidence rests on; by `rule.degree` where a degree has a reason of its own."""
    return {
        "cache-rebuilt-after-pause": told.text(
            "The times, and how much was written again, stand in the transcripts; that the pause was the cause is concluded."
        ),
        "hour-writes-unread": told.text(
            "What was written and what was read stand in the transcripts; which write a read belongs to is concluded."
        ),
        "dear-model-in-sub-agents": told.text(
            "Models and tokens stand in the transcripts. That the cheaper model would have done, with as many tokens, is assumed."
        ),
        "dear-model-in-sub-agents.medium": told.text(
            "Models and tokens stand in the transcripts, and the cheaper model does such work for you already. That it would have used "
            "as many tokens is assumed."
        ),
        "fan-out-above-norm": told.text(
            "The share is counted; whether the work was worth it stands in no transcript."
        ),
        "mcp-answers-dominate": told.text(
            "Transcripts have the characters of an answer; its tokens, and how long it stayed in the context, are estimated."
        ),
        "same-file-read-again": told.text(
            "That the file was read again stands in the transcripts. Another part of it may have been wanted, and tokens "
            "are estimated."
        ),
        "compaction-again": told.text(
            "Transcripts mark each compaction. What it cost is counted where its own request has a transcript; of some it"
            " is missing."
        ),
        "compaction-again.high": told.text(
            "Transcripts mark each compaction, and hold the requests that made the summaries."
        ),
        "long-prompt-for-little": told.text(
            "The length of each prompt and both prices are known; that it could have been a little shorter is assumed."
        ),
        "unusual-day": told.text(
            "What the day cost stands in the transcripts; whether that was too much is yours to judge."
        ),
        "delegation-loses": told.text(
            "Steering and corrections are counted as clients report them; what was avoided is an estimate. There are few "
            "delegations yet."
        ),
        "delegation-loses.medium": told.text(
            "Steering and corrections are counted as clients report them; what was avoided is an estimate."
        ),
        "heavy-menu": told.text(
            "The menu was weighed when the server was profiled or locked. That each turn of a session that called it "
            "carried it whole is assumed; a client that searches for tools sends less."
        ),
    }
