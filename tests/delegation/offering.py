"""A program with an office on a real backend: `python -m tests.delegation.offering DIRECTORY URL`.

It takes two requests in, prints their ids, says `writing` once the model answers, and then waits to be killed.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from econome.delegation.backends.openai import OpenAiBackend
from econome.delegation.options import BackendOptions, Options
from econome.delegation.ports import Backend
from econome.delegation.workbench import Workbench
from tests.delegation.desks import CALLER, ORDER, office_on

__all__ = ["One", "bench", "main"]


class One:
    """Whoever is asked for a model, there is this one."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def pick(self, name: str | None = None) -> Backend:
        return self._backend

    async def close(self) -> None:
        await self._backend.close()


def bench(place: Path, url: str, options: Options = Options()) -> Workbench:  # noqa: B008 - frozen
    """Return a workbench whose one model answers at *url*."""
    return Workbench(
        options,
        One(OpenAiBackend(BackendOptions("scripted", url))),
        presets=str(place / "presets.toml"),
        scratch=str(place / "work"),
        home=str(place / "home"),
        closed=(str(place / "data"),),
    )


async def main(place: Path, url: str) -> None:
    """Never end."""
    async with office_on(place, bench(place, url), clock=time.monotonic) as office:
        ids = [await office.submit(ORDER, CALLER) for _ in range(2)]
        print(*ids, sep="\n", flush=True)
        while not (await office.standing(ids[0])).written:
            await asyncio.sleep(0.01)
        print("writing", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
