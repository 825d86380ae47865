"""What `econome profile` says, on a terminal and in its report."""

from __future__ import annotations

__all__ = [
    "BASES",
    "PAGE",
    "PER",
    "PROFILE",
    "PROFILE_COLUMNS",
    "PROFILE_HELP",
    "PROFILE_OPTIONS",
    "PROFILE_PLACE",
    "STEPS",
]

PROFILE_HELP = (
    "What MCP servers cost: their menus in every turn, their answers, and what would make both cheaper.\n\n"
    "What starts a server stands behind `--`, its address behind --url; --config looks at all servers of a client's "
    "configuration. --log and --transcripts add what answers really weighed, and do without a server too.\n\n"
    "    econome profile -- npx -y @modelcontextprotocol/server-github\n\n"
    "No tool is called, and nobody is asked but the servers that are named. See docs/profile.md."
)

PROFILE_OPTIONS = {
    "log": "Weigh the answers of this recording of the server's traffic: JSON-RPC messages, one a line.",
    "transcripts": "Weigh the answers that this user's transcripts of Claude Code hold, by their sizes alone.",
    "root": "With --transcripts: read this directory instead of the usual ones; may be given several times.",
    "limit": "Show so many rows of a table, the worst first.",
    "data-dir": "With --transcripts: remember what was read in this directory instead of the usual one.",
    "html": "Write a report with drawings to this file, which needs nothing else.",
    "json": "Print JSON, see docs/json.md.",
}

PROFILE_PLACE = {
    "kept": "it is no report of econome and is left as it is; name another file",
    "no_file": "it is no plain file",
    "written": "The report is in {path}.",
}

STEPS = {
    "group": "Group the tools",
    "select": "Let the model select fields",
    "limit": "Limit the rows of answers",
    "table": "Write actions as a table",
    "encode": "Write answers as tables",
    "compact": "Show short texts first",
    "lock": "Keep what was gained",
}

PER = {"turn": "a turn", "answer": "an answer"}

BASES = {"counted": "counted", "measured": "measured", "estimated": "estimated"}

PROFILE = {
    "behind": "put what starts the server behind --, and options of econome before it: econome profile {words}",
    "with_transcripts": "--{name} goes with --transcripts",
    "html_file": "--html writes a file: give it a name; standard output has the report for the terminal, or --json",
    "root_above": "{root}: no transcripts below; a root is the directory that holds `projects`: give {above}",
    "which": "give what starts the server behind --, or --url, --config, --log or --transcripts",
    "log_of_one": "--log goes with one server: a recording does not say which of a configuration it is of",
    "heading": "{server}: {tokens} tokens in every turn, for {tools}",
    "heading_none": "{server}: it lists no tools",
    "heading_unlisted": "{server}: the recording holds no list of its tools",
    "deferred": "Where a client searches for tools: {names} a turn for names, and {found}.",
    "found_alone": "{cost} once it is found",
    "found_each": "{cost} for each one found",
    "found_range": "{least} to {most} for each one found",
    "instructions": "And {tokens} for the server's instructions, once.",
    "library": "It shows {tokens} tokens of the {declared} that its tools have one by one.",
    "estimate": "Estimated with {tokenizer}, which is no provider's count.",
    "count": "Counted with {tokenizer}.",
    "unknown": "n/a: no output schema says what these answer; --log or --transcripts tells what it weighed.",
    "all_unknown": "No output schema says what they answer; --log or --transcripts tells what it weighed.",
    "from_to": "{what}: {before} → {after}",
    "more": "and {count} more: {tokens}; --limit shows them",
    "more_brief": "and {count} more: {tokens}",
    "more_rows": "and {count} more; --limit shows them",
    "step_unknown": "n/a in step {order}: {told}.",
    "best": "A step shows its best row, and how many more it has: see --html or --json.",
    "saves": "−{tokens} {per}",
    "costs": "costs {tokens} {per}",
    "saves_nothing": "0 {per}",
    "more_html": "and {count} more, see --html or --json",
    "tools": "Tools, the worst first",
    "namespaces": "Namespaces",
    "steps": "What would make it cheaper, in the order in which to go about it",
    "answers": "Answers as recorded, in tokens",
    "no_answers": "The recording holds no calls.",
    "transcripts": "Answers in transcripts, in characters; tokens are a guess by {method}",
    "no_transcripts": "No transcript holds a call of its tools; Claude Code knows the server by the name that --name gives.",
    "never": "Never called: {tools} of {all}, {tokens} tokens in every turn: {names}",
    "budget": "Budgets",
    "over": "Over its budget: {what} has {tokens} tokens, {ceiling} are allowed.",
    "over_warn": "Over a ceiling that only warns: {what} has {tokens} tokens, {ceiling} are meant.",
    "over_estimated": "May be over its budget: an answer of {what} can have {tokens} tokens by its schema, {ceiling} are meant.",
    "unmatched": "Its budget names {what}, which it does not have.",
    "texts": "What its texts say to a model besides",
    "advice": "Advice",
    "omitted": "Left out: {told}.",
    "omitted_more": "Left out: {told}; and {count} more, see --json.",
    "away": "{server} could not be asked: {reason}",
    "all_away": "None of the servers could be asked.",
    "brief": "Profile a server by itself to see all of its tools, and advice.",
    "left_out": "{server} was left out: {reason}",
    "overview": "{servers}: {tokens} tokens in every turn",
    "weighed": "Answers of MCP tools in {sessions}, the heaviest first",
    "weighed_none": "No transcript holds a call of an MCP tool.",
    "weighed_read": "Read {lines} of {files}. Characters are what transcripts hold; tokens are a guess by {method}, which is no count.",
    "weighed_unnamed": "Left out: {calls} by names of MCP tools that tell no server and tool.",
    "weighed_odd": "Left out: {calls} by names with odd signs, of which nothing is kept; some may be of MCP tools.",
    "next": "Next",
    "next_see": "shows the menu in each form",
    "next_install": "sends it through the proxy",
    "next_lock": "keeps what is promised now",
    "instruction-introduced": "tells the model what to do",
    "url-introduced": "names an address",
    "tool-named": "names another tool",
    "hidden-text": "holds what nobody sees",
}

