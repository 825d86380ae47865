"""What `econome lock` does: it writes a lock, checks it, and compares two."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace

from econome.cli.keeping import keep_checked, keep_locked, keep_unchecked
from econome.cli.lock_judging import (
    Held,
    budgets,
    captured_all,
    compared,
    counted_by,
    held,
    judged,
    kept_of,
    overs_of,
    own_rules,
    promised,
    see_held,
    shown_url,
)
from econome.cli.lock_report import LockReport, Signature, Written
from econome.cli.lock_texts import LOCK
from econome.contract import files, lockfile, signing
from econome.contract.lockfile import FILE, Lock
from econome.errors import ConfigRefused, EconomeError, LockBroken, UsageError
from econome.lean.rules import FILE as BUDGETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from econome.contract.glance import Seen
    from econome.contract.sources import Sources
    from econome.settings import Settings
    from econome.tokenizers import Tokenizer

__all__ = ["check", "compare", "write"]


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
    captures = captured_all(sources.sources)
    servers = {one.name: promised(one, counting, rules, values["rules"]) for one in captures}
    with files.alone(path):
        before = held(path).lock if os.path.lexists(path) else None
        _counting(before, {**values, "tokenizer": counting.name})
        _see_none_dropped(before, servers, sources, values)
        kept = {} if values["config"] or before is None else dict(before.servers)
        data = lockfile.written(Lock(counting.name, {**kept, **servers}))
        changed = files.keep(path, data)
        if values["sign"]:
            signing.sign(data, path, values["sign"])
    done = Written(
        path=path,
        kept=tuple(kept_of(name, server) for name, server in servers.items()),
        others=tuple(sorted(kept.keys() - servers.keys())),
        changed=changed,
        tokenizer=counting.name,
        estimate=counting.estimate,
        check=_command(words, values, "--check"),
        left_out=sources.left_out,
        seen=_seen(servers, before, kept),
        overs=overs_of(servers, allowed),
        strays=allowed.strays(servers, kept),
        signed=bool(values["sign"]),
        resign=_resigned(words, values) if changed and not values["sign"] else "",
    )
    keep_locked(settings, done)
    return done


def check(
    settings: Settings, words: tuple[str, ...], values: Mapping[str, Any], *, fail_on: str
) -> LockReport:
    """Compare the servers that are asked for with the lock.

    Raises:
        EconomeError: the comparison could not be made: whatever it is, nothing was compared.
    """
    asked: list[str] = []
    try:
        report = _checked(settings, words, values, asked, fail_on)
    except EconomeError as error:
        keep_unchecked(settings, values["lock"], asked, error)
        raise
    keep_checked(settings, report)
    return report


def _checked(
    settings: Settings,
    words: tuple[str, ...],
    values: Mapping[str, Any],
    asked: list[str],
    fail_on: str,
) -> LockReport:
    """Compare the servers that are asked for with the lock; *asked* has their names once they are known."""
    from econome.cli.sources_asked import rules_asked, sources_asked

    path = values["lock"]
    data = files.content(path)
    signature = _signature(data, values)
    rules = rules_asked(values["rules"])
    allowed = budgets(rules, values["rules"], own_rules(settings))
    sources = _some(sources_asked(settings, words, values), values)
    asked += [source.name for source in sources.sources]
    only = None if values["config"] else frozenset({sources.sources[0].name})
    looked_at = {source.name for source in sources.sources}
    reading: list[Held] = []

    def read() -> None:
        reading.append(Held(path, data, lockfile.read(data, path)))
        see_held(reading[0], only)
        for name, reason in sources.left_out:
            if name in reading[0].lock.servers.keys() - looked_at:
                text = LOCK["left_out"].format(name=name, reason=reason)
                raise ConfigRefused(values["config"], text)

    captures = captured_all(sources.sources, read)
    (found,) = reading
    report = judged(found, captures, allowed, values["rules"], only=only, fail_on=fail_on)
    return replace(
        report,
        left_out=sources.left_out,
        accept=_command(words, values),
        signature=signature,
        budget_files=(BUDGETS, *filter(None, [values["rules"]])),
    )


def compare(old: str, new: str, *, fail_on: str) -> LockReport:
    """Compare two lockfiles.

    Raises:
        LockBroken: one of them is no sound lock, or they count tokens in different ways.
    """
    for path in (old, new):
        _see_no_revision(path, old, new)
    before, after = held(old, piped=True), held(new, piped=True)
    if before.lock.tokenizer != after.lock.tokenizer:
        reason = LOCK["tokenizers"].format(one=before.lock.tokenizer, other=after.lock.tokenizer)
        raise LockBroken(after.path, reason)
    counting = counted_by(after.lock.tokenizer)
    report = compared(before, after.lock, counting, (), only=None, fail_on=fail_on, shown=after)
    return replace(report, against=after.path)


def _some(sources: Sources, values: Mapping[str, Any]) -> Sources:
    if not sources.sources:
        told = [
            LOCK["no_source_of"].format(name=name, reason=why) for name, why in sources.left_out
        ]
        why = f": {'; '.join(told)}" if told else ""
        raise UsageError(LOCK["no_source"].format(path=values["config"], why=why))
    return sources


def _see_none_dropped(
    before: Lock | None, servers: Mapping[str, Any], sources: Sources, values: Mapping[str, Any]
) -> None:
    """See that no server goes out of the lock only because its entry cannot be read here."""
    for name, reason in sources.left_out:
        if values["config"] and before and name in before.servers.keys() - servers.keys():
            facts = {"config": values["config"], "name": name, "reason": reason}
            raise UsageError(LOCK["dropped"].format(**facts))


def _counting(before: Lock | None, values: Mapping[str, Any]) -> Tokenizer:
    """Return how tokens are counted: as the lock does that is added to, or as is asked for."""
    from econome.tokenizers import DEFAULT

    kept = None if before is None else before.tokenizer
    asked = counted_by(values["tokenizer"] or kept or DEFAULT)
    if kept is not None and asked.name != kept and not values["config"]:
        raise UsageError(LOCK["tokenizer"].format(held=kept, asked=asked.name))
    return asked


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
        if given and not (name == "lock" and given == FILE):
            parts += [f"--{name}", shown_url(given) if name == "url" else given]
    return shlex.join([*parts, "--", *words] if words else parts)


def _signature(data: bytes, values: Mapping[str, Any]) -> Signature | None:
    """Return what is known of the signature of a lock, None where it has none.

    Raises:
        SignatureRefused: a signer is asked for, and it does not hold.
    """
    beside, signers = values["lock"] + signing.ENDING, values["signers"]
    if not signers:
        return Signature(beside) if os.path.lexists(beside) else None
    signer = signing.verify(data, beside, signers, values["signer"])
    return Signature(beside, signer, signers, values["signer"] is not None)


def _resigned(words: tuple[str, ...], values: Mapping[str, Any]) -> str:
    """Return the command that signs the lock anew, empty where no signature is beside it."""
    if not os.path.lexists(values["lock"] + signing.ENDING):
        return ""
    return _command(words, values, "--sign", "KEY")


def _see_no_revision(path: str, old: str, new: str) -> None:
    """See that a path that is no file is not meant as a commit.

    Raises:
        LockBroken: it may be; the text says how a lock of a commit is compared.
    """
    if path == "-" or os.path.lexists(path) or path.endswith((".lock", ".json")):
        return
    sides = [
        one if os.path.lexists(one) or one == "-" else f"<(git show {shlex.quote(f'{one}:{FILE}')})"
        for one in (old, new)
    ]
    raise LockBroken(path, LOCK["revision"].format(command=f"econome lock diff {' '.join(sides)}"))
