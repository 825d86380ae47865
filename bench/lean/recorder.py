"""A server that lists a given menu and notes every call it gets: `python recorder.py MENU.json LOG`.

Run as a file, by any Python. Each line of the log is the `params` of a call, as they came.
"""

from __future__ import annotations

import json
import sys
from typing import Any

__all__ = ["main"]


def _answer(
    method: str, params: dict[str, Any], menu: list[Any], log: str
) -> dict[str, Any] | None:
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "recorder", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": menu}
    if method == "tools/call":
        with open(log, "a", encoding="utf-8") as notes:
            notes.write(json.dumps(params) + "\n")
        return {"content": [{"type": "text", "text": "noted"}]}
    return {} if method == "ping" else None


def main() -> None:
    """Answer until the client is gone."""
    with open(sys.argv[1], encoding="utf-8") as file:
        menu = json.load(file)
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        if "id" not in asked or "method" not in asked:
            continue
        result = _answer(asked["method"], asked.get("params", {}), menu, sys.argv[2])
        said: dict[str, Any] = {"jsonrpc": "2.0", "id": asked["id"]}
        if result is None:
            said["error"] = {"code": -32601, "message": f"no {asked['method']} here"}
        else:
            said["result"] = result
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
