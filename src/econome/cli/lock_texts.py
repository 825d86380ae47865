"""What `econome lock` says, on the terminal and in every report that it writes."""

from __future__ import annotations

__all__ = [
    "BUDGET_RULES",
    "LEVELS",
    "LOCK",
    "LOCK_COMMANDS",
    "LOCK_HELP",
    "LOCK_OPTIONS",
    "MARKDOWN",
]

LOCK_HELP = (
    "Keep what MCP servers promise in a file, and say later what changed and whether old calls still succeed.\n\n"
    "What starts the server stands behind `--`; --url reaches one at an address, --config takes all of a client's "
    "configuration. The lock holds tools, prompts, resources and texts with their tokens, and nothing that differs from run "
    "to run.\n\n"
    "    econome lock -- npx -y @modelcontextprotocol/server-memory\n\n"
    "    econome lock --check -- npx -y @modelcontextprotocol/server-memory\n\n"
    "The exit code of --check is 0 where nothing changed, 1 where something did, 2 where that could not be checked, see "
    "docs/lock.md."
)

LOCK_COMMANDS = {
    "diff": "Compare two lockfiles; no server is started or reached.",
    "explain": "What the lock holds of one tool, and what it costs.",
}

LOCK_OPTIONS = {
    "check": "Compare with the lock and change nothing: exit 0 same, 1 changed, 2 not checked.",
    "lock": "The lockfile; econome.lock by default.",
    "fail-on": "Exit 1 from this severity on; by default any difference counts.",
    "format": "What is printed, or written by every --output; text by default.",
    "output": "Write the report here and a text to the terminal; .sarif, .md, .json and .txt say the form. May be repeated.",
    "json": "The same as --format json, see docs/json.md.",
    "sign": "Sign the lock with this key of ssh, once it is written.",
    "signers": "Check first that the lock is signed by one of this file, as ssh-keygen has it.",
    "signer": "With --signers: who must have signed.",
    "server": "The tool of this server, where several have one of the name.",
    "explain-json": "Print JSON, see docs/json.md.",
}

