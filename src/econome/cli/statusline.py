"""`econome statusline`: one line from the index as it is, without a look at the transcripts.

It runs several times a second beside a working agent: it imports only what is on the fast path, never
waits for a scan, and never fails, since the agent would show nothing at all.
"""

from __future__ import annotations

import sys

from econome.cli.texts import STATUSLINE
from econome.jsontext import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from econome.cli.opening import World
    from econome.usage.tree import Tree

__all__ = ["OPTIONS", "run"]

OPTIONS = ("timezone", "root", "data-dir")

_REST_SECONDS = 5.0
"""At least so long between two refreshes."""
_RETRY_SECONDS = 20.0
"""At least so long between two attempts to make an index that is missing: on a full disk none succeeds."""
_OLD_SECONDS = 60.0
"""An index is refreshed this long after the last time even where the session's transcript has not grown."""

_LONGEST_REASON = 60


def run(values: Mapping[str, Any] | None) -> int:
    """Print the line; *values* are those of the options, None where they cannot be understood. Always 0."""
    try:
        line = STATUSLINE["wrong"] if values is None else _line(_status(), values)
    except Exception as error:  # the outermost loop of a face that must not fail
        line = _short(error)
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except (OSError, ValueError):
        from econome.cli.failures import quiet_pipe

        quiet_pipe()
    return 0


def _short(error: Exception) -> str:
    from econome.errors import EconomeError, HistoryBroken, SettingsError

    reason = " ".join(str(error).split()) if isinstance(error, EconomeError) else ""
    if isinstance(
        error, SettingsError | HistoryBroken
    ):  # the line is short, and the place is known
        reason = reason.replace(error.path, error.path.replace("\\", "/").rpartition("/")[2])
    if len(reason) > _LONGEST_REASON:
        reason = reason[: _LONGEST_REASON - 1] + "…"
    line = STATUSLINE["failed"].format(reason=reason or type(error).__name__)
    return line.encode(sys.stdout.encoding or "ascii", "replace").decode(errors="replace")


def _status() -> dict[str, Any]:
    """Return what Claude Code says on standard input; nothing where it says nothing that can be read."""
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    source = getattr(sys.stdin, "buffer", sys.stdin)
    data = source.read()
    text = data.decode("utf-8-sig", "replace") if isinstance(data, bytes) else data
    try:
        status = loads(text)
    except (ValueError, RecursionError):
        return {}
    return status if isinstance(status, dict) else {}


def _line(status: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    from econome.cli.opening import look
    from econome.usage.open import warm_tree

    world = look(values.get("timezone"), values.get("data_dir"))
    roots = list(values.get("root") or ()) or None
    tree = warm_tree(roots, world.settings)
    _refresh_if_old(tree, status, world, _same_tree(values))
    if tree is None:
        parts = [STATUSLINE["reading" if _can_refresh(world) else "no_index"]]
    else:
        with tree:
            parts = _spent(tree, status, world)
    return STATUSLINE["between"].join(parts + _context(status))


def _spent(tree: Tree, status: Mapping[str, Any], world: World) -> list[str]:
    """Return what was spent today, in this session and in this block."""
    from econome.usage.blocks import latest_block
    from econome.usage.query import Query
    from econome.usage.report import usage_report
    from econome.usage.sessions import session_total

    today = usage_report(
        tree, Query(since=world.today, until=world.today), world.zone, world.today
    )["total"]
    parts = [STATUSLINE["today"].format(cost=_dollars(today))]
    session = status.get("session_id")
    if isinstance(session, str) and session:
        parts.append(STATUSLINE["session"].format(cost=_dollars(session_total(tree, session))))
    block = latest_block(tree, world.now)
    if block is not None:
        left = max(0, int(block.end - world.now)) // 60
        cost = _dollars(block.total.row({}))
        parts.append(STATUSLINE["block"].format(cost=cost, hours=left // 60, minutes=left % 60))
    return parts


def _dollars(row: Mapping[str, Any]) -> str:
    """Return the cost of a row to the cent, half a cent up: the report's own formatting imports too much."""
    cost = row["cost_usd"]
    if cost is None:
        return STATUSLINE["none"]
    whole, _, part = cost.partition(".")
    cents = int(whole) * 100 + int(f"{part}00"[:2]) + (f"{part}000"[2] >= "5")
    mark = "+" if row["partial"] else ""
    return f"${cents // 100:,}.{cents % 100:02}{mark}"


def _context(status: Mapping[str, Any]) -> list[str]:
    window = status.get("context_window")
    used = window.get("used_percentage") if isinstance(window, dict) else None
    if isinstance(used, bool) or not isinstance(used, int | float) or not 0 <= used <= 1000:
        return []
    return [STATUSLINE["context"].format(percent=int(used + 0.5))]


def _refresh_if_old(
    tree: Tree | None, status: Mapping[str, Any], world: World, options: Sequence[str]
) -> None:
    from econome.cli import refresh

    cache_dir = world.settings.cache_dir
    begun = refresh.last_begun(cache_dir)
    if _missing(begun) if tree is None else _old(tree, status, begun):
        refresh.begin(cache_dir, options)


def _same_tree(values: Mapping[str, Any]) -> list[str]:
    """Return the options of `econome usage` that have it read the tree of this line."""
    options = [word for root in values.get("root") or () for word in ("--root", root)]
    data_dir = values.get("data_dir")
    return options if data_dir is None else [*options, "--data-dir", data_dir]


def _can_refresh(world: World) -> bool:
    """Return whether a refresh has ever begun: it has not where nothing can be written."""
    from econome.cli import refresh

    return refresh.last_begun(world.settings.cache_dir) > 0


def _missing(last_refresh: float) -> bool:
    """Return whether to read for an index that is not there, but not again and again where none can be kept."""
    from econome.clock import wall

    return not 0 <= wall() - last_refresh <= _RETRY_SECONDS


def _old(tree: Tree, status: Mapping[str, Any], last_refresh: float) -> bool:
    import os

    from econome.clock import wall

    known = max(last_refresh, tree.scanned_at)
    age = wall() - known
    if not 0 <= age <= _OLD_SECONDS:  # a clock that was put back must not stop all refreshing
        return True
    transcript = status.get("transcript_path")
    if age < _REST_SECONDS or not isinstance(transcript, str):
        return False
    try:
        return os.stat(transcript).st_mtime > known - _REST_SECONDS
    except (OSError, ValueError):
        return False
