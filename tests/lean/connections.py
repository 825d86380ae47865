"""A proxy over pipes, spoken to line by line; and an exchange without any of that."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from econome.lean.kept import Kept
from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.moves import Move, ToClient, ToServer
from econome.lean.proxy.shared import Due, Lean
from econome.lean.records import Record
from econome.lean.rules import ServerRules, ToolRules
from econome.tokenizers import tokenizer

__all__ = ["PATIENCE_S", "PLAIN", "Session", "exchange", "proxied", "rpc", "shown", "tool"]

PLAIN = [sys.executable, str(Path(__file__).parent / "servers" / "plain.py")]
PATIENCE_S = 30.0


def rpc(identity: object, method: str, params: object = None) -> bytes:
    """Return a request, or a notification where the id is None."""
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    message |= {} if identity is None else {"id": identity}
    message |= {"method": method} | ({} if params is None else {"params": params})
    return json.dumps(message).encode()


def tool(name: str, **fields: str) -> dict[str, Any]:
    """Return a tool whose fields, all required, are of these types."""
    properties = {field: {"type": kind} for field, kind in fields.items()}
    schema = {"type": "object", "properties": properties, "required": list(fields)}
    return {
        "name": name,
        "description": f"What {name} does, told at some length.",
        "inputSchema": schema,
    }


def exchange(
    *,
    client: str = "claude-code",
    menu: str | None = None,
    passing: bool = False,
    limit: int | None = None,
    select: bool = False,
    rules: ServerRules | None = None,
    conversation: str | None = None,
    records: list[Record] | None = None,
) -> Exchange:
    """Return an exchange of its own with a client that has introduced itself; records are made at once."""
    count = tokenizer("features-v1").count
    made = iter(range(1000))

    def record(due: Due, held_bytes: int) -> None:
        assert held_bytes >= 0
        if records is not None:
            records.append(due())

    lean = Lean(
        name="shop",
        count=count,
        measure=count,
        tokenizer="features-v1",
        ticks=iter(range(0, 10**9, 1000)).__next__,
        record=record,
        rules=rules or ServerRules(usual=ToolRules(limit=limit, select=select or None)),
        kept=Kept(lambda: 0.0, lambda: f"{next(made):032x}"),
        form=menu,
        passing=passing,
    )
    found = Exchange(lean, conversation=conversation)
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": client}}
    found.client_said(rpc("hello", "initialize", about))
    found.server_said(b'{"jsonrpc":"2.0","id":"hello","result":{}}')
    return found


def shown(moves: list[Move]) -> list[tuple[str, bytes]]:
    """Return moves as where they go and what they say."""
    ways = {ToClient: "client", ToServer: "server"}
    return [(ways[type(move)], move.message) for move in moves]


def proxied(*words: str) -> list[str]:
    """Return the command of a proxy with these words behind `econome proxy`."""
    return [sys.executable, "-m", "econome", "proxy", *words]


class Session:
    """A process that speaks MCP over pipes; use it as a context."""

    def __init__(self, command: list[str], **more: Any) -> None:
        self._command, self._more = command, more
        self.others: list[dict[str, Any]] = []

    def __enter__(self) -> Session:
        self.process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **self._more,
        )
        self._held = b""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def say(self, message: bytes) -> None:
        """Send a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(message + b"\n")
        self.process.stdin.flush()

    def line(self) -> bytes:
        """Return the next line; empty at the end."""
        assert self.process.stdout is not None
        until = time.monotonic() + PATIENCE_S
        while b"\n" not in self._held:
            ready, _, _ = select.select([self.process.stdout], [], [], until - time.monotonic())
            assert ready, "no line within the patience of the test"
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                return b""
            self._held += piece
        line, _, self._held = self._held.partition(b"\n")
        return line

    def ask(self, identity: object, method: str, params: object = None) -> dict[str, Any]:
        """Send a request; return its answer. What else comes is kept in `others`."""
        self.say(rpc(identity, method, params))
        return self.answer(identity)

    def answer(self, identity: object) -> dict[str, Any]:
        """Return the answer to a request."""
        while True:
            line = self.line()
            assert line, "the connection ended"
            message: dict[str, Any] = json.loads(line)
            if "method" not in message and message.get("id") == identity:
                return message
            self.others.append(message)

    def greet(self, client: str = "claude-code") -> Session:
        """Begin as a client of that name does."""
        about = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": client, "version": "1"},
        }
        self.ask("hello", "initialize", about)
        self.say(rpc(None, "notifications/initialized"))
        return self

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool; return its result."""
        answer = self.ask("call", "tools/call", {"name": tool, "arguments": arguments})
        result: dict[str, Any] = answer["result"]
        return result

    def text(self, tool: str, **arguments: object) -> str:
        """Call a tool; return its first text."""
        text: str = self.call(tool, **arguments)["content"][0]["text"]
        return text