LOCK = {
    "stray": "put what starts the server behind --, and options before it: econome lock {words}",
    "alone": "options before {name} do not go with it; write them behind it",
    "only_check": "{option} goes with --check",
    "only_write": "{option} does not go with --check",
    "signer": "--signer goes with --signers",
    "form": "without --check there is text or JSON, no {form}",
    "ending": "{path}: no form of a report ends so; give .sarif, .md, .json or .txt, or --format",
    "two_forms": "--json and --format {form} do not go together",
    "twice": "{path} is named twice",
    "unwritable": "cannot be written: {reason}",
    "tokenizer": "the lock counts by {held}; lock all servers anew with --config, or write another --lock, to count by {asked}",
    "not_held": "no server {name} is locked here, but {held}; --name says which one it is",
    "none_held": "no server is locked here; lock one first with econome lock -- COMMAND",
    "left_out": "{name} is locked and cannot be looked at: {reason}",
    "no_source": "{path} names no server that can be looked at{why}",
    "no_source_of": "{name}: {reason}",
    "dropped": "{config}: {name} is locked and cannot be locked anew: {reason}; nothing was written. See to that, or take its entry out of the configuration",
    "over_input": "{path}: a report would be written over {other}, which is read here; name another file",
    "stray_budget": "[budgets.{name}] holds nothing: no server of this name is locked or was looked at{near}.",
    "near": "; there is {name}",
    "line_twice": "econome_servers has two lines for {name}; leave one of them",
    "tokenizers": "it counts tokens by {other} and the first by {one}; lock one of them anew",
    "no_line": "{path} locks {name}, and econome_servers has no line for it: {name} = COMMAND",
    "odd_line": "econome_servers: {name}: {reason}",
    "unreadable": "Left out, of {server}: {reason}.",
    "both_dash": "only one of the two can be standard input",
    "standard_input": "standard input",
    "written": "{path} is written: {servers}.",
    "same": "{path} holds this already: {servers}.",
    "signed": "{path} is signed.",
    "row_name": "server",
    "row_tools": "tools",
    "row_tokens": "tokens",
    "row_class": "answers",
    "others": "{servers} in it stay as they were.",
    "skipped": "Not looked at: {name}, {reason}.",
    "method": "Tokens are counted with {tokenizer}{estimate}.",
    "estimate": ", an estimate and no provider's count",
    "seen": "Read before you trust it, in {subject} of {server}: {what}",
    "unnamed": "the instructions",
    "instruction-introduced": "it tells the model what to do: “{what}”",
    "url-introduced": "it names the address {what}",
    "tool-named": "it names the tool {what}",
    "hidden-text": "it holds characters that nobody sees: {what}",
    "commit": "Commit it, and check it with {command}",
    "holds": "{path} holds: {servers} as locked, {tools}, {tokens} tokens a turn.",
    "holds_unchecked": "Not compared: {names}.",
    "drift": "{path} does not hold: {counts}.",
    "passes": "{path}: {counts}, none of which counts with --fail-on {fail_on}.",
    "over_only": "{path} holds, but a budget does not.",
    "count": "{count} {severity}",
    "budgets": "budgets",
    "was": "was",
    "now": "now",
    "refused": "refused now",
    "accepted": "accepted now",
    "unsure": "may be refused now",
    "shows": "shown by",
    "regression": "regression",
    "tokens": "{old} → {new} tokens",
    "token_count": "{count} tokens",
    "tokens_new": "{count} tokens, new",
    "tokens_gone": "{count} tokens, gone",
    "menu": "The menu of {server}: {old} → {new} tokens a turn ({change}).",
    "menu_new": "The menu of {server}: {new} tokens a turn.",
    "menu_gone": "The menu of {server}: {old} tokens a turn, gone now.",
    "accept": "To accept this: {command}",
    "over_fail": "Over the budget: {what} of {server} takes {tokens} tokens, {ceiling} at most.",
    "over_warn": "Over what is warned of: {what} of {server} takes {tokens} tokens, {ceiling} at most.",
    "over_estimate": "{what} of {server} may take {tokens} tokens by its output schema, {ceiling} are warned of.",
    "over_nothing": "A ceiling of {ceiling} tokens is for {what} of {server}, which there is not.",
    "scope_server": "the menu",
    "scope_namespace": "namespace {name}",
    "scope_tool": "tool {name}",
    "scope_answer": "an answer of {name}",
    "to_file": "The report is in {path}.",
    "left": "and {count} more",
    "crashed": "the check broke off with a fault of econome's own, and nothing was compared",
    "no_tool": "{path}: no tool {name} is locked{of}{like}",
    "of_server": " of {server}",
    "like": "; there is {tools}",
    "which_server": "{name} is a tool of {servers}; say which with --server",
    "explain_of": "{tool}, a tool of {server}",
    "explain_tokens": "{tokens} tokens a turn in the menu, {share} of the {menu} of {server}",
    "explain_declared": "{tokens} tokens as it is declared; the menu of {server}, which shows it otherwise, has {menu}",
    "explain_short": "{tokens} with its short text",
    "explain_class": "answers: {name}; {reason}",
    "explain_namespace": "namespace: {namespace}",
    "explain_call": "call",
    "explain_text": "text",
    "explain_output": "answers with",
    "explain_hints": "hints",
    "explain_economy": "limits and economies",
    "explain_budget": "budget: {ceiling} tokens",
    "explain_warn": "warned of above {ceiling} tokens",
}

BUDGET_RULES = {
    "budget-exceeded": "A budget does not hold: a menu, a namespace or a tool takes more tokens than it may.",
    "budget-warning": "A menu, a namespace or a tool takes more tokens than is warned of.",
}
"""What SARIF calls budgets that do not hold, beside the kinds of differences."""

LEVELS = {"BREAKING": "error", "RISKY": "warning", "SAFE": "note", "COSMETIC": "note"}
"""The level in SARIF of each severity."""

MARKDOWN = {
    "holds": "### MCP lock: nothing changed",
    "drift": "### MCP lock: {counts}",
    "file": "`econome lock` on {path}.",
    "head": "| severity | kind | server | what | tokens | reason |",
    "rule": "| --- | --- | --- | --- | --- | --- |",
    "servers": "| server | tokens a turn, locked | now |",
    "servers_rule": "| --- | ---: | ---: |",
    "budgets": "**Budgets**",
    "witness": "What shows it: {name}",
    "regression": " (regression)",
    "left_budgets": "{count} more are left out here, since a comment is limited to 65,536 characters.",
    "left_out": "{count} of these findings and what shows them are left out here, since a comment is limited to 65,536 characters.",
    "left_shown": "What shows {count} of these findings is left out here, since a comment is limited to 65,536 characters.",
    "accept": "To accept this, run `econome lock` again and commit the lock.",
}
