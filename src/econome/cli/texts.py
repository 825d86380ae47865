"""Every sentence the command line says, apart from the failures, in one place so that it can be translated.

What the commands of the server and of the balance say stands beside it, in `server_texts.py` and `balance_texts.py`.
"""

from __future__ import annotations

__all__ = [
    "ABOUT",
    "ARGUMENTS",
    "BANNER",
    "BLOCKS",
    "COLUMNS",
    "COMMANDS",
    "COUNTS",
    "DEMO",
    "DOCTOR",
    "NOTES",
    "OPTIONS",
    "OVERVIEW",
    "READING",
    "REMEDIES",
    "SESSION",
    "STATUSLINE",
    "STATUSLINE_HELP",
    "TITLES",
    "WATCH",
]  # fmt: skip

ABOUT = (
    "The steward of a coding agent's tokens: what was spent, by whom, on what.\n\n"
    "Without a command: today, the last 7 and 30 days, and what they were spent on.\n\n"
    "Figures come from the transcripts on this machine, and are sent nowhere."
)

COMMANDS = {
    "usage": "What was consumed, by day, model, project, agent and more.",
    "session": "One session in detail; without an id, the latest ones.",
    "blocks": "The 5-hour windows of a subscription, estimated.",
    "statusline": "One line for the status line of Claude Code.",
    "watch": "The overview, kept up to date while transcripts grow.",
    "diagnosis": "What may have cost more than it had to, what that is worth, and what to do about it.",
    "balance": "What was saved by delegating, net of its costs, and by cheaper menus and answers.",
    "delegate": "Hand a task to a local model; print its answer.",
    "serve": "The server: /mcp, the savings ledger and the JSON API, on this machine.",
    "open": "The server's page in the browser, by a link that works once.",
    "token": "The server's token: show it, or replace it.",
    "events": "The savings ledger's events: import a file, show the last ones.",
    "mcp": "The MCP server over standard input and output, for one client.",
    "proxy": "Stand between an MCP client and its server, and make menu and answers cheaper.",
    "profile": "What MCP servers cost: menus, answers, and what would make them cheaper.",
    "lock": "What MCP servers promise, kept in a file; --check says what changed and what breaks.",
    "requests": "What local models were asked: what waits, runs or needs you, and what ended.",
    "presets": "The named ways to ask a local model, and how well it does with each.",
    "backends": "Which models work can be handed to, and which one would do it.",
    "local": "The embedded model that work can be handed to: set it up, check it, remove it.",
    "prices": "The price table, and what a model id resolves to.",
    "doctor": "What was read, what was not, and what to do about it.",
    "demo": "The reports on a made-up tree.",
}
"""The commands and their one-line summaries, in the order of the help page."""

OPTIONS = {
    "by": "One row for each of these; twice for cells of both.",
    "days": "The last so many days, up to today or to --until; all by default.",
    "since": "First local day, included (2026-10-17).",
    "until": "Last local day, included.",
    "project": "Only the project of this path, or whose path ends so.",
    "model": "Only this model, by any spelling of its id.",
    "session": "Only the sessions whose id begins so.",
    "agent": "Only this type of agent; 'main' is the main thread.",
    "source": "Only this agent program.",
    "timezone": "Count days in this IANA zone instead of the machine's.",
    "root": "Read this directory instead of the usual ones; may be given several times.",
    "data-dir": "Where history, the token and the ledger lie, instead of the usual directory.",
    "sort": "Order of the rows: by their key, or by a figure, largest first.",
    "limit": "Show so many rows.",
    "json": "Print JSON, see docs/json.md.",
    "csv": "Print CSV with the columns of the JSON.",
    "no-cost": "Leave money out.",
    "offline": "Accepted and without effect: no report ever opens a socket.",
    "no-index": "Read every transcript anew; neither read nor write the index.",
}

ARGUMENTS = {
    "session": "ID is the id of a session, or its beginning where only one session begins so.",
}

