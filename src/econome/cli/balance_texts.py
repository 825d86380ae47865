"""What `econome balance` says, apart from the failures."""

from __future__ import annotations

from econome.delegation import wire

__all__ = ["BALANCE", "BALANCE_COLUMNS", "BALANCE_OPTIONS", "BALANCE_TITLES", "STATUSES"]

BALANCE_OPTIONS = {
    "by": "One row for each of these.",
    "days": "The last so many days, up to today or to --until, or all of them; all by default.",
    "client": "Only the events of this client.",
    "preset": "Only what was delegated with this preset; '(none)' is what the journal names none for.",
    "usd": "The figures in USD too, at the list price of the model that each token would have cost or did cost.",
    "limit": "Show so many rows of each client.",
    "verify": "Derive every balance a second time from the files alone and compare; exit 1 on any difference.",
}
"""The options as they are meant here; the others mean what they do in `econome usage`."""

BALANCE = {
    "headline": "{net} net saved by delegating",
    "headline_lost": "{net} net lost by delegating",
    "sum": "{avoided} avoided − {steering} steering − {corrections} corrections = {net}",
    "usd": "in USD: {avoided} avoided − {steering} steering − {corrections} corrections = {net}",
    "rework": "rework {share}",
    "nothing": "No event was ever received in {directory}.",
    "nothing_beside": "Nothing was delegated to a local model yet: `econome serve` says how a client begins.",
    "nothing_next": (
        "`econome serve` starts the server and says how a client reaches it; `econome events import FILE` takes a file."
    ),
    "nothing_here": "Nothing in this period.",
    "no_match": "Nothing matches {filters}. `econome balance{by}` lists what there is.",
    "no_match_period": "Nothing in this period matches {filters}. `econome balance{by}` lists what there is.",
    "more": "and {count} more: {net} net",
    "unattached": "{events} without a delegation that the ledger or the journal knows: in no named row.",
    "conflicts": "{conflicts} came again with another content; the first one counts.",
    "local": "The local model: {requests} ({statuses}), {tokens_in} tokens in, {tokens_out} out, {time}.",
    "no_poster": (
        "No client has posted a delegation: the journal tells what was done, and what that saved is 0 until a client that "
        "measures it posts events (docs/contract.md)."
    ),
    "local_nothing": "The local model: no request in the journal.",
    "read": "Read {events} and {lines} of the journal.",
    "damaged": "Not counted: {lines}.",
    "duplicates": "{duplicates} of an earlier id left out.",
    "estimate": "Avoided tokens are an estimate, four characters a token. docs/savings.md says what is not counted.",
    "money": (
        "USD at list prices (table {version}, checked {checked}) of the day, cache writes as 5 minutes, base prompt "
        "length; what was avoided and corrected at the model of the session's main thread, steering at its own."
    ),
    "reference": "Sessions without a transcript are priced as {model} (reference_model).",
    "unpriced_model": "No price for {model}: {events} in no sum (*).",
    "unpriced_sessions": (
        "No transcript names the model of {sessions}: {events} in no sum (*). --root, or reference_model in "
        "the settings, can name one."
    ),
    "checked": "Derived twice: {reports} of {events}, {conflicts} and {lines} of the journal.",
    "server": "{reports} of the server at {url} on the same bytes compared with them.",
    "server_silent": "The server of this directory does not answer: {reason}.",
    "agreed": "Everything agrees.",
}

BALANCE_TITLES = {
    "client": "client",
    "preset": "preset",
    "format": "format",
    "model": "model",
    "day": "day",
    "delegation": "delegation",
    "total": "total",
    "none": "(none)",
}

BALANCE_COLUMNS = {
    "delegations": "delegations",
    "avoided": "avoided",
    "steering": "steering",
    "corrections": "corrections",
    "net": "net",
    "rework_rate": "rework",
    "usd_avoided": "avoided $",
    "usd_steering": "steering $",
    "usd_corrections": "corrections $",
    "usd_net": "net $",
    "score": "score",
}

STATUSES = {
    wire.DONE: "done",
    wire.FAILED: "failed",
    wire.CANCELLED: "cancelled",
    wire.EXPIRED: "expired",
    wire.REFUSED: "refused",
}
"""How a request ended; a word of the journal that stands not here is shown as it is."""
