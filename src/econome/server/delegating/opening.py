"""Puts an office together from the settings.

What it is made of is imported only here, in a thread, so that no start waits for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from econome import clock

if TYPE_CHECKING:
    from econome.delegation.office import Office
    from econome.settings import Settings

__all__ = ["instant", "open_office"]


async def open_office(settings: Settings, log: Callable[[str], None]) -> Office:
    """Return an office that is open; only the holder of the ledger's lock may have one.

    Raises:
        SettingsError: a setting is wrong.
        PresetError: the presets cannot be read.
        LedgerBroken: the journal or the register cannot be opened or repaired.
    """
    office = await asyncio.to_thread(_made, settings, log)
    await office.open()
    return office


def _made(settings: Settings, log: Callable[[str], None]) -> Office:
    from econome.delegation.office import Office
    from econome.delegation.workbench import workbench

    bench, options = workbench(settings)
    return Office(
        directory=settings.data_dir,
        options=options,
        desk=bench,
        log=log,
        monotonic=time.monotonic,
        instant=instant,
    )


def instant() -> str:
    """Return the present moment, RFC 3339 with milliseconds."""
    moment = datetime.fromtimestamp(clock.now(), UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
