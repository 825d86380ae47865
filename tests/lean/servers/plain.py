"""A small MCP server over standard input and output, of the standard library alone, that does as its tools are told.

Arguments: `--trace FILE` writes every line that comes in to a file; `--pages` lists one tool a page; `--deaf` takes no
notice of the end of its input nor of SIGTERM; `--mute` ends before it answers anything.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NUMBER = {"type": "object", "properties": {"count": {"type": "integer", "minimum": 0}}}
NOTHING = {"type": "object", "properties": {}}

TOOLS: list[dict[str, Any]] = [
    {"name": "echo", "title": "Echo", "description": "Say a text again.", "inputSchema": TEXT},
    {"name": "rows", "description": "So many rows of made-up people.", "inputSchema": NUMBER},
    {"name": "big", "description": "A text of so many bytes.", "inputSchema": NUMBER},
    {"name": "die", "description": "End at once with status 3.", "inputSchema": NOTHING},
    {"name": "wait", "description": "Never answer.", "inputSchema": NOTHING},
    {"name": "child", "description": "Start a process that outlives this one.", "inputSchema": NOTHING},
    {"name": "pid", "description": "This process's id.", "inputSchema": NOTHING},
    {"name": "ask", "description": "Ask the client for its roots.", "inputSchema": NOTHING},
]  # fmt: skip


def send(message: object) -> None:
    sys.stdout.buffer.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
    sys.stdout.buffer.flush()


def answer(identity: object, result: object) -> None:
    send({"jsonrpc": "2.0", "id": identity, "result": result})


def text(identity: object, said: str) -> None:
    answer(identity, {"content": [{"type": "text", "text": said}]})


def call(identity: object, name: str, arguments: dict[str, Any]) -> None:
    count = arguments.get("count", 3)
    if name == "echo":
        text(identity, arguments["text"])
    elif name == "rows":
        rows = [
            {"id": n, "name": f"person {n}", "city": "Lyon", "age": 20 + n} for n in range(count)
        ]
        text(identity, json.dumps(rows, indent=2))
    elif name == "big":
        text(identity, "x" * count)
    elif name == "die":
        os._exit(3)
    elif name == "child":
        outlives = [sys.executable, "-c", "import time; time.sleep(600)"]
        child = subprocess.Popen(outlives, start_new_session=True, stdin=subprocess.DEVNULL)
        text(identity, str(child.pid))
    elif name == "pid":
        text(identity, str(os.getpid()))
    elif name == "ask":
        send({"jsonrpc": "2.0", "id": 0, "method": "roots/list"})
    elif name != "wait":
        fault = {"code": -32602, "message": f"Unknown tool: {name}"}
        send({"jsonrpc": "2.0", "id": identity, "error": fault})


def listed(identity: object, params: dict[str, Any], pages: bool) -> None:
    if not pages:
        answer(identity, {"tools": TOOLS})
        return
    at = int(params.get("cursor", "0"))
    more = {"nextCursor": str(at + 1)} if at + 1 < len(TOOLS) else {}
    answer(identity, {"tools": [TOOLS[at]], **more})


def main() -> None:
    words = sys.argv[1:]
    trace = open(words[words.index("--trace") + 1], "ab") if "--trace" in words else None  # noqa: SIM115
    if "--mute" in words:
        sys.exit(4)
    if "--deaf" in words:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        if trace is not None:
            trace.write(line)
            trace.flush()
        message = json.loads(line)
        identity, method = message.get("id"), message.get("method")
        params = message.get("params") or {}
        if method == "initialize":
            told = {"name": "plain", "version": "1"}
            answer(
                identity,
                {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {}},
                    "serverInfo": told,
                },
            )
        elif method == "tools/list":
            listed(identity, params, "--pages" in words)
        elif method == "tools/call":
            call(identity, params["name"], params.get("arguments") or {})
        elif method == "ping":
            answer(identity, {})
        elif method is not None and identity is not None:
            fault = {"code": -32601, "message": "Method not found"}
            send({"jsonrpc": "2.0", "id": identity, "error": fault})
    while "--deaf" in words:
        signal.pause()


if __name__ == "__main__":
    main()
