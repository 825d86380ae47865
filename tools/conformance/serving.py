"""A server for the conformance suite: econome's own, with two changes that say what they are.

The suite sends no bearer token, so a thin layer in front of the whole application adds it to each request; the gate behind
it checks `Host`, `Origin` and token as it does for everybody. With `fixtures`, `/mcp` offers the suite's tools, resources
and prompts in place of econome's, over the same endpoint.

    python -m tools.conformance.serving DIRECTORY [fixtures]
"""

from __future__ import annotations

import sys
from typing import Any

from econome import settings
from econome.server import mcp, run
from econome.server.answers import Receive, Scope, Send
from econome.server.app import App, Parts

__all__ = ["FIXTURES", "Admitting", "main"]

FIXTURES = "fixtures"


class Admitting(App):
    """The application, to which every request brings the token."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._admitted = parts.token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the header."""
        if scope["type"] == "http":
            header = (b"authorization", b"Bearer " + self._admitted.read().encode("ascii"))
            scope = {**scope, "headers": [*scope["headers"], header]}
        await super().__call__(scope, receive, send)


def main() -> None:
    """Serve until told to end."""
    directory, *what = sys.argv[1:]
    replace(run, "App", Admitting)
    if what == [FIXTURES]:
        from tools.conformance.stage import server

        replace(mcp, "_server", lambda tools: server())
    found = settings.load({"HOME": directory}, directory)
    run.serve(found, port=0, ready=lambda url: print(url, flush=True))


def replace(module: Any, name: str, value: object) -> None:
    """Put *value* in the place of what a module uses; it must be there, or it would change nothing."""
    getattr(module, name)
    setattr(module, name, value)


if __name__ == "__main__":
    main()
