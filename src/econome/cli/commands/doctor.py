"""`econome doctor`: what was read, what was not, and what to do about it.

Where another command would fail - settings that cannot be read, a root that is missing - it goes on and says so.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from typing import Any

import click

from econome import clock, settings
from econome.cli.opening import World
from econome.cli.params import params
from econome.cli.texts import COMMANDS
from econome.errors import HistoryBroken, PresetError, RootMissing, SettingsError, UnknownZone
from econome.prices import table
from econome.settings import Settings
from econome.usage.asking import Asked, ask
from econome.usage.doctor import SCHEMA, Check, Facts, examine
from econome.usage.open import index_path
from econome.usage.query import Query
from econome.usage.report import usage_report
from econome.usage.tree import Flaws

__all__ = ["command"]


@click.command(help=COMMANDS["doctor"])
@params("timezone", "root", "data-dir", "json", "offline", "no-index")
def command(**values: object) -> None:
    """Gather the facts, have them judged, and word the findings."""
    asked = ask(values)
    facts, history_error = _gather(asked)
    checks = examine(facts)
    if history_error is not None:
        checks.append(Check("history_broken", "problem", {"error": history_error}))
    checks += _delegation(asked.data_dir)
    from econome.cli.render.doctor import show, worded

    if asked.form == "json":
        from econome.jsontext import dumps

        report = {"schema": SCHEMA, "checks": [worded(check) for check in checks]}
        sys.stdout.write(dumps(report) + "\n")
        return
    from econome.cli.render.screen import Screen

    show(Screen(), checks)


def _gather(asked: Asked) -> tuple[Facts, str | None]:
    """Return what can be found out, failures among it, and what is wrong with the history."""
    found, settings_error = _settings(asked.data_dir)
    try:
        prices = table.load(found.price_overrides, None, found.config_file)
    except SettingsError as error:
        settings_error, found.price_overrides = str(error), {}
        prices = table.load()
    zone_name = asked.timezone or found.timezone
    zone_error = None
    try:
        zone = clock.zone(zone_name)
    except UnknownZone as error:
        if asked.timezone:
            raise
        zone, zone_error = clock.zone(None), str(error)
    with World(found, zone, clock.now()) as world:
        history_error = None
        try:
            report, flaws, roots_error = _report(world, asked)
        except HistoryBroken as error:
            history_error, found.history = str(error), False
            report, flaws, roots_error = _report(world, asked)
        shown = f"{world.zone_name(asked.timezone)} ({_offset(zone.offset(int(world.now)))} now)"
    path = index_path(found)
    places = [os.path.abspath(root) for root in asked.roots or []] or found.places()
    facts = Facts(
        today=world.today,
        places=tuple((place, os.path.isdir(place)) for place in places),
        report=report,
        roots_error=roots_error,
        zone=shown,
        zone_error=zone_error,
        settings_file=found.config_file,
        settings_there=os.path.isfile(found.config_file),
        settings_error=settings_error,
        history=found.history,
        index=_index_state(path) if asked.index else "unused",
        index_path=path,
        index_bytes=os.path.getsize(path) if os.path.isfile(path) else 0,
        prices_version=prices.version,
        prices_checked=prices.checked,
        overridden=prices.overridden,
        flaws=tuple(flaws),
    )
    return facts, history_error


def _offset(seconds: int) -> str:
    """Return an offset from UTC as people write it."""
    minutes = abs(seconds) // 60
    return f"UTC{'-' if seconds < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"


def _settings(data_dir: str | None) -> tuple[Settings, str | None]:
    try:
        return settings.load(data_dir=data_dir), None
    except SettingsError as error:
        return Settings(os.environ, data_dir), str(error)


def _delegation(data_dir: str | None) -> list[Check]:
    """Return what is wrong with what the settings say of handing work over; it is only read."""
    from econome.delegation.options import options_of
    from econome.delegation.shipped import load_presets, presets_path

    found, _ = _settings(data_dir)
    checks = []
    try:
        options = options_of(found)
    except SettingsError as error:
        checks.append(Check("delegation_wrong", "problem", {"error": str(error)}))
    else:
        missing = [root for root in options.roots or () if not os.path.isdir(root)]
        if missing:
            checks.append(Check("delegation_roots", "problem", {"missing": missing}))
    try:
        load_presets(presets_path(found))
    except PresetError as error:
        checks.append(Check("presets_wrong", "problem", {"error": str(error)}))
    return checks or [Check("delegation", "ok", {})]


def _report(world: World, asked: Asked) -> tuple[dict[str, Any] | None, list[Flaws], str | None]:
    try:
        tree = world.open(asked.roots, index=asked.index)
    except RootMissing as error:
        if asked.roots:
            raise
        return None, [], str(error)
    report = usage_report(tree, Query(), world.zone, world.today)
    return report, tree.flaws(), None


def _index_state(path: str) -> Any:
    """Return `ok`, `absent` or `damaged`, as the database itself sees it."""
    if not os.path.isfile(path):
        return "absent"
    try:
        base = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5.0)
        try:
            (found,) = base.execute("PRAGMA quick_check(1)").fetchone()
        finally:
            base.close()
    except sqlite3.Error:
        return "damaged"
    return "ok" if found == "ok" else "damaged"
