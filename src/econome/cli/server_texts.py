"""What the commands of the server and its ledger say: `serve`, `open`, `token` and `events`."""

from __future__ import annotations

__all__ = ["EVENTS", "OPEN", "SERVE", "SERVER_OPTIONS", "SUBCOMMANDS", "TOKEN"]

SUBCOMMANDS = {
    "token show": "Print the token, and nothing else; it is made where there is none.",
    "token rotate": (
        "Replace the token. A running server takes the new one at once: the old one is refused, and browsers are logged "
        "out. Standard output stays empty; `econome token show` prints the new one."
    ),
    "events import": (
        "Add the events of FILE to the ledger.\n\n"
        "FILE holds a batch as it is posted, or events one a line, or is another ledger's economies.jsonl; - is standard "
        "input. All of it is checked first: where one event breaks the contract, nothing is imported. The events go to "
        "the running server; without one they are written here. What is there already counts as a duplicate."
    ),
    "events tail": "Show the last events, one a line: when, what, whose, which request, how many tokens.",
}
"""What the commands below a command do."""

SERVER_OPTIONS = {
    "port": "Listen on this port instead of 8090 or that of the settings; 0 takes a free one.",
    "host": "Listen on this address; one that others can reach needs a certificate or a proxy.",
    "tls-cert": "The certificate, in PEM, with those that vouch for it.",
    "tls-key": "The key of the certificate, in PEM.",
    "behind-proxy": "A proxy in front speaks TLS and is reached by this name; no other Host is answered.",
    "print": "Print the link instead of opening a browser.",
    "count": "So many events; 10 without it.",
    "follow": "Wait for more, until Ctrl-C.",
    "raw": "Print the lines as they are stored.",
}

SERVE = {
    "serves": "econome serves {url}",
    "token": "The token lies in {path}; econome token show prints it.",
    "claude": "For Claude Code:",
    "end": "econome open shows its pages in a browser. Ctrl-C ends it.",
    "half_tls": "--tls-cert and --tls-key: give both",
}

OPEN = {
    "opened": "Opened in the browser.",
    "no_browser": "No browser could be opened. This link works once, within a minute:",
}

TOKEN = {
    "rotated": "{path} holds a new token. Clients that keep the old one are refused; econome token show prints the new one.",
    "claude": "For Claude Code:",
}

EVENTS = {
    "imported": "{received} received, {duplicates}, {conflicts}.",
    "none": "No event yet in {path}.",
    "damaged": "(damaged line)",
    "avoided": "avoided {tokens}",
    "cost": "cost {tokens}",
    "more": "{request} +{count}",
}
