"""A client of MCP over HTTP that adds as little as it can: one kept connection to a proxy that listens on loopback."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench.lean.lines import CLIENT, PROTOCOL, Gone

__all__ = ["Post"]

_URL = re.compile(r"http://([^:/]+):(\d+)(/\S*[\w])")
_PATIENCE_S = 90.0
_ENDING_S = 10.0


class Post:
    """One session with what a listening proxy stands before; a context that starts and ends the proxy."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path, data: Path
    ) -> None:
        """*data* is the data directory of the proxy, where its token lies."""
        self._command, self._environment, self._folder = command, environment, folder
        self._data = data
        self._last = 0
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }

    def __enter__(self) -> Self:
        self._log = (self._folder / "stderr.log").open("ab")
        self._process = subprocess.Popen(
            self._command,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=dict(self._environment),
            cwd=self._folder,
            encoding="utf-8",
        )
        try:
            self._begin()
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

    def _begin(self) -> None:
        assert self._process.stdout is not None
        found = _URL.search(self._process.stdout.readline())
        if found is None:
            raise Gone("the proxy does not say where it listens")
        host, port, self._path = found.groups()
        words = [sys.executable, "-m", "econome", "token", "show", "--data-dir", str(self._data)]
        shown = subprocess.run(words, env=dict(self._environment), check=True, capture_output=True)
        self._headers["Authorization"] = f"Bearer {shown.stdout.decode().strip()}"
        self._connection = http.client.HTTPConnection(host, int(port), timeout=_PATIENCE_S)
        given = {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": CLIENT, "version": "1.0"},
        }
        self.request("initialize", given)
        self._headers["MCP-Protocol-Version"] = PROTOCOL
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()

    def _send(self, message: Mapping[str, Any]) -> tuple[bytes, int]:
        body = json.dumps(message, ensure_ascii=False).encode()
        begun = time.perf_counter_ns()
        self._connection.request("POST", self._path, body, self._headers)
        response = self._connection.getresponse()
        heard = response.read()
        taken = time.perf_counter_ns() - begun
        if response.status >= 300:
            raise Gone(f"the proxy answered {response.status}: {heard[:200]!r}")
        if session := response.headers["Mcp-Session-Id"]:
            self._headers["Mcp-Session-Id"] = session
        return heard, taken

    def request(self, method: str, params: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
        """Ask; return the response and the nanoseconds until the whole of it was there.

        Raises:
            Gone: there was no response, or one that refuses.
        """
        self._last += 1
        asked = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        heard, taken = self._send(asked)
        texts = heard.split(b"\n") if not heard.startswith(b"{") else [b"data:" + heard]
        for text in texts:
            if text.startswith(b"data:") and text[5:].strip():
                message: dict[str, Any] = json.loads(text[5:])
                if message.get("id") == self._last and "method" not in message:
                    return message, taken
        raise Gone(f"the proxy gave no answer to {method}")

    def tools(self) -> list[dict[str, Any]]:
        """Return the first page of the menu."""
        tools: list[dict[str, Any]] = self.request("tools/list", {})[0]["result"]["tools"]
        return tools

    def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
        """Return the response to a call and the nanoseconds it took."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})
