"""What the balance says of menus and answers of MCP servers."""

from __future__ import annotations

__all__ = ["LEAN", "LEAN_COLUMNS"]

LEAN = {
    "title": "Lean: menus and answers of MCP servers, measured",
    "apart": "; in none of the sums above",
    "headline": "{net} tokens net saved in {answers}, {share} less: {before} → {after}, by {method}",
    "headline_lost": "{net} tokens net lost in {answers}, {share} more: {before} → {after}, by {method}",
    "sum": "{encoding} by encoding + {cutting} by cutting − {read_on} read on = {net}",
    "dearer": (
        "Encoding below 0: by {method} the form costs more than what it replaced; it is chosen by a quick estimate."
    ),
    "menus": "Menus, each time one is shown, by {method}",
    "menus_note": (
        "A menu as it was shown last, in no sum: how often a client shows it to its model, in every turn or once it was "
        "searched for, is not seen here. Look-ups (describe, find, calls refused) and their tokens are what it made the "
        "model read besides, paid back after so many showings."
    ),
    "after": "after {showings}",
    "never": "never",
    "at_once": "at once",
    "nothing_to_pay": "–",
    "estimate": "{methods}: estimates, no provider's counts.",
    "methods": "Each tokenizer has its own figures; they are not added.",
    "times": "Added to a call: {p50} in the middle, 95% within {p95}.",
    "faults": "{faults} of a server or of an economy.",
    "ledger": "Read {lines} of {files}.",
    "damaged": "Not counted: {lines}.",
    "later": "{lines} of a later econome left out.",
    "lost": "{lost} records were not written: the disk or the machine was too slow.",
    "unreadable": "{unreadable} could not be used.",
    "csv": "what menus and answers of MCP servers saved is not in the CSV; --json has it under lean",
}

LEAN_COLUMNS = {
    "server": "server",
    "day": "day",
    "count": "answers",
    "before": "before",
    "encoding": "encoding",
    "cutting": "cutting",
    "read_on": "read on",
    "net": "net",
    "share": "less",
    "form": "form",
    "menu_before": "before",
    "menu_after": "after",
    "less": "less",
    "lookups": "look-ups",
    "tokens": "tokens",
    "paid_back_after": "paid back",
}
