"""What the balance says of menus and answers of MCP servers."""

from __future__ import annotations

__all__ = ["LEAN", "LEAN_COLUMNS"]

LEAN = {
    "title": "Lean: menus and answers of MCP servers, measured; in none of the sums above",
    "headline": "{net} tokens net saved in {answers}, by {method}",
    "headline_lost": "{net} tokens net lost in {answers}, by {method}",
    "sum": "{encoding} by encoding + {cutting} by cutting − {lookups} looked up again = {net}",
    "menu": "{before} → {after}",
    "menus": "A menu is what the client shows its model in every turn, here as it was shown last; it is in no sum.",
    "estimate": "{methods}: estimates, no provider's counts.",
    "methods": "Each tokenizer has its own figures; they are not added.",
    "times": "Added to a call: {p50} in the middle, 95% within {p95}.",
    "faults": "{faults} of a server or of an economy.",
    "ledger": "Read {lines} of {files}.",
    "damaged": "Not counted: {lines}.",
    "later": "{lines} of a later econome left out.",
    "lost": "{lost} records were not written: the disk or the machine was too slow.",
    "unreadable": "{unreadable} could not be used.",
}

LEAN_COLUMNS = {
    "server": "server",
    "count": "answers",
    "before": "before",
    "after": "after",
    "encoding": "encoding",
    "cutting": "cutting",
    "lookups": "look-ups",
    "net": "net",
    "menu": "menu",
}
