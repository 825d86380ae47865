"""What `econome diagnosis` says beside the texts that it shares with the page."""

from __future__ import annotations

__all__ = ["DIAGNOSIS", "DIAGNOSIS_OPTIONS"]

DIAGNOSIS_OPTIONS = {
    "days": "The last so many days, up to today or to --until, or all of them; 30 by default.",
}
"""The options as they are meant here; the others mean what they do in `econome usage`."""

DIAGNOSIS = {
    "headline": "{findings} in {responses} that cost {cost}, {period}",
    "none": "Nothing found in {responses} that cost {cost}, {period}",
    "all": "all days",
    "up_to": "up to {until}",
    "from": "from {since}",
    "between": "{since} to {until}",
    "sum": "{basis}, together: {amount}, {share} of the cost, {tokens}",
    "apart": (
        "Where findings are about the same response, it counts once. What is measured and what is estimated is never added up."
    ),
    "finding": "{at}. {name}: {amount} {basis}",
    "confidence": "confidence: {degree}",
    "sure": "{why} The worth: {method}. {limit}",
    "more": "and {count} more",
    "more_json": "and {count} more; --json has some of them",
    "judged": "Nothing found by",
    "not_judged": "Not judged",
    "limit": "{name}, from {used} on. {sought}",
    "unknown": "What this report cannot know",
}
