"""What `econome lock` does: it writes a lock, checks it, and compares two."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass, replace

from econome import __version__
from econome.cli.lock_report import Kept, LockReport, Written
from econome.cli.lock_texts import LOCK
from econome.contract import files, lockfile, signing
from econome.contract.ceilings import Over, over
from econome.contract.findings import SEVERITIES
from econome.contract.lockfile import Lock
from econome.errors import ConfigRefused, LockBroken, UpstreamAway, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from econome.contract.captured import Captured
    from econome.contract.glance import Seen
    from econome.contract.sources import Source, Sources
    from econome.lean.rules import Budget, Rules
    from econome.settings import Settings
    from econome.tokenizers import Tokenizer

__all__ = [
    "Held",
    "budgets",
    "check",
    "check_one",
    "compare",
    "held",
    "judged",
    "own_rules",
    "promised",
    "write",
]

_USUAL = "econome.lock"


@dataclass(frozen=True, slots=True)
class Held:
    """A lockfile as it was read: what it is called, its bytes, and what they say."""

    path: str
    data: bytes
    lock: Lock


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


def write(settings: Settings, words: tuple[str, ...], values: Mapping[str, Any]) -> Written:
    """Lock the servers that are asked for, and return what that came to.

    Raises:
        UpstreamAway: one of them cannot be started or reached; nothing was written.
        LockBroken: the lock that is there is no sound one, or a server cannot be locked; nothing was written.
        UsageError: what is asked for does not go together, or was not confirmed.
        SignatureRefused: the lock was written, and cannot be signed.
    """
    from econome.cli.sources_asked import rules_asked, sources_asked

    path = values["lock"]
    before = held(path).lock if os.path.lexists(path) else None
    counting = _counting(before, values)
    rules = rules_asked(values["rules"])
    allowed = budgets(rules, values["rules"], own_rules(settings))
    sources = _some(sources_asked(settings, words, values), values)
    captures = _captured(sources.sources)
    servers = {one.name: promised(one, counting, rules, values["rules"]) for one in captures}
    kept = {} if values["config"] or before is None else dict(before.servers)
    lock = Lock(counting.name, {**kept, **servers})
    changed = files.keep(path, lock)
    if values["sign"]:
        signing.sign(path, values["sign"])
    return Written(
        path=path,
        kept=tuple(_kept(name, server) for name, server in servers.items()),
        others=tuple(sorted(kept.keys() - servers.keys())),
        changed=changed,
        tokenizer=counting.name,
        estimate=counting.estimate,
        check=_command(words, values, "--check"),
        left_out=sources.left_out,
        seen=_seen(servers, before, kept),
        overs=_overs(servers, allowed),
        unreadable=tuple((one.name, what) for one in captures for what in one.unreadable),
        signed=bool(values["sign"]),
    )


def check(
    settings: Settings, words: tuple[str, ...], values: Mapping[str, Any], *, fail_on: str
) -> LockReport:
    """Compare the servers that are asked for with the lock.

    Raises:
        EconomeError: the comparison could not be made: whatever it is, nothing was compared.
    """
    from econome.cli.sources_asked import rules_asked, sources_asked

    found = held(values["lock"])
    if values["signers"]:
        beside = values["lock"] + signing.ENDING
        signing.verify(found.data, beside, values["signers"], values["signer"])
    rules = rules_asked(values["rules"])
    allowed = budgets(rules, values["rules"], own_rules(settings))
    sources = _some(sources_asked(settings, words, values), values)
    only = None if values["config"] else frozenset({sources.sources[0].name})
    _held_here(found, only)
    looked_at = {source.name for source in sources.sources}
    for name, reason in sources.left_out:
        if name in found.lock.servers.keys() - looked_at:
            raise ConfigRefused(values["config"], LOCK["left_out"].format(name=name, reason=reason))
    captures = _captured(sources.sources)
    counting = _tokenizer(found.lock.tokenizer)
    servers = {one.name: promised(one, counting, rules, values["rules"]) for one in captures}
    report = judged(found, servers, counting, allowed, only=only, fail_on=fail_on)
    unreadable = tuple((one.name, what) for one in captures for what in one.unreadable)
    return replace(
        report,
        unreadable=unreadable,
        left_out=sources.left_out,
        accept=_command(words, values),
    )


def check_one(found: Held, source: Source, folder: str) -> LockReport:
    """Compare one server with a lock, under the budgets of *folder*.

    Raises:
        EconomeError: the comparison could not be made.
    """
    from econome.lean.rules import Rules

    allowed = budgets(Rules(), None, None, folder)
    _held_here(found, frozenset({source.name}))
    (captured,) = _captured((source,))
    counting = _tokenizer(found.lock.tokenizer)
    servers = {source.name: promised(captured, counting, Rules(), None)}
    return judged(found, servers, counting, allowed, only={source.name}, fail_on=SEVERITIES[-1])


def compare(old: str, new: str, *, fail_on: str) -> LockReport:
    """Compare two lockfiles.

    Raises:
        LockBroken: one of them is no sound lock, or they count tokens in different ways.
    """
    before, after = held(old, piped=True), held(new, piped=True)
    if before.lock.tokenizer != after.lock.tokenizer:
        reason = LOCK["tokenizers"].format(one=before.lock.tokenizer, other=after.lock.tokenizer)
        raise LockBroken(after.path, reason)
    counting = _tokenizer(after.lock.tokenizer)
    report = _report(before, after.lock, counting, (), only=None, fail_on=fail_on, shown=after)
    return replace(report, path=before.path, against=after.path)


def judged(
    found: Held,
    servers: Mapping[str, Mapping[str, Any]],
    counting: Tokenizer,
    allowed: Callable[[str], Budget],
    *,
    only: Collection[str] | None,
    fail_on: str,
) -> LockReport:
    """Return how *servers*, as they are now, compare with a lock, and which budgets of *allowed* do not hold."""
    now = Lock(found.lock.tokenizer, servers)
    overs = _overs(servers, allowed)
    return _report(found, now, counting, overs, only=only, fail_on=fail_on, shown=found)


def budgets(
    rules: Rules, named: str | None, own: str | None = None, folder: str = ""
) -> Callable[[str], Budget]:
    """Return what tells the budget of a server: that of *rules*, and of the `econome.toml` in *folder*.

    *named* is the file that the rules were read from, *own* that of this user: where it is the folder's too, it says nothing
    here.

    Raises:
        SettingsError: that file cannot be used, so that no budget of it was held.
    """
    from econome.lean.proxy.opening import budgets_in
    from econome.lean.rules import FILE, Rules

    path = os.path.join(folder, FILE)
    here = Rules() if _is_one_of(path, named, own) else Rules(budgets=budgets_in(path))
    return lambda name: rules.budget(name).within(here.budget(name))


def own_rules(settings: Settings) -> str:
    """Return where this user's own rules are."""
    from econome.lean.rules import FILE

    return os.path.join(os.path.dirname(settings.config_file), FILE)


