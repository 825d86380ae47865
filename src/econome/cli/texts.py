"""Every sentence the command line says, apart from the failures, in one place so that it can be translated."""

from __future__ import annotations

__all__ = [
    "ABOUT", "ARGUMENTS", "BANNER", "COLUMNS", "COMMANDS", "COUNTS", "NOTES", "OPTIONS", "OVERVIEW",
    "READING", "TITLES",
]  # fmt: skip

ABOUT = (
    "The steward of a coding agent's tokens: what was spent, by whom, on what.\n\n"
    "Without a command: today, the last 7 and 30 days, and what they were spent on.\n\n"
    "Figures come from the transcripts on this machine. Nothing is sent anywhere."
)

COMMANDS = {
    "usage": "What was consumed, by day, model, project, agent and more.",
    "session": "One session: its responses, sub-agents, models; without an id, the latest ones.",
    "blocks": "The 5-hour windows of a subscription, estimated from the transcripts.",
    "statusline": "One line for the status line of Claude Code, from its JSON on standard input.",
    "watch": "The overview, kept up to date while transcripts grow.",
    "prices": "The price table: sources, dates, and what a model id resolves to.",
    "doctor": "What was read, what was not, and what to do about it.",
    "demo": "The reports on a made-up tree.",
}
"""The commands and their one-line summaries, in the order of the help page."""

OPTIONS = {
    "by": "One row for each of these; twice for cells of both.",
    "days": "Today and the days before it; all by default.",
    "since": "First local day, included (2026-10-17).",
    "until": "Last local day, included.",
    "project": "Only the project of this path, or whose path ends so.",
    "model": "Only this model id.",
    "session": "Only this session.",
    "agent": "Only this type of agent; 'main' is the main thread.",
    "source": "Only this agent program: claude, codex.",
    "timezone": "Count days in this IANA zone instead of the machine's.",
    "root": "Read this directory instead of the usual ones; may be given several times.",
    "sort": "Order of the rows: by their key, or by a figure, largest first.",
    "limit": "Show so many rows.",
    "json": "Print JSON, see docs/json.md.",
    "csv": "Print CSV with the columns of the JSON.",
    "no-cost": "Leave money out.",
    "offline": "Accepted for other tools' habits: no report ever opens a socket.",
    "no-index": "Read every transcript anew; neither read nor write the index.",
}

ARGUMENTS = {
    "session": "The id of a session, or its beginning where only one session begins so.",
}

BANNER = (
    "API list prices (checked {checked}), not what a subscription paid. A lower bound: some calls "
    "never reach a transcript."
)

COLUMNS = {
    "responses": "responses",
    "sessions": "sessions",
    "input_tokens": "in",
    "output_tokens": "out",
    "cache_read_tokens": "cache read",
    "cache_write_5m_tokens": "cache write 5m",
    "cache_write_1h_tokens": "cache write 1h",
    "web_searches": "searches",
    "cost_usd": "cost",
    "tokens": "tokens",
}

TITLES = {
    "day": "day",
    "week": "week",
    "month": "month",
    "model": "model",
    "project": "project",
    "session": "session",
    "agent": "agent",
    "branch": "branch",
    "hour": "hour",
    "source": "source",
    "total": "total",
    "undated": "undated",
    "none": "(none)",
}

OVERVIEW = {
    "heading": "What your agents consumed",
    "today": "today",
    "days": "{days} days",
    "cost_usd": "cost",
    "sessions": "sessions",
    "responses": "responses",
    "input_tokens": "tokens in",
    "output_tokens": "tokens out",
    "cache_read_tokens": "cache read",
    "cache_write_5m_tokens": "cache write 5m",
    "cache_write_1h_tokens": "cache write 1h",
    "model": "Dearest models",
    "project": "Dearest projects",
    "agent": "Dearest sub-agents",
    "of_period": "30 days",
    "share": "30 days, {share} of the cost",
    "quiet": "Nothing in the last 30 days; the last response is of {last}. `econome usage` shows all.",
    "local": "local time",
}

NOTES = {
    "unpriced": "No price for {models}: counted as tokens, in no cost (≥).",
    "refused": (
        "Refused: {attempts} with {tokens}, in no total: whether they are billed is not published."
    ),
    "incomplete": (
        "{share} of the responses never wrote their final output: tokens out and cost are at least as shown."
    ),
    "covered": "Read {files} with {responses}, from {first} to {last}.",
    "covered_nothing": "Read {files} without a dated response.",
    "except": "Not counted or not dated:",
    "more_doctor": "`econome doctor` says more.",
    "left_out": "Not shown at this width: {columns}.",
    "others": "and {count} more: {cost}",
    "others_free": "and {count} more",
    "no_rows": "Nothing in this period.",
    "nothing": "No transcript found. Looked in:",
    "nothing_next": "Name another place with --root, or see `econome demo`.",
}

COUNTS = {
    "files": ("file", "files"),
    "responses": ("response", "responses"),
    "sessions": ("session", "sessions"),
    "tokens": ("token", "tokens"),
    "attempts": ("attempt", "attempts"),
    "unreadable": ("unreadable file", "unreadable files"),
    "malformed": ("damaged line", "damaged lines"),
    "rejected": ("line with an impossible counter", "lines with impossible counters"),
    "pending": ("unfinished line", "unfinished lines"),
    "undated": ("response without a time", "responses without a time"),
}
"""One and several of what is counted."""

READING = "Reading transcripts"