BANNER = (
    "API list prices (table {version}, checked {checked}), not what a subscription paid. A lower bound: some calls "
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
    "refused": "Refused: {attempts} with {tokens},",
    "refused_apart": "in no total, since whether they are billed is not published.",
    "unsplit": "Written to a cache without saying for how long: {tokens}, priced as 5 minutes, so the cost is at least as shown.",
    "incomplete": (
        "{share} of the responses never wrote their final output: tokens out and cost are at least as shown."
    ),
    "covered": "Read {files} with {responses}, from {first} to {last}.",
    "covered_nothing": "Read {files} without a dated response.",
    "from_history": "And from history: {files} no longer on disk.",
    "except": "Not counted or not dated:",
    "more_doctor": "`econome doctor` says more.",
    "left_out": "Not shown at this width: {columns}.",
    "others": "and {count} more: {cost}",
    "others_free": "and {count} more",
    "no_rows": "Nothing in this period.",
    "no_match": "Nothing matches {filters}.",
    "no_match_period": "Nothing in this period matches {filters}.",
    "no_match_next": "`econome usage --by {by}` lists what there is.",
    "more_files": "and {files} more",
    "nothing": "No transcript found. Looked in:",
    "nothing_next": "Name another place with --root, or see `econome demo`.",
}

BLOCKS = {
    "start": "block",
    "state": "",
    "active": "{left} left",
    "models": "models",
    "estimate": (
        "An estimate: blocks of 5 hours counted from the transcripts of {source}, the first from the full "
        "UTC hour of its first response. What a subscription counts is not published."
    ),
    "none": "No block in this period.",
    "earlier": "and {count} earlier; --limit shows more",
}

SESSION = {
    "heading": "Session",
    "agents": "Agents",
    "models": "Models",
    "responses": "Responses",
    "time": "time",
    "latest": "the latest {count} of {all}",
    "share": "share",
    "with_children": "with those below",
    "undated": "undated",
    "refused": "Refused attempts",
    "incomplete": (
        "{count} of {all} responses never wrote their final output: out and cost are at least as shown."
    ),
    "recorded": (
        "Cost record of the client: {recorded}; its responses here: {counted}; gap {gap}. The record also "
        "holds calls that no line shows, such as titles; it is never added."
    ),
    "recorded_unknown": "The record itself lacks the cost of a model it does not know.",
    "session": "session",
    "last": "last response",
    "project": "project",
    "earlier": "and {count} earlier; --limit shows more",
}

DOCTOR = {
    "well": "Nothing is wrong.",
    "problems": "To look at: {count}",
    "roots": "Transcripts are read from {found}.",
    "roots_none": "No transcript found; looked in {looked}.",
    "roots_missing": "{error}",
    "read": (
        "{files}, {lines}, {usage_lines} of them with usage: {responses} after {folded} and {replayed}."
    ),
    "unreadable": "{path} could not be read: {reason}.",
    "malformed": "Damaged lines: {count}, in {places}.",
    "rejected": "Lines with a counter that cannot be one, such as a negative number: {count}, in {places}.",
    "pending": "Last lines not yet whole: {count}, in {places}.",
    "undated": "Responses without a usable time, counted in no day: {count}.",
    "incomplete": (
        "{count} of {responses} ({share}) never wrote their final output: tokens out and cost are at least as "
        "shown."
    ),
    "unpriced": "{model} has no price: {responses} with {tokens} are in no cost.",
    "retention": "The first day is {first_day}: {days} up to today.",
    "history": "The first day is {first_day}: {days} up to today; the counters of deleted transcripts are kept.",
    "history_broken": "{error}",
    "index_ok": "The index {path} is sound, {bytes} bytes.",
    "index_absent": "There is no index at {path}: nothing was read yet, or nothing can be written there.",
    "index_damaged": "The index {path} is damaged.",
    "index_unused": "The index was not looked at.",
    "prices": "Prices {version}, checked {checked}, {age}.",
    "prices_old": "Prices {version} were checked {checked}, {age}.",
    "today": "today",
    "ago": "{days} ago",
    "overrides": "Your settings give the price of {models}.",
    "zone": "Days are counted in {zone}.",
    "zone_unknown": "{error}",
    "settings": "Settings: {path}.",
    "settings_none": "No settings file at {path}: defaults hold.",
    "settings_wrong": "{error}",
    "delegation": "What the settings and presets.toml say of handing work over can be used.",
    "delegation_wrong": "{error}",
    "delegation_roots": "`roots` of [delegation] names what is no directory: {missing}.",
    "presets_wrong": "{error}",
}

