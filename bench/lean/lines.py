"""A client of MCP over standard input and output that adds nothing: a line out, a line in, and the time between."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

__all__ = ["CLIENT", "PROTOCOL", "Gone", "Line"]

CLIENT = "claude-code"
"""The name the bench gives itself: the client whose way of showing answers the baseline is."""

PROTOCOL = "2025-11-25"
_PATIENCE_S = 90.0
_ENDING_S = 5.0


class Gone(Exception):
    """The process ended, or was ended for taking too long, before it answered."""


class Line:
    """One session with the server that a command starts; a context that ends its whole process group."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        client: str = CLIENT,
    ) -> None:
        self._command, self._environment, self._folder = command, environment, folder
        self._client = client
        self._last = 0
        self.notices: list[str] = []
        """The methods of what the server said unasked."""

    def __enter__(self) -> Self:
        self._log = (self._folder / "stderr.log").open("ab")
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=dict(self._environment),
            cwd=self._folder,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._out: IO[bytes] = self._process.stdin
        self._in: IO[bytes] = self._process.stdout
        try:
            info = {"name": self._client, "version": "1.0"}
            given = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": info}
            self.request("initialize", given)
            self._say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        self._out.close()
        try:
            self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            self._kill()
            self._process.wait()
        self._in.close()
        self._log.close()

    def _kill(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            self._process.kill()

    def _say(self, message: Mapping[str, Any]) -> None:
        self._out.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
        self._out.flush()

    def request(self, method: str, params: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
        """Ask; return the response and the nanoseconds it took, reading it not included.

        Raises:
            Gone: there was no response.
        """
        self._last += 1
        asked = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        line = json.dumps(asked, ensure_ascii=False).encode() + b"\n"
        watch = threading.Timer(_PATIENCE_S, self._kill)
        watch.start()
        try:
            begun = time.perf_counter_ns()
            self._out.write(line)
            self._out.flush()
            while heard := self._in.readline():
                taken = time.perf_counter_ns() - begun
                message = json.loads(heard)
                if "method" not in message and message.get("id") == self._last:
                    return message, taken
                self._hear(message)
        except BrokenPipeError:
            pass
        finally:
            watch.cancel()
        raise Gone(f"{' '.join(self._command[:6])} … gave no answer to {method}")

    def _hear(self, message: Mapping[str, Any]) -> None:
        if "method" not in message:
            return
        self.notices.append(message["method"])
        if "id" in message:
            error = {"code": -32601, "message": "this client offers nothing"}
            self._say({"jsonrpc": "2.0", "id": message["id"], "error": error})

    def tools(self) -> list[dict[str, Any]]:
        """Return the whole menu, page by page."""
        found: list[dict[str, Any]] = []
        params: dict[str, Any] = {}
        while True:
            result = self.request("tools/list", params)[0]["result"]
            found += result["tools"]
            if not result.get("nextCursor"):
                return found
            params = {"cursor": result["nextCursor"]}

    def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
        """Return the result of a call and the nanoseconds it took; an error of the protocol stands as one of the tool."""
        message, taken = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in message:
            text = f"{message['error'].get('message')}"
            return {"content": [{"type": "text", "text": text}], "isError": True}, taken
        result: dict[str, Any] = message["result"]
        return result, taken
