"""The command line's answer to each expected failure: one line on standard error and an exit code."""

from __future__ import annotations

import os
import sys

from econome import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

__all__ = [
    "BROKEN_PIPE", "FAILED", "FAILURES", "INTERRUPTED", "WRONG_USAGE", "closed_streams", "interrupted",
    "quiet_pipe", "report", "unwritable",
]  # fmt: skip

FAILED, WRONG_USAGE = 1, 2
INTERRUPTED = 130
"""What a shell reports for a program that Ctrl-C ended: 128 + SIGINT."""
BROKEN_PIPE = 141
"""What a shell reports for a program whose reader went away: 128 + SIGPIPE."""

FAILURES: dict[type[errors.EconomeError], int] = {
    errors.AmbiguousSession: FAILED,
    errors.BackendAway: FAILED,
    errors.BackendFailed: FAILED,
    errors.BatchError: FAILED,
    errors.BodyMalformed: FAILED,
    errors.BodyTooLarge: FAILED,
    errors.ChangeRefused: FAILED,
    errors.ConfigRefused: FAILED,
    errors.DelegationRefused: FAILED,
    errors.EconomeError: FAILED,
    errors.FileRefused: FAILED,
    errors.FormatBroken: FAILED,
    errors.HistoryBroken: FAILED,
    errors.ImportRefused: FAILED,
    errors.LedgerBroken: FAILED,
    errors.LedgerDiffers: FAILED,
    errors.LedgerHeld: FAILED,
    errors.LedgerUnwritable: FAILED,
    errors.LocalModelError: FAILED,
    errors.LockBroken: WRONG_USAGE,
    errors.MenuError: FAILED,
    errors.PortTaken: FAILED,
    errors.PresetError: FAILED,
    errors.RequestUnknown: FAILED,
    errors.RootMissing: FAILED,
    errors.ServerAway: FAILED,
    errors.ServerRefused: FAILED,
    errors.SessionUnknown: FAILED,
    errors.SettingsError: FAILED,
    errors.SignatureRefused: WRONG_USAGE,
    errors.TokenUnsafe: FAILED,
    errors.UnknownZone: FAILED,
    errors.UpstreamAway: FAILED,
    errors.UsageError: WRONG_USAGE,
    errors.WrongMoment: FAILED,
}


def report(error: errors.EconomeError) -> int:
    """Say what failed in one line on standard error, after what a server said that is away; return the exit code."""
    from econome.cli.wire import spoken
    from econome.unseen import visible

    if isinstance(error, errors.UpstreamAway) and error.said:
        print(error.said, file=sys.stderr)
    line = f"econome: {visible(spoken(' '.join(str(error).split())))}"
    if sys.stderr.isatty():
        from econome.cli.questions import wrapped

        line = wrapped(line, sys.stderr)
    print(line, file=sys.stderr)
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


def unwritable(error: OSError) -> int:
    """Say in one line that what was printed did not get out, a full disk for instance; return the exit code."""
    place = error.filename or "standard output"
    from econome.unseen import visible

    print(visible(f"econome: {place}: {error.strerror or error}"), file=sys.stderr)
    quiet_pipe()
    return FAILED


def closed_streams() -> int | None:
    """Give a closed standard output or error somewhere to go; return the exit code where it is the output."""
    closed = sys.stdout is None
    if sys.stderr is None:
        sys.stderr = _nowhere()
    if not closed:
        return None
    sys.stdout = _nowhere()
    print("econome: standard output is closed; nothing can be printed", file=sys.stderr)
    return FAILED


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def interrupted() -> int:
    """Leave after Ctrl-C; return the exit code."""
    if sys.stderr.isatty():
        print(file=sys.stderr)  # the terminal stands behind the ^C that it shows
    return INTERRUPTED
