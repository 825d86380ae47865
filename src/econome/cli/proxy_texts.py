"""What `econome proxy` says."""

from __future__ import annotations

__all__ = ["PROXY", "PROXY_COMMANDS", "PROXY_HELP", "PROXY_OPTIONS", "TRIAL"]

PROXY_HELP = (
    "Stand between an MCP client and its server, and make what the model reads cheaper.\n\n"
    "What starts the server stands behind `--`, or its address behind --url. As it stands nothing is lost: the menu and the "
    "answers say the same in fewer tokens. What is cut, and only what is asked to be, can be asked for.\n\n"
    "    econome proxy -- npx -y @modelcontextprotocol/server-github\n\n"
    "Rules for each server, tool and client stand in econome.toml in the directory of the settings, see docs/proxy.md."
)

PROXY_OPTIONS = {
    "name": "What the server is called in rules, the ledger and the menu; by default it is taken from its command.",
    "menu": "The form of the menu: the cheapest that loses nothing is auto; untouched leaves it as it is.",
    "limit": "Cut a list in an answer, though not one in plain text, after so many rows, and say how the rest is asked for.",
    "max-bytes": "Cut an answer above so many bytes, by whole rows.",
    "select": "Let the model name the fields that it wants.",
    "pass": "Change nothing; only measure.",
    "client": "Answer as if the client called itself so.",
    "tokenizer": "Count tokens so: features-v1, o200k, claude and others, see docs/proxy.md.",
    "rules": "Read the rules from this file instead.",
    "url": "The server's address, for one that is reached over HTTP.",
    "listen": "Serve HTTP here on this machine, instead of standard input and output.",
    "data-dir": "Where the ledger lies, instead of the usual directory.",
    "dry-run": "Print what the menu costs before and after, tool by tool and in each form, and end.",
    "text": "With --dry-run: print the menu itself too, before and after.",
    "json": "With --dry-run: print JSON, see docs/json.md.",
}

PROXY_COMMANDS = {
    "install": "Send a server of a client through the proxy.",
    "uninstall": "Give a client's server back as it was.",
    "list": "The servers of the clients on this machine, and which go through the proxy.",
}

PROXY = {
    "which": "give --url, or what starts the server behind --",
    "both": "give either --url or what starts the server, not both",
    "behind": "put what starts the server behind --, and options of the proxy before it: econome proxy {words}",
    "dry": "--{name} goes with --dry-run",
    "no_variable": "the environment holds nothing under {variable}, which the rules want for the header {header}",
    "headers": "{variable}: expected a JSON object of headers and their values",
    "ready": (
        "The proxy listens on {url}; `econome token show` prints its token. "
        "Rules and the ledger call the server {name}; --name calls it otherwise."
    ),
    "alone": "options of the proxy do not go with {name}; write those of {name} behind it",
}

TRIAL = {
    "less": "{share} less",
    "same": "Nothing less",
    "more": "{share} more",
    "heading": "{conclusion}: {after} tokens instead of {before} for the menu of {server}, as {client} is shown it ({form})",
    "estimate": "Estimated with {tokenizer}, which is no provider's count.",
    "count": "Counted with {tokenizer}.",
    "name": "Rules and the ledger call this server {server}; --name calls it otherwise.",
    "others": "{file} has no table for {server}, but {tables}.",
    "stranger": "[servers.{server}.tools.{tool}] names no tool of this server{like}.",
    "like": "; there is {tool}",
    "asked": "Not in the form {asked}: {reason}.",
    "added": "What a limit cuts of an answer can be read on with {more}, which the menu has in addition.",
    "whole": (
        "{client} keeps structures, and nothing of one is cut: a note in a text beside it may never be read. "
        "With text = true under [clients.{client}] limits hold for all answers."
    ),
    "adds": "{tokens} tokens of this menu are for what the rules add to it.",
    "table": "Its actions stand in a table.",
    "prose": "Its actions stand in sentences, since a table would be longer.",
    "over": "Over the budget of {ceiling} tokens for this menu.",
    "within": "Within the budget of {ceiling} tokens for this menu.",
    "offered": "_select is offered for {tools}.",
    "withheld": "_select is not offered for {tools}: {reason}.",
    "tool": "tool",
    "before": "before",
    "after": "after",
    "saved": "less",
    "none": "-",
    "total": "total",
    "forms": "in the form",
    "tokens": "tokens",
    "why": "why not",
    "mark": " ←",
    "hint": "--text prints the menu itself, before and after.",
    "heading_before": "The menu before",
    "heading_after": "The menu after",
    "untold": "It is the same as before.",
    "flat": (
        "One tool for each: Claude Code keeps schemas behind its tool search, where each is paid for once it was found, unless "
        "ENABLE_TOOL_SEARCH=false. Other clients that no policy names get this form as well. --menu auto takes the cheapest."
    ),
}
