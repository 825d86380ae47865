"""A proxy for the conformance suite, between it and a server: econome's own, with one change that says what it is.

The suite sends no bearer token, so a thin layer in front of the whole application adds it to each request, as the one in
front of the server behind it does; the gate behind it is the one that everybody meets.

    python -m tools.conformance.proxying DIRECTORY pass|lossless --url URL
    python -m tools.conformance.proxying DIRECTORY pass|lossless -- COMMAND ...
"""

from __future__ import annotations

import sys
import time
from functools import partial

from econome import settings
from econome.lean.proxy.http_target import Target
from econome.lean.proxy.shared import Lean
from econome.server.logs import to_standard_error
from econome.server.proxying import app, listen
from econome.server.proxying.processes import Processes
from econome.server.proxying.relay import Relay
from econome.tokenizers import tokenizer
from tools.conformance.serving import Admitting, replace

__all__ = ["LOSSLESS", "PASSING", "main"]

PASSING, LOSSLESS = "pass", "lossless"
"""What the proxy may change: nothing; or what loses nothing, for a client that no policy names."""


def main() -> None:
    """Listen until told to end."""
    directory, how, kind, *upstream = sys.argv[1:]
    replace(listen, "App", partial(Admitting, app.App))
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
