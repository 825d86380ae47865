"""Servers as they are now against a lock as it was read: what every check shares, whoever asks for it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace

from econome import __version__
from econome.cli.lock_report import Kept, LockReport
from econome.cli.lock_texts import LOCK
from econome.contract import files, lockfile
from econome.contract.ceilings import Over, over
from econome.contract.findings import SEVERITIES
from econome.contract.lockfile import Lock
from econome.contract.static import CLASSES, NOTHING_KNOWN
from econome.errors import LockBroken, UpstreamAway, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from econome.contract.captured import Captured
    from econome.contract.sources import Source
    from econome.lean.rules import Budget, Rules
    from econome.settings import Settings
    from econome.tokenizers import Tokenizer

__all__ = [
    "Allowed",
    "Held",
    "budgets",
    "captured_all",
    "check_one",
    "compared",
    "counted_by",
    "held",
    "judged",
    "kept_of",
    "overs_of",
    "own_rules",
    "promised",
    "see_held",
    "shown_url",
]


@dataclass(frozen=True, slots=True)
class Held:
    """A lockfile as it was read: what it is called, its bytes, and what they say."""

    path: str
    data: bytes
    lock: Lock


@dataclass(frozen=True, slots=True)
class Allowed:
    """What tells the budget of a server: that of *named* rules, within that of the ones *here*."""

    named: Rules
    here: Rules

    def __call__(self, name: str) -> Budget:
        """Return the budget of a server."""
        return self.named.budget(name).within(self.here.budget(name))

    def strays(self, *known: Collection[str]) -> tuple[tuple[str, str], ...]:
        """Return the names that have a budget and are not *known*, each with one that is like it or an empty text."""
        names = {name for each in known for name in each}
        strays = {*self.named.budgets, *self.here.budgets} - names - {"*"}
        if not strays:
            return ()
        from difflib import get_close_matches

        near = {one: get_close_matches(one, names, 1) for one in strays}
        return tuple((one, near[one][0] if near[one] else "") for one in sorted(strays))


def held(path: str, *, piped: bool = False) -> Held:
    """Return the lock at *path*; *piped*, it may be `-` for standard input, or what a shell names for a pipe.

    Raises:
        LockBroken: it is missing, or no whole lock that nobody edited.
    """
    if piped and path == "-":
        data, path = sys.stdin.buffer.read(files.MOST_BYTES + 1), LOCK["standard_input"]
    elif piped and os.path.exists(path) and not os.path.isfile(path):
        data = _from_pipe(path)
    else:
        data = files.content(path)
    return Held(path, data, lockfile.read(data, path))


def _from_pipe(path: str) -> bytes:
    try:
        with open(path, "rb") as pipe:
            return pipe.read(files.MOST_BYTES + 1)
    except OSError as error:
        raise LockBroken(path, f"it cannot be read: {error.strerror or error}") from None


def check_one(found: Held, source: Source, folder: str) -> LockReport:
    """Compare one server with a lock, under the budgets of *folder*.

    Raises:
        EconomeError: the comparison could not be made.
    """
    from econome.lean.rules import Rules

    allowed = budgets(Rules(), None, None, folder)
    see_held(found, frozenset({source.name}))
    captures = captured_all((source,))
    return judged(found, captures, allowed, None, only={source.name}, fail_on=SEVERITIES[-1])


def judged(
    found: Held,
    captures: Sequence[Captured],
    allowed: Allowed,
    named: str | None,
    *,
    only: Collection[str] | None,
    fail_on: str,
) -> LockReport:
    """Return how servers, as they are now, compare with a lock, and which budgets of *allowed* do not hold.

    *named* is the file of its named rules, None without one.

    Raises:
        LockBroken: a server cannot be locked, so that nothing of it is compared.
    """
    counting = counted_by(found.lock.tokenizer)
    servers = {one.name: promised(one, counting, allowed.named, named) for one in captures}
    now = Lock(found.lock.tokenizer, servers)
    overs = overs_of(servers, allowed)
    report = compared(found, now, counting, overs, only=only, fail_on=fail_on, shown=found)
    return replace(report, strays=allowed.strays(found.lock.servers, servers))


def budgets(rules: Rules, named: str | None, own: str | None = None, folder: str = "") -> Allowed:
    """Return what tells the budget of a server: that of *rules*, and of the `econome.toml` in *folder*.

    *named* is the file that the rules were read from, *own* that of this user: where it is the folder's too, it says nothing
    here.

    Raises:
        SettingsError: that file cannot be used, so that no budget of it was held.
    """
    from econome.lean.proxy.opening import budgets_in
    from econome.lean.rules import FILE, Rules

    path = os.path.join(folder, FILE)
    return Allowed(rules, Rules(budgets=budgets_in(path, besides=(named, own))))


def own_rules(settings: Settings) -> str:
    """Return where this user's own rules are."""
    from econome.lean.rules import FILE

    return os.path.join(os.path.dirname(settings.config_file), FILE)


