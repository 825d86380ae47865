"""What `econome proxy install`, `uninstall` and `list` say."""

from __future__ import annotations

__all__ = ["CLIENTS", "INSTALL", "INSTALL_COLUMNS", "INSTALL_HELP", "INSTALL_OPTIONS", "STATES"]

CLIENTS = (
    "claude-code", "claude-code-local", "claude-desktop", "cursor", "vscode", "vscode-insiders",
    "claude-code-project", "cursor-project", "vscode-project", "file",
)  # fmt: skip
"""What clients are called here; an entry of Claude Code for one folder is `local`, those of a project's files are last."""

INSTALL_HELP = {
    "install": (
        "Send a server that Claude Code, Claude Desktop, Cursor or VS Code starts through the proxy.\n\n"
        "Only the bytes of its entry in the client's configuration are replaced; `econome proxy uninstall` puts them back. "
        "No server is started. What a project's files say is changed only with --project, and once its commands were "
        "shown and confirmed."
    ),
    "uninstall": (
        "Put the entry of a server back as it was, to the byte.\n\n"
        "An entry that was edited meanwhile is left as it is."
    ),
    "list": "The servers of the clients on this machine, and which of them go through the proxy.",
}

INSTALL_OPTIONS = {
    "all": "All entries that can go through the proxy.",
    "all-back": "All entries that go through the proxy.",
    "client": "Only the entries of this client.",
    "project": "The files of the project in this directory, not this user's own: .mcp.json, .cursor/mcp.json, .vscode/mcp.json.",
    "project-too": "Also the files of the project in this directory.",
    "config": "This configuration, not this user's own.",
    "yes": "Do not ask: the commands of a configuration that is not this user's own are as they should be.",
    "data-dir": "Keep the originals, and what the proxy measures, in this directory instead of the usual one.",
    "json": "Print JSON, see docs/json.md.",
}

INSTALL = {
    "installed": "{name} ({client}) goes through the proxy. Start the client anew; `{back}` gives it back.",
    "back": "{name} ({client}) is as it was. Start the client anew.",
    "back_already": "{name} ({client}) was as it should be already.",
    "alone": "{name} ({client}) is left alone: {reason}.",
    "already": "{name} ({client}) goes through the proxy already.",
    "odd": "{name} ({client}): {reason}.",
    "nothing": "No entry was found that could go through the proxy.",
    "nothing_new": "All that can go through the proxy does so already.",
    "nothing_back": "No entry goes through the proxy.",
    "which": "name an entry, or give --all",
    "one_way": "give names or --all, not both",
    "no_entry": "{name}: no entry{of} has this name; there are: {known}",
    "of_client": " of {client}",
    "no_names": "none",
    "no_original": "{name}: no entry of this name was sent through the proxy from here; `econome proxy list` shows them",
    "no_file": "{path}: no such file",
    "foreign": "{path} may have been written by others. Its client would start these through the proxy:",
    "foreign_link": "{path} is a link to {target}",
    "entry": "  {name}: {told}",
    "question": "Are these commands as they should be?",
    "unconfirmed": "nothing was changed: confirm the commands above with --yes",
    "none": "No client on this machine has a server. Looked for:",
    "fault": "Not read: {fault}",
    "failed": "{count} could not be changed",
}

INSTALL_COLUMNS = {
    "name": "server",
    "client": "client",
    "state": "proxy",
    "told": "starts or reaches",
}

STATES = {
    "direct": "no",
    "proxied": "yes",
    "changed": "edited since",
    "alone": "left alone",
    "gone": "entry gone",
}
