"""The two kinds of work: a text that a model answers with, and changes that a coder proposes (D2, D6).

What a model writes is data here: it is held to its format and handed on, and names no path and no act.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import dataclass

from econome.delegation.checking import checked
from econome.delegation.folders import Roots
from econome.delegation.formats import Format
from econome.delegation.outputs import write_output
from econome.delegation.ports import Ask, Backend, Coder, Job, Prompt, Proposal
from econome.delegation.prompt import again
from econome.delegation.seen import Eyes
from econome.delegation.work import Tally
from econome.durable import make_directory
from econome.errors import BackendFailed, FormatBroken

__all__ = ["Answering", "Coding", "Output"]


@dataclass(frozen=True, slots=True)
class Output:
    """Where an answer is written to, as it was asked for and within which bounds."""

    path: str
    roots: Roots
    overwrite: bool
    eyes: Eyes
    sensitive: bool

    def write(self, text: str) -> None:
        """Write the answer.

        Raises:
            FileRefused: it may not be written there, or cannot be.
        """
        write_output(
            self.path,
            text,
            None,
            self.roots,
            overwrite=self.overwrite,
            eyes=self.eyes,
            sensitive=self.sensitive,
        )


class Answering:
    """A prompt that a backend answers, in a format; a wrong answer is asked for once more."""

    def __init__(
        self,
        backend: Backend,
        prompt: Prompt,
        form: Format,
        preset: str | None = None,
        target: Output | None = None,
    ) -> None:
        self.place, self.workers = backend.name, backend.workers
        self.preset, self.format = preset, form.name
        self.output = None if target is None else target.path
        self._backend, self._prompt, self._form, self._target = backend, prompt, form, target

    async def work(self, request_id: str, tally: Tally, ask: Ask) -> str:
        """Return the answer in its format.

        Raises:
            BackendAway: the model cannot be reached.
            BackendFailed: it did not finish.
            FormatBroken: its answer was not of the format twice.
        """
        answer, reason = await self._try(self._prompt, tally)
        if reason is None:
            return answer
        answer, reason = await self._try(again(self._prompt, answer, reason), tally)
        if reason is None:
            return answer
        # A reason never quotes the answer, so it may stand in the journal.
        raise FormatBroken(
            f"the answer was not of the format {self.format}, twice: {reason}; "
            "ask for less, for another format, or of a larger model"
        )

    async def _try(self, prompt: Prompt, tally: Tally) -> tuple[str, str | None]:
        """Return an answer, and why it is not of the format where it is not."""
        tally.begin(prompt)
        written = await self._backend.generate(prompt, tally.progress)
        tally.add(written)
        try:
            return await checked(self._form, written.text), None
        except FormatBroken as error:
            cut = "it was cut at the limit of tokens; " if written.cut else ""
            return written.text, f"{cut}{error}"

    async def deliver(self, text: str) -> None:
        """Write the answer where it was asked for.

        Raises:
            FileRefused: it may not be written there, or cannot be.
        """
        if self._target is not None:
            await asyncio.to_thread(self._target.write, text)

    async def close(self) -> None:
        """There is nothing to clear away."""


class Coding:
    """A brief that a coder works on in a scratch directory of the request's own, below *directory*."""

    def __init__(
        self, coder: Coder, job: Job, directory: str, preset: str | None, form: str | None
    ) -> None:
        self.place, self.workers = coder.name, coder.workers
        self.preset, self.format = preset, form
        self.output: str | None = None
        self._coder, self._job, self._directory = coder, job, directory
        self._scratch: str | None = None

    async def work(self, request_id: str, tally: Tally, ask: Ask) -> str | Proposal:
        """Return what would change; where nothing would, what the coder said.

        Raises:
            BackendAway: the coder or its model cannot be reached.
            BackendFailed: it did not finish.
            ChangeRefused: there is no repository to work on.
        """
        self._scratch = os.path.join(self._directory, request_id)
        try:
            await asyncio.to_thread(make_directory, self._scratch)
        except OSError as error:
            reason = error.strerror or "it cannot be made"
            raise BackendFailed(f"{self._scratch}: {reason}") from None
        job = self._job
        job = Job(job.brief, job.repository, self._scratch, job.files, job.system, job.model)
        proposal = await self._coder.work(job, tally.progress, ask)
        tally.add(proposal.written)
        if proposal.changes:
            return proposal
        said, left_out = proposal.written.text, ", ".join(proposal.left_out)
        await proposal.discard()
        return f"{said}\n\n(Left out, not applied: {left_out})".lstrip() if left_out else said

    async def deliver(self, text: str) -> None:
        """What a coder says is written nowhere."""

    async def close(self) -> None:
        """Remove the scratch directory."""
        if self._scratch is not None:
            await asyncio.to_thread(shutil.rmtree, self._scratch, ignore_errors=True)
