"""A small MCP server over standard input and output that speaks protocol 2026-07-28 alone, of the standard library.

What it is told is what it says: `told` answers with the whole line that came in; `hold` answers once `let_go` was called;
`progress` tells of its progress first; `ask` asks the client something, which this protocol forbids; `die` ends at once.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

NOTHING = {"type": "object", "properties": {}}
REGION = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
NAMES = ("told", "hold", "let_go", "progress", "ask", "die")
TOOLS: list[dict[str, Any]] = [
    *({"name": name, "description": f"{name}.", "inputSchema": NOTHING} for name in NAMES),
    {"name": "where", "description": "A place.", "inputSchema": REGION},
]

held: list[object] = []
asked: list[object] = []
listening: list[object] = []


def send(**message: object) -> None:
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    sys.stdout.buffer.flush()


def text(identity: object, said: str) -> None:
    result = {"resultType": "complete", "content": [{"type": "text", "text": said}]}
    send(id=identity, result=result)


def call(identity: object, params: dict[str, Any], line: str) -> None:
    name, token = params["name"], params["_meta"].get("progressToken")
    if name == "hold":
        held.append(identity)
        return
    if name == "die":
        os._exit(3)
    if name == "ask":
        asked.append(identity)
        send(id="q", method="roots/list")
        return
    if name == "let_go":
        for one in held:
            text(one, "let go")
        held.clear()
    if name == "progress" and token is not None:
        send(method="notifications/progress", params={"progressToken": token, "progress": 1})
    text(identity, line)


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        identity, method, params = (
            message.get("id"),
            message.get("method"),
            message.get("params", {}),
        )
        if method == "server/discover":
            told = {"name": "alone", "version": "1"}
            found = {"resultType": "complete", "supportedVersions": ["2026-07-28"]}
            send(id=identity, result={**found, "capabilities": {"tools": {}}, "serverInfo": told})
        elif method == "tools/list":
            send(id=identity, result={"resultType": "complete", "tools": TOOLS})
        elif method == "tools/call":
            call(identity, params, line.strip())
        elif method == "subscriptions/listen":
            listening.append(identity)
            about = {"_meta": {"io.modelcontextprotocol/subscriptionId": identity}}
            send(method="notifications/tools/list_changed", params=about)
        elif method == "notifications/cancelled":
            held.clear()
            for one in listening:
                send(id=one, result={"resultType": "complete"})
        elif method is None:
            text(asked.pop(), line.strip())
        elif identity is not None:
            send(id=identity, error={"code": -32601, "message": "Method not found"})


if __name__ == "__main__":
    main()
