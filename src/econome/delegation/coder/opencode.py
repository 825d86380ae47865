"""The coder: opencode works in a clone, its questions go to the caller, and what it changed is proposed (D5, D7).

It decides what opencode is told and when it is done. What opencode or its model says is data here, but for the questions, which
are put to the caller word for word.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from econome.delegation.coder.apply import apply_changes
from econome.delegation.coder.changes import Changed, find_changes
from econome.delegation.coder.clone import Base, clone
from econome.delegation.coder.diffs import Diffs, make_diffs
from econome.delegation.coder.running import Opencode, password, running, surroundings
from econome.delegation.coder.speech import (
    PROVIDER,
    Asked,
    Idle,
    Piece,
    Refused,
    Trouble,
    failure_in,
    read_event,
    settings,
    written_in,
)
from econome.delegation.order import Change
from econome.delegation.ports import Ask, Job, Progress, Written
from econome.errors import BackendAway, BackendFailed

__all__ = ["NAME", "OpencodeCoder", "OpencodeProposal", "Source"]

NAME: Final = "opencode"
"""The coder's name in settings and presets."""

_Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Source:
    """The server of the model that a coder uses: the address of its API, a model there, and its key where it wants one."""

    url: str
    model: str
    key: str | None = None


class OpencodeCoder:
    """opencode, started anew for each job. *program* is its name or path; programs are found along *path*."""

    def __init__(
        self, program: str, path: str, source: Callable[[], Awaitable[Source]], *, workers: int = 1
    ) -> None:
        self._program, self._path, self._source, self._workers = program, path, source, workers

    @property
    def name(self) -> str:
        """Its name in settings and presets."""
        return NAME

    @property
    def workers(self) -> int:
        """How many jobs it takes at once."""
        return self._workers

    async def work(self, job: Job, progress: Progress, ask: Ask) -> OpencodeProposal:
        """Return what it would change.

        Raises:
            BackendAway: it, or the model that it needs, cannot be reached.
            BackendFailed: it did not finish.
            ChangeRefused: there is no repository to work on.
        """
        program = shutil.which(self._program, path=self._path)
        if program is None:
            raise BackendAway(
                f"{self._program} is not installed; install the npm package opencode-ai, "
                "or say where it is in `opencode` under [delegation] in config.toml"
            )
        source = await self._source()
        place, home = os.path.join(job.scratch, "clone"), os.path.join(job.scratch, "home")
        base = await clone(job.repository, place)
        os.makedirs(os.path.join(home, "tmp"), mode=0o700)
        model = job.model or source.model
        told = surroundings(home, self._path, settings(source.url, model), password())
        async with running(program, place, told) as opencode:
            written = await _Talk(opencode, model, progress, ask).hold(job, source.key)
        found = await asyncio.to_thread(find_changes, base, place)
        diffs = await asyncio.to_thread(make_diffs, found.changes, found.left_out)
        for each in (place, home):  # it may wait long for a review
            await asyncio.to_thread(shutil.rmtree, each, ignore_errors=True)
        return OpencodeProposal(base, found.changes, diffs, written)

    async def close(self) -> None:
        """Do nothing: each job ends its own."""


class OpencodeProposal:
    """What a coder would change, in memory: what is reviewed is what is applied."""

    def __init__(self, base: Base, changed: list[Changed], diffs: Diffs, written: Written) -> None:
        self._base, self._changed, self._diffs, self._written = base, changed, diffs, written

    @property
    def changes(self) -> tuple[Change, ...]:
        """The files that would change."""
        return self._diffs.changes

    @property
    def refusal(self) -> str | None:
        """Why they cannot be applied, whatever the repository is like by then; None where they may be."""
        return self._diffs.refusal

    @property
    def left_out(self) -> tuple[str, ...]:
        """Paths that are no part of the changes: what tools left behind, and new binary files."""
        return self._diffs.left_out

    @property
    def written(self) -> Written:
        """What the coder said at the end, and what it consumed."""
        return self._written

    async def diff(self, path: str | None = None) -> str:
        """Return the unified diff, of one file or of all; files that make programs run come first.

        Raises:
            ChangeRefused: the file is not among them.
        """
        return self._diffs.text(path)

    async def apply(self) -> tuple[str, ...]:
        """Apply all of it to the repository, or nothing; return the paths.

        Raises:
            ChangeRefused: it cannot be applied as it is.
        """
        return await asyncio.to_thread(apply_changes, self._base, self._changed)

    async def discard(self) -> None:
        """Throw it away."""
        self._changed, self._diffs = [], Diffs((), ())