PROFILE_COLUMNS = {
    "server": "server",
    "tool": "tool",
    "namespace": "namespace",
    "tools": "tools",
    "tokens": "tokens",
    "deferred": "deferred",
    "share": "share",
    "class": "class",
    "reason": "why",
    "step": "",
    "what": "what",
    "before": "before",
    "after": "after",
    "saves": "saves",
    "basis": "how",
    "more": "more",
    "calls": "calls",
    "failed": "failed",
    "unanswered": "unanswered",
    "p50": "p50",
    "p95": "p95",
    "max": "max",
    "total": "total",
    "guess": "tokens p50",
    "last": "last",
    "name": "name",
    "description": "description",
    "schema": "schema",
    "form": "form",
    "note": "note",
    "sessions": "sessions",
    "kind": "kind",
}

PAGE = {
    "title": "What {server} costs",
    "title_all": "What {servers} cost",
    "headline": "tokens in every turn, for {tools}",
    "servers_desc": "Tokens of each server's menu in a turn; the same figures are in the table.",
    "menu": "The menu",
    "bars": "Tokens of each tool in a turn, by name, description and schema",
    "bars_desc": "{shown} of {all}, as in the table; the longest is {most}. The table of tools has the same figures.",
    "drawn": "The first {shown} of {all} tools.",
    "forms": "The menu in each form",
    "forms_desc": "Tokens in every turn; what is not had has no bar, and the table says why.",
    "flat_note": "nothing is lost",
    "grouped_note": "nothing is lost",
    "signatures_note": "nothing is lost",
    "lean_note": "each text is looked up once it is wanted",
    "lazy_note": "each tool is searched for first",
    "untouched": "as it is",
    "answers_desc": "Half of the answers are within p50, 95 in a hundred within p95, all within max.",
    "to_p50": "up to p50",
    "to_p95": "from there to p95",
    "to_max": "from there to max",
    "in_turn": "tokens in a turn",
    "in_answer": "p50 {p50} · p95 {p95} · max {max}",
    "all_kinds": "all",
    "left": "Not in these figures",
    "more": "and {count} more; econome profile --json has them",
    "made": "Made by econome {version}. It holds figures, and names and texts that servers list themselves; nothing of any answer.",
}
