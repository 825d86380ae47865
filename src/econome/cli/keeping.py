"""Keeps what `econome profile` and `econome lock` came to, for who looks at it later; it fails no command."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict

from econome import clock
from econome.contract.kept import keep
from econome.contract.measured import (
    MOST_ROWS,
    SCHEMA,
    Checked,
    Locked,
    Told,
    answers_of,
    ceilings_of,
    plain,
    profile_of,
)
from econome.errors import LockBroken, SettingsError, SignatureRefused, UpstreamAway, UsageError
from econome.times import instant_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from econome.cli.lock_report import LockReport, Written
    from econome.contract.kept import Record
    from econome.contract.measured import Reached
    from econome.errors import EconomeError
    from econome.settings import Settings

__all__ = ["keep_checked", "keep_locked", "keep_profiles", "keep_unchecked", "reached_by"]

_WHY: tuple[tuple[type[EconomeError], str], ...] = (
    (UpstreamAway, "away"),
    (LockBroken, "lock"),
    (SignatureRefused, "signature"),
    (SettingsError, "settings"),
)


def reached_by(words: tuple[str, ...], values: Mapping[str, Any]) -> Reached:
    """Return in a word how servers were reached."""
    if values["config"]:
        return "config"
    return "http" if values["url"] else "stdio" if words else "recording"


def keep_profiles(
    settings: Settings, servers: Iterable[Mapping[str, Any]], reached: Reached
) -> None:
    """Keep the profiles of servers, and what their recorded answers weighed."""
    at = _now()

    def records() -> Iterator[Record]:
        for server in servers:
            for record in (
                profile_of(server, reached=reached, at=at),
                answers_of(server, at=at),
            ):
                if record is not None:
                    yield record

    keep(settings.data_dir, records())


def keep_locked(settings: Settings, written: Written) -> None:
    """Keep that servers were locked."""
    at, lock = _now(), _whole(written.path)
    keep(
        settings.data_dir,
        [
            Locked(
                schema=SCHEMA,
                server=plain(one.name),
                lock=lock,
                at=at,
                tokenizer=written.tokenizer,
                estimate=written.estimate,
                tools=one.tools,
                tokens=one.tokens,
                risk=one.worst,
                unknown=one.unknown,
                signed=written.signed,
            )
            for one in written.kept
        ],
    )


def keep_checked(settings: Settings, report: LockReport) -> None:
    """Keep what a check said of each server that it looked at."""
    at, lock = _now(), _whole(report.path)
    keep(
        settings.data_dir,
        [_checked(report, server, lock, at) for server in report.drift.tokens],
    )


def keep_unchecked(
    settings: Settings, path: str, servers: Iterable[str], error: EconomeError
) -> None:
    """Keep that servers could not be checked, and why in a word; of a question that was wrong nothing is kept."""
    if isinstance(error, UsageError):
        return
    why = next((word for kind, word in _WHY if isinstance(error, kind)), "other")
    at, lock = _now(), _whole(path)
    keep(
        settings.data_dir,
        [Checked(SCHEMA, plain(server), lock, at, "unchecked", why) for server in servers],
    )


def _checked(report: LockReport, server: str, lock: str, at: str) -> Checked:
    findings = [one for one in report.findings if one.server == server]
    overs = [one for one in report.overs if one.server == server]
    fails = any(map(report.counts, findings)) or any(one.level == "fail" for one in overs)
    return Checked(
        schema=SCHEMA,
        server=plain(server),
        lock=lock,
        at=at,
        outcome="fails" if fails else "holds",
        fail_on=report.fail_on,
        severities=dict(Counter(one.severity for one in findings)),
        findings=tuple(
            Told(one.severity, one.kind, one.subject, plain(one.name))
            for one in findings[:MOST_ROWS]
        ),
        budget=ceilings_of(map(asdict, overs)),
    )


def _whole(path: str) -> str:
    return plain(os.path.abspath(path))


def _now() -> str:
    return instant_text(int(clock.now() // 1))