def counted_by(name: str) -> Tokenizer:
    """Return what counts tokens by the method of this name, with what it needs imported now."""
    from econome.tokenizers import tokenizer

    return tokenizer(name)


def captured_all(
    sources: Sequence[Source], meanwhile: Callable[[], object] = lambda: None
) -> list[Captured]:
    """Return what all of these servers tell; something may be done *meanwhile*, and what it raises is raised.

    Raises:
        UpstreamAway: one or more of them tell nothing; the text names each.
    """
    from econome.contract.capture import capture_all

    told = capture_all(sources, version=__version__, meanwhile=meanwhile)
    found = [captured for _, captured in told]
    away = [_away(source.name, one, told) for source, one in told if isinstance(one, UpstreamAway)]
    if away:
        said = [one.said for one in found if isinstance(one, UpstreamAway) and one.said]
        raise UpstreamAway("; ".join(away), "\n".join(said))
    return [one for one in found if not isinstance(one, UpstreamAway)]


def _away(name: str, error: UpstreamAway, asked: Sequence[object]) -> str:
    """Return why a server tells nothing; its name stands before that where others were asked too."""
    reason = str(error)
    return reason if len(asked) == 1 or reason.startswith(f"{name}: ") else f"{name}: {reason}"


def promised(
    captured: Captured, counting: Tokenizer, rules: Rules, named: str | None
) -> dict[str, Any]:
    """Return what a lock holds of a server, under the limits of the *rules* of a file that was *named*."""
    from econome.contract.promises import promise

    limits = None
    if named is not None:
        own = rules.server(captured.name)
        names = [name for tool in captured.tools if isinstance(name := tool.get("name"), str)]
        limits = {name: own.tool(name) for name in names}
    return promise(captured, count=counting.count, limits=limits)


def kept_of(name: str, server: Mapping[str, Any]) -> Kept:
    """Return what is told of a server in a lock."""
    tools = server["tools"]
    unknown = [tool["reason"] for tool in tools.values() if tool["reason"] in NOTHING_KNOWN]
    known = [tool["class"] for tool in tools.values() if tool["reason"] not in NOTHING_KNOWN]
    worst = max(known, key=CLASSES.index, default=None)
    reason = min(unknown, default="").partition(",")[0]
    return Kept(name, len(tools), server["menu"]["tokens"], worst, len(unknown), reason)


def overs_of(
    servers: Mapping[str, Mapping[str, Any]], allowed: Callable[[str], Budget]
) -> tuple[Over, ...]:
    """Return the ceilings that these servers are over."""
    return tuple(
        each for name in sorted(servers) for each in over(name, servers[name], allowed(name))
    )


def see_held(found: Held, only: frozenset[str] | None) -> None:
    """See that the server that is asked for is in the lock.

    Raises:
        UsageError: it is not.
    """
    if only is None or only <= found.lock.servers.keys():
        return
    names = ", ".join(sorted(found.lock.servers))
    if not names:
        raise UsageError(LOCK["none_held"])
    raise UsageError(LOCK["not_held"].format(name=", ".join(only), held=names))


def shown_url(url: str) -> str:
    """Return an address as a command that is shown has it: without what stands in its query, which may be a secret."""
    if "?" not in url and "#" not in url:
        return url
    from econome.contract.start_line import masked_address

    return masked_address(url)


def compared(
    found: Held,
    now: Lock,
    counting: Tokenizer,
    overs: tuple[Over, ...],
    *,
    only: Collection[str] | None,
    fail_on: str,
    shown: Held,
) -> LockReport:
    """Return how a lock compares with what is there now; *shown* is the file whose lines a report points at."""
    from econome.cli.render.lock_lines import lines_of
    from econome.contract.drift import drift

    found_drift = drift(found.lock, now, only=only)
    return LockReport(
        path=found.path,
        drift=found_drift,
        tokenizer=counting.name,
        estimate=counting.estimate,
        uri=_uri(shown.path),
        fail_on=fail_on,
        overs=overs,
        kept=tuple(kept_of(name, server) for name, server in sorted(now.servers.items())),
        lines=lines_of(shown.data) if found_drift.findings or overs else {},
    )


def _uri(path: str) -> str:
    """Return a path as a code host finds it: from this directory on, or as an address where it lies elsewhere."""
    from pathlib import Path
    from urllib.parse import quote

    whole = os.path.realpath(path)
    within = os.path.relpath(whole)
    if within.startswith(os.pardir) or not os.path.isfile(whole):
        return Path(whole).as_uri() if os.path.isfile(whole) else quote(os.path.basename(path))
    return quote(within.replace(os.sep, "/"))
