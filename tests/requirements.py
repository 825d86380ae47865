"""The rules econome keeps, by id, and the decorator with which a test names the rules it holds.

The ids are those of the usage rules: reading (R), responses (F) and money (P). The texts are short reminders, not the
rules themselves; `docs/rules.md` is the page for people. `tests/house/test_requirements.py` checks that no rule lacks
a test and that no test of a room with rules lacks a rule.
"""

from __future__ import annotations

import pytest

__all__ = ["KNOWN_GAPS", "REQUIREMENTS", "requirement"]

REQUIREMENTS: dict[str, str] = {
    "R1": "Roots come from the environment, the defaults or --root; a named root that is missing is an error.",
    "R2": "Every transcript below a root is read, each file once, whatever links lead to it.",
    "R3": "Lines are cut on LF and decoded tolerantly; bad lines are counted, a torn last line is pending.",
    "R4": "Each counter is validated alone; a bad one rejects its row and no other.",
    "R5": "Nothing is written below a root, and no report opens a socket.",
    "R6": "Every answer carries the coverage of the tree it was read from.",
    "F1": "Only assistant rows with usage count; synthetic rows, API errors and summaries do not.",
    "F2": "A response is known by its message id and request id, over all files and roots.",
    "F3": "A counter of a response is its maximum over the lines; labels come from the fullest line.",
    "F4": "A side-chain row that only replays a main response is not counted again.",
    "F5": "A copied response counts once, for the owner that the order of occurrences names.",
    "F6": "Advisor iterations are responses of their own; refused attempts are told apart and in no total.",
    "F7": "A response happens at its earliest timestamp; without one it is undated and in no day.",
    "F8": "Days are calendar days of the chosen zone; periods are inclusive calendar arithmetic.",
    "F9": "The project is the owner's working directory; equal base names never merge two of them.",
    "F10": "The sub-agent type of a response comes from the best source that names it.",
    "F11": "Days, models, projects, sessions and agents each add up to the same total.",
    "F12": "An incremental scan gives the same bytes of JSON as a fresh one.",
    "F13": "A response without a final output count stands as it is and is flagged incomplete.",
    "F14": "Damaged lines lose no good row.",
    "F15": "Cumulative cost records reconcile a session; they are never added.",
    "F16": "Attribution prefers what the agent wrote itself, then the meta file, then the parent's call.",
    "F17": "History is a second database, kept and migrated, and off unless asked for.",
    "F18": "Another agent is one more reader that yields the same rows.",
    "P1": "Each response is priced by its own date, model, split, length, speed, tier and region.",
    "P2": "Money is exact; rounding happens only when shown.",
    "P3": "A price is found by the exact model id after normalising, never by prefix or family.",
    "P4": "A model without a price keeps its tokens, costs nothing known, and makes totals partial.",
    "P5": "Five-minute and one-hour cache writes have their own prices; the split is clamped to the total.",
    "P6": "A long prompt moves the whole request to the long price.",
    "P7": "Fast mode, region, batch and web searches each change the price.",
    "P8": "Prices are dated, versioned and sourced; the user's own override applies everywhere.",
    "P9": "Figures are labelled as list prices and as a lower bound.",
    "P10": "A cost written in an old log is never mixed in.",
}

KNOWN_GAPS: dict[str, str] = {}
"""Rule ids that no test holds yet, each with the reason; an entry whose rule has a test is an error."""


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Return the mark that says which rules a test (or, as `pytestmark`, a module) holds.

    Raises:
        ValueError: no id was given, or one that is not in `REQUIREMENTS`.
    """
    unknown = [name for name in ids if name not in REQUIREMENTS]
    if unknown or not ids:
        raise ValueError(f"unknown requirement: {', '.join(unknown) or '(none given)'}")
    return pytest.mark.requirement(*ids)
