"""The command line's answer to each expected failure: one line on standard error and an exit code."""

from __future__ import annotations

import os
import sys

from econome import errors

__all__ = [
    "BROKEN_PIPE", "FAILED", "FAILURES", "INTERRUPTED", "WRONG_USAGE", "interrupted", "quiet_pipe", "report",
]  # fmt: skip

FAILED, WRONG_USAGE = 1, 2
INTERRUPTED = 130
"""What a shell reports for a program that Ctrl-C ended: 128 + SIGINT."""
BROKEN_PIPE = 141
"""What a shell reports for a program whose reader went away: 128 + SIGPIPE."""

FAILURES: dict[type[errors.EconomeError], int] = {
    errors.AmbiguousSession: FAILED,
    errors.EconomeError: FAILED,
    errors.HistoryBroken: FAILED,
    errors.RootMissing: FAILED,
    errors.SessionUnknown: FAILED,
    errors.SettingsError: FAILED,
    errors.UnknownZone: FAILED,
    errors.UsageError: WRONG_USAGE,
}


def report(error: errors.EconomeError) -> int:
    """Say what failed in one line on standard error; return the exit code."""
    line = " ".join(str(error).split())
    print(f"econome: {line}", file=sys.stderr)
    return FAILURES[type(error)]


def quiet_pipe() -> int:
    """Leave without a word when the reader of standard output is gone; return the exit code."""
    # The interpreter flushes standard output once more when it ends: give it somewhere to go.
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
    return BROKEN_PIPE


def interrupted() -> int:
    """Leave after Ctrl-C; return the exit code."""
    print(file=sys.stderr)
    return INTERRUPTED