class _Talk:
    """One conversation with a running opencode."""

    def __init__(self, opencode: Opencode, model: str, progress: Progress, ask: Ask) -> None:
        self._opencode, self._model = opencode, model
        self._progress, self._ask = progress, ask
        self._pieces = 0

    async def hold(self, job: Job, key: str | None) -> Written:
        """Give it the job, answer what it asks, and return what it says when it is done."""
        if key is not None:
            await self._opencode.call("PUT", f"/auth/{PROVIDER}", {"type": "api", "key": key})
        made = await self._opencode.call("POST", "/session", {"title": "econome"})
        session = made.get("id") if isinstance(made, dict) else None
        if not isinstance(session, str):
            raise BackendFailed("opencode is of a version that econome does not know")
        events: asyncio.Queue[_Event | None] = asyncio.Queue()
        pump = asyncio.create_task(self._pump(events))
        try:
            await events.get()  # it listens from here on
            await self._opencode.call(
                "POST", f"/session/{session}/prompt_async", _prompt(job, self._model)
            )
            await self._follow(events, pump, session)
        finally:
            pump.cancel()
            await asyncio.wait({pump})
        messages = await self._opencode.call("GET", f"/session/{session}/message")
        listed = messages if isinstance(messages, list) else []
        failed = failure_in(listed)
        if failed is not None:
            raise BackendFailed(f"opencode broke off: {failed}")
        return written_in(listed, self._model, job.brief)

    async def _pump(self, events: asyncio.Queue[_Event | None]) -> None:
        try:
            async for event in self._opencode.events():
                events.put_nowait(event)
        finally:
            events.put_nowait(None)

    async def _follow(
        self, events: asyncio.Queue[_Event | None], pump: asyncio.Task[None], session: str
    ) -> None:
        """Go along with it until it is done."""
        while (raw := await events.get()) is not None:
            event = read_event(raw, session)
            if isinstance(event, Piece):
                self._pieces += 1
                self._progress(self._pieces)
            elif isinstance(event, Asked):
                await self._answer(event, pump)
            elif isinstance(event, Refused):
                await self._opencode.call("POST", f"/question/{event.id}/reject", {})
            elif isinstance(event, Trouble):
                raise BackendFailed(f"opencode: {event.reason}")
            elif isinstance(event, Idle):
                return
        raise BackendFailed("opencode ended before it was done")

    async def _answer(self, asked: Asked, pump: asyncio.Task[None]) -> None:
        allowed = False
        if asked.question is not None:
            answer = asyncio.ensure_future(self._ask(asked.question))
            try:
                await asyncio.wait({answer, pump}, return_when=asyncio.FIRST_COMPLETED)
                if not answer.done():
                    raise BackendFailed("opencode ended while it waited for leave")
                allowed = answer.result()
            finally:
                answer.cancel()
                await asyncio.wait({answer})
        reply = {"reply": "once" if allowed else "reject"}
        await self._opencode.call("POST", f"/permission/{asked.id}/reply", reply)


def _prompt(job: Job, model: str) -> dict[str, Any]:
    text = job.brief
    if job.files:
        listed = "\n".join(f"- {path}" for path in job.files)
        text = f"{text}\n\nThis is about these files:\n{listed}"
    prompt: dict[str, Any] = {
        "model": {"providerID": PROVIDER, "modelID": model},
        "parts": [{"type": "text", "text": text}],
    }
    if job.system:
        prompt["system"] = job.system
    return prompt
