"""The `econome` command: hands a command line to the quick path, else to click."""

from __future__ import annotations

import gc
import os
import sys

__all__ = ["main", "run"]


def main(argv: list[str] | None = None) -> int:
    """Run a command line and return its exit code."""
    from econome.cli import quick

    words = sys.argv[1:] if argv is None else argv
    code = quick.run(words)
    if code is not None:
        return code
    from econome.cli import app

    return app.main(words)


def run() -> None:
    """Run the process's own command line and exit.

    A command lives too short for the collector to pay, and what it holds need not be taken apart at its end.
    """
    gc.disable()
    code = main()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = code or 1
    os._exit(code)


if __name__ == "__main__":
    run()
