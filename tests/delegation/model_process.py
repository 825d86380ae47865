"""A stand-in for the embedded model's process: it speaks as that one does, and goes wrong in the way it is told to."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

__all__ = ["OVERFLOW", "command", "main"]

OVERFLOW = {
    "error": {
        "code": 400,
        "message": "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 9000,
        "n_ctx": 8192,
    }
}
"""What llama.cpp says of a prompt that is longer than its context."""


def command(way: str) -> list[str]:
    """Return the command that runs a stand-in: one that `answers`, or whose name says what it does instead."""
    return [sys.executable, str(Path(__file__).resolve()), way]


def main(way: str) -> None:
    """Answer a prompt with who answers it; *way* is what goes wrong."""
    asked = json.loads(sys.stdin.readline())
    if way == "crashes":
        sys.exit(3)
    if way == "hangs":
        threading.Event().wait()
    if way == "babbles":
        print("loading model ...", flush=True)
        return
    if way == "refuses":
        print(json.dumps({"error": "it is no model"}), flush=True)
        return
    _serve(asked, way)


def _serve(asked: dict[str, str], way: str) -> None:
    from tests.delegation.openai_server import Failure, Reply, scripted

    def reply(body: dict[str, object]) -> Reply | Failure:
        if "too long" in str(body["messages"]):
            return Failure(400, json.dumps(OVERFLOW).encode())
        if "slowly" in str(body["messages"]):
            return Reply("some", threading.Event(), "more")
        if "who left" in str(body["messages"]):
            server.wait_for_hang_ups()
            return Reply(f"{server.hung_up} left")
        named = server.headers[-1].get("Authorization") == f"Bearer {asked['key']}"
        return Reply(f"{os.getpid()} {named} {body['model']} {body['max_tokens']}")

    with scripted(reply) as server:
        print(json.dumps({"url": server.url.removesuffix("/v1")}), flush=True)
        sys.stdin.read()
        if way == "is deaf":
            threading.Event().wait()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    main(sys.argv[1])
