"""Answers the commands that must be fast without click: `usage … --json`, `statusline` and `proxy`.

What it does not surely understand it leaves to `econome.cli.app`, which knows every command line and
says what is wrong with one. It is on the fast path, so it imports only what is on it.
"""

from __future__ import annotations

import sys

from econome.cli.options import read
from econome.errors import EconomeError, UsageError
from econome.usage.asking import USAGE, ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from econome.usage.asking import Asked

__all__ = ["answer", "run"]


def run(argv: Sequence[str]) -> int | None:
    """Run the command line where it is one of the fast ones; None where it is not."""
    if sys.stdout is None or sys.stderr is None:
        from econome.cli.failures import closed_streams

        code = closed_streams()
        if code is not None:
            # Of a lock the code 1 says that something changed, and here nothing was compared.
            return {"statusline": 0, "lock": 2}.get(argv[0] if argv else "", code)
    if not argv:
        return None
    if argv[0] == "statusline":
        return None if _wants_help(argv) else _statusline(argv[1:])
    if argv[0] == "proxy":
        return _proxy(argv[1:])
    if argv[0] != "usage" or "--json" not in argv:
        return None
    values = read(USAGE, argv[1:])
    if values is None or not values["json"]:
        return None
    try:
        asked = ask(values)
    except UsageError:
        return None
    return _guarded(lambda: answer(asked))


def _wants_help(argv: Sequence[str]) -> bool:
    return "--help" in argv or "-h" in argv


def _statusline(words: Sequence[str]) -> int:
    from econome.cli import statusline

    table = [option for option in USAGE if option.name in statusline.OPTIONS]
    return statusline.run(read(table, words))


def _proxy(words: Sequence[str]) -> int | None:
    from econome.cli.quick_proxy import read

    found = read(words)
    if found is None:
        return None
    from econome.cli.proxying import run as stand_between

    return _guarded(lambda: stand_between(*found))


def _guarded(work: Callable[[], None]) -> int:
    try:
        work()
    except EconomeError as error:
        from econome.cli.failures import report

        return report(error)
    except BrokenPipeError:
        from econome.cli.failures import quiet_pipe

        return quiet_pipe()
    except OSError as error:
        from econome.cli.failures import unwritable

        return unwritable(error)
    except KeyboardInterrupt:
        from econome.cli.failures import interrupted

        return interrupted()
    return 0


def answer(asked: Asked) -> None:
    """Print a usage report as JSON."""
    from econome.cli.opening import look
    from econome.jsontext import dumps
    from econome.usage.report import usage_report

    with look(asked.timezone, asked.data_dir) as world:
        tree = world.open(asked.roots, index=asked.index)
        report = usage_report(tree, asked.query(world.today), world.zone, world.today)
        sys.stdout.write(dumps(report) + "\n")
        if not any(report["coverage"][name] for name in ("files", "unreadable", "responses")):
            _looked_in(asked.roots or world.settings.places())


def _looked_in(places: Sequence[str]) -> None:
    """Say beside the answer that there was no transcript, and where was looked (R1)."""
    from econome.cli.texts import NOTES

    print(NOTES["nothing"], *places, file=sys.stderr)
    print(NOTES["nothing_next"], file=sys.stderr)
