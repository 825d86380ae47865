"""A server for the conformance suite: econome's own, with two changes that say what they are.

The suite sends no bearer token, so a thin layer in front of the whole application adds it to each request; the gate behind
it checks `Host`, `Origin` and token as it does for everybody. With `fixtures`, `/mcp` offers the suite's tools, resources
and prompts in place of econome's, over the same endpoint.

    python -m tools.conformance.serving DIRECTORY [fixtures]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from econome import settings
from econome.server import mcp, run
from econome.server.answers import Receive, Scope, Send
from econome.server.app import App

__all__ = ["FIXTURES", "Admitting", "main"]

FIXTURES = "fixtures"


class Admitting:
    """An application to which every request brings the token; *kind* is what it is made by."""

    def __init__(self, kind: Callable[[Any], Any], parts: Any) -> None:
        self._app, self._token = kind(parts), parts.token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the header."""
        if scope["type"] == "http":
            header = (b"authorization", b"Bearer " + self._token.read().encode("ascii"))
            scope = {**scope, "headers": [*scope["headers"], header]}
        await self._app(scope, receive, send)

    def __getattr__(self, name: str) -> Any:
        """Have all else of the application."""
        return getattr(self._app, name)


def main() -> None:
    """Serve until told to end."""
    directory, *what = sys.argv[1:]
    replace(run, "App", partial(Admitting, App))
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