REMEDIES = {
    "roots_none": "Name the directory with --root or CLAUDE_CONFIG_DIR, or see what it would look like: econome demo.",
    "roots_missing": "Correct CLAUDE_CONFIG_DIR or CODEX_HOME; the places after it are not read.",
    "unreadable": "Give yourself the right to read it, or remove it where it is no file or a dead link; all other files count.",
    "malformed": "Nothing to do: a crash or a full disk tore them; every whole line beside them counts.",
    "rejected": "Nothing to do: the other lines of these files count.",
    "pending": "Nothing to do: they are read again when they have grown.",
    "undated": "Nothing to do; --days all shows them.",
    "incomplete": "Newer versions of Claude Code write the final count: claude update.",
    "unpriced": "Why: econome prices explain MODEL. Upgrade econome, or give it a price under [prices] in the settings.",
    "retention": (
        "Claude Code deletes transcripts after 30 days: raise cleanupPeriodDays in its settings, or set history = true here."
    ),
    "history_broken": "Put back a copy of it; until then reports that need it fail, and here it was left out.",
    "index_damaged": "Nothing to do: the next report makes it anew. You may delete it.",
    "index_absent": "If it stays absent, see that the directory can be written; reports work without it, more slowly.",
    "prices_old": "Upgrade econome: python -m pip install --upgrade econome.",
    "zone_unknown": "Correct timezone in the settings; until then the machine's zone holds.",
    "settings_wrong": "Correct the file; until then reports that need it fail.",
    "delegation_wrong": "Correct the file; until then no work is handed over.",
    "delegation_roots": "Make it, or take it out; nothing is read or written there.",
    "presets_wrong": "Correct the file; until then no preset can be used.",
}

DEMO = {
    "ledger": "What handing work to a local model saved:",
    "remark": "All of this is made up. On your own machine: econome, econome usage --by model, econome balance.",
}

WATCH = {
    "remark": "Drawn again when a transcript grows. Ctrl-C ends it.",
    "no_terminal": "standard output is no terminal; `econome` prints the overview once",
}

STATUSLINE = {
    "today": "today {cost}",
    "session": "session {cost}",
    "block": "block {cost}, {hours}h{minutes:02} left",
    "context": "context {percent}%",
    "between": " | ",
    "none": "n/a",
    "reading": "econome reads the transcripts for the first time",
    "no_index": "econome: no index yet, run econome once or see econome doctor",
    "failed": "econome: {reason}",
    "wrong": "econome: wrong options, see econome statusline --help",
}
"""Plain ASCII: nobody knows where the line is shown."""

COUNTS = {
    "files": ("file", "files"),
    "lines": ("line", "lines"),
    "calls": ("call", "calls"),
    "days": ("day", "days"),
    "duplicates": ("duplicate", "duplicates"),
    "delegations": ("delegation", "delegations"),
    "events": ("event", "events"),
    "answers": ("answer", "answers"),
    "faults": ("failure", "failures"),
    "requests": ("request", "requests"),
    "reports": ("report", "reports"),
    "conflicts": ("conflict", "conflicts"),
    "folded": ("repeated line was folded", "repeated lines were folded"),
    "replayed": ("replay left out", "replays left out"),
    "responses": ("response", "responses"),
    "sessions": ("session", "sessions"),
    "tokens": ("token", "tokens"),
    "servers": ("server", "servers"),
    "tools": ("tool", "tools"),
    "attempts": ("attempt", "attempts"),
    "unreadable": ("unreadable file", "unreadable files"),
    "malformed": ("damaged line", "damaged lines"),
    "rejected": ("line with an impossible counter", "lines with impossible counters"),
    "pending": ("unfinished line", "unfinished lines"),
    "undated": ("response without a time", "responses without a time"),
}
"""One and several of what is counted."""

READING = "Reading transcripts"

STATUSLINE_HELP = (
    "One line for the status line of Claude Code, from its JSON on standard input: what today, this session and this "
    "5-hour block cost, and how full the context is.\n\n"
    "It answers from the index and never waits: an index that has grown old is brought up to date in the background. It "
    "always exits 0. To use it, put this into ~/.claude/settings.json:\n\n"
    '  "statusLine": {"type": "command", "command": "econome statusline"}'
)