def _is_one_of(path: str, *others: str | None) -> bool:
    for other in others:
        try:
            if other is not None and os.path.samefile(path, other):
                return True
        except OSError:  # one of the two is not there
            pass
    return False


def _some(sources: Sources, values: Mapping[str, Any]) -> Sources:
    if not sources.sources:
        raise UsageError(LOCK["no_source"].format(path=values["config"]))
    return sources


def _counting(before: Lock | None, values: Mapping[str, Any]) -> Tokenizer:
    """Return how tokens are counted: as the lock does that is added to, or as is asked for."""
    from econome.tokenizers import DEFAULT

    kept = None if before is None else before.tokenizer
    asked = _tokenizer(values["tokenizer"] or kept or DEFAULT)
    if kept is not None and asked.name != kept and not values["config"]:
        raise UsageError(LOCK["tokenizer"].format(held=kept, asked=asked.name))
    return asked


def _tokenizer(name: str) -> Tokenizer:
    from econome.tokenizers import tokenizer

    return tokenizer(name)


def _captured(sources: Sequence[Source]) -> list[Captured]:
    """Return what all of these servers tell.

    Raises:
        UpstreamAway: one or more of them tell nothing; the text names each.
    """
    from econome.contract.capture import capture_all

    found = [captured for _, captured in capture_all(sources, version=__version__)]
    away = [str(one) for one in found if isinstance(one, UpstreamAway)]
    if away:
        raise UpstreamAway("; ".join(away))
    return [one for one in found if not isinstance(one, UpstreamAway)]


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


def _kept(name: str, server: Mapping[str, Any]) -> Kept:
    return Kept(name, len(server["tools"]), server["menu"]["tokens"], server["class"])


def _overs(
    servers: Mapping[str, Mapping[str, Any]], allowed: Callable[[str], Budget]
) -> tuple[Over, ...]:
    return tuple(
        each for name in sorted(servers) for each in over(name, servers[name], allowed(name))
    )


def _held_here(found: Held, only: frozenset[str] | None) -> None:
    """See that the server that is asked for is in the lock."""
    if only is None or only <= found.lock.servers.keys():
        return
    names = ", ".join(sorted(found.lock.servers))
    if not names:
        raise UsageError(LOCK["none_held"])
    raise UsageError(LOCK["not_held"].format(name=", ".join(only), held=names))


def _report(
    found: Held,
    now: Lock,
    counting: Tokenizer,
    overs: tuple[Over, ...],
    *,
    only: Collection[str] | None,
    fail_on: str,
    shown: Held,
) -> LockReport:
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
        kept=tuple(_kept(name, server) for name, server in sorted(now.servers.items())),
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


def _seen(
    servers: Mapping[str, Mapping[str, Any]], before: Lock | None, kept: Mapping[str, Any]
) -> tuple[Seen, ...]:
    """Return what the texts of these servers say that was not locked before and deserves a look."""
    from econome.contract.glance import glance

    every = {**kept, **servers}
    found: list[Seen] = []
    for name, server in servers.items():
        own = server["tools"].keys()
        others = {tool for each in every.values() for tool in each["tools"]} - own
        old = None if before is None else before.servers.get(name)
        found += glance(name, server, old, tools=others)
    return tuple(found)


def _command(words: tuple[str, ...], values: Mapping[str, Any], *more: str) -> str:
    """Return the command that locks what is asked for, or with *more* does otherwise."""
    parts = ["econome", "lock", *more]
    for name in ("lock", "name", "url", "config", "rules"):
        given = values[name]
        if given and not (name == "lock" and given == _USUAL):
            parts += [f"--{name}", given]
    if values["tokenizer"] and not more:
        parts += ["--tokenizer", values["tokenizer"]]
    return shlex.join([*parts, "--", *words] if words else parts)
