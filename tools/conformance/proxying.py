"""A proxy for the conformance suite, between it and a server: econome's own, with one change that says what it is.

The suite sends no bearer token, so a thin layer in front of the whole application adds it to each request, as the one in
front of the server behind it does; the gate behind it is the one that everybody meets.

    python -m tools.conformance.proxying DIRECTORY pass|lossless --url URL
    python -m tools.conformance.proxying DIRECTORY pass|lossless -- COMMAND ...
"""

from __future__ import annotations

import sys
import time

from econome import settings
from econome.lean.proxy.http_target import Target
from econome.lean.proxy.shared import Lean
from econome.server.answers import Receive, Scope, Send
from econome.server.logs import to_standard_error
from econome.server.proxying import app, listen
from econome.server.proxying.processes import Processes
from econome.server.proxying.relay import Relay
from econome.tokenizers import tokenizer
from tools.conformance.serving import replace

__all__ = ["LOSSLESS", "PASSING", "Admitting", "main"]

PASSING, LOSSLESS = "pass", "lossless"
"""What the proxy may change: nothing; or what loses nothing, for a client that no policy names."""


class Admitting(app.App):
    """The application, to which every request brings the token."""

    def __init__(self, parts: app.Parts) -> None:
        super().__init__(parts)
        self._admitted = parts.token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the header."""
        if scope["type"] == "http":
            header = (b"authorization", b"Bearer " + self._admitted.read().encode("ascii"))
            scope = {**scope, "headers": [*scope["headers"], header]}
        await super().__call__(scope, receive, send)


def main() -> None:
    """Listen until told to end."""
    directory, how, kind, *upstream = sys.argv[1:]
    replace(listen, "App", Admitting)
    found = settings.load({"HOME": directory}, directory)
    named = tokenizer("features-v1")
    lean = Lean(
        "conformance",
        named.count,
        named.count,
        named.name,
        time.perf_counter_ns,
        passing=how == PASSING,
    )
    endpoint: app.Endpoint = (
        Relay(Target(upstream[0]), lean, to_standard_error)
        if kind == "--url"
        else Processes(upstream, lean, to_standard_error)
    )
    listen.listen(
        endpoint,
        found.token_path(),
        "127.0.0.1",
        0,
        ready=lambda url: print(url.removesuffix(app.MCP), flush=True),
    )


if __name__ == "__main__":
    main()
