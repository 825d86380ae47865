"""A server as people run it: `econome serve` in a process of its own, on a free port."""

from __future__ import annotations

import http.client
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.door import Ran, spawn

__all__ = ["Served", "served"]

SECONDS = 60


class Served:
    """A running `econome serve`; `told` is what it printed before it was ready."""

    def __init__(self, process: subprocess.Popen[str], directory: Path) -> None:
        self.process, self.directory = process, directory
        self.told = [self._line() for _ in range(5)]
        self.url = self.told[0].rpartition(" ")[2]
        self.port = urlsplit(self.url).port or 0

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate(timeout=SECONDS)
        return line.rstrip("\n")

    @property
    def token(self) -> str:
        """Its token, as it is now."""
        return (self.directory / "token").read_text(encoding="ascii").strip()

    @property
    def ledger(self) -> Path:
        """Where its events lie."""
        return self.directory / "logs" / "mcp" / "economies.jsonl"

    def status(self, method: str, path: str, body: bytes | None = None, **headers: str) -> int:
        """Ask with the token and return the status of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        given = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, body, given | headers)
            answer = connection.getresponse()
            answer.read()
        finally:
            connection.close()
        return answer.status

    def stop(self, number: signal.Signals = signal.SIGTERM) -> Ran:
        """Ask it to end and wait until it has."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=SECONDS)
        return Ran(self.process.returncode, "\n".join(self.told) + "\n" + out, err)


@contextmanager
def served(directory: Path, *options: str, first: str | None = None) -> Iterator[Served]:
    """Run a server on *directory* for as long as the context lasts; *first* is Python text that its process runs first."""
    code = None if first is None else f"{first}\nfrom econome.__main__ import run\nrun()"
    process = spawn("serve", "--port", "0", "--data-dir", str(directory), *options, code=code)
    with process:
        try:
            yield Served(process, directory)
        finally:
            process.kill()
