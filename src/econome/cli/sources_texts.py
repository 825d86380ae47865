"""What is said of servers that a command is to look at: `econome profile` and `econome lock`."""

from __future__ import annotations

__all__ = ["SOURCES", "SOURCE_OPTIONS"]

SOURCE_OPTIONS = {
    "name": "What the server is called; by default it is taken from its command or its address.",
    "url": "The server's address, for one that is reached over HTTP.",
    "config": "All servers of this configuration of an MCP client.",
    "yes": "Do not ask: the commands of a configuration that may be somebody else's are as they should be.",
    "rules": "Take limits, budgets and headers of requests from this file of rules, see docs/proxy.md.",
    "tokenizer": "Count tokens so: features-v1, o200k, claude and others, see docs/proxy.md.",
}

SOURCES = {
    "which": "give what starts the server behind --, or --url, or --config",
    "one": "give one of these: what starts the server behind --, --url, --config",
    "unnamed": "--name goes with one server; those of a configuration have their names in it",
    "once": "--{name} is given once",
    "foreign": "{path} may have been written by others. It would have these started or reached:",
    "entry": "  {name}: {told}",
    "question": "Are these as they should be?",
    "unconfirmed": "nothing was started or reached: read what is listed above, and then add --yes",
    "declined": "nothing was started or reached, since it was not confirmed",
}
