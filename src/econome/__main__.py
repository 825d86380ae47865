"""The `econome` command: hands a command line to the quick path, else to click."""

from __future__ import annotations

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
    """Run the process's own command line and exit."""
    sys.exit(main())


if __name__ == "__main__":
    run()
