"""Makes tasks of orders: which preset, format and model, which files, and where the answer goes (D2, D5, D6, D7).

It puts together what others know and decides only what an order leaves open. Files are read here, before the request is
queued: what cannot be read is refused at once, and what a request is about does not change while it waits.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from typing import Protocol

from econome.delegation.carrying import Answering, Coding, Output
from econome.delegation.files import Limits, read_files
from econome.delegation.folders import Roots
from econome.delegation.formats import Format, read_format
from econome.delegation.options import Options, options_of
from econome.delegation.order import Caller, Order
from econome.delegation.outputs import check_output
from econome.delegation.ports import Backend, Coder, Job
from econome.delegation.presets import CODER, Preset
from econome.delegation.prompt import prompt_of
from econome.delegation.repository import find_repository
from econome.delegation.seen import Seen
from econome.delegation.shipped import load_presets, presets_path
from econome.delegation.work import Task
from econome.errors import BackendAway, DelegationRefused, PresetError
from econome.settings import Settings

__all__ = ["Picker", "Workbench", "workbench"]

_KB = 1024


class Picker(Protocol):
    """Whoever knows the models; see `backends.choice`."""

    async def pick(self, name: str | None = None) -> Backend:
        """Return the backend of a name, or the usual one."""

    async def close(self) -> None:
        """Let go of every backend."""


class Workbench:
    """The desk of an office.

    *presets* is the path of the user's own; *closed* are directories that no request may reach; *home* is no directory
    to hand over as a whole; *scratch* is where coders work, each request in a directory of its own.
    """

    def __init__(
        self,
        options: Options,
        backends: Picker,
        *,
        presets: str,
        scratch: str,
        home: str,
        closed: tuple[str, ...] = (),
        coder: Callable[[], Coder] | None = None,
    ) -> None:
        self._options, self._backends, self._presets = options, backends, presets
        self._scratch, self._home, self._closed = scratch, home, closed
        self._make_coder = coder
        self._coder: Coder | None = None
        self._seen = Seen()
        kilobytes = options.max_file_kb * _KB, options.max_files_kb * _KB
        self._limits = Limits(*kilobytes, sensitive=options.sensitive)
        shutil.rmtree(scratch, ignore_errors=True)  # what coders of a killed process left

    async def take(self, order: Order, caller: Caller) -> Task:
        """Return the task of an order.

        Raises:
            DelegationRefused: it asks for nothing, or for what does not go together.
            PresetError: the presets cannot be read, or hold none of that name.
            FileRefused: a file cannot be read, or the answer could not be written.
            BackendAway: there is no model to do it.
        """
        if not order.brief.strip():
            raise DelegationRefused("the brief is empty; say what is to be done")
        preset = await asyncio.to_thread(self._preset, order.preset)
        if preset is not None and preset.backend == CODER:
            return await self._coding(order, preset)
        return await self._answering(order, caller, preset)

    async def close(self) -> None:
        """Let go of every backend."""
        try:
            await self._backends.close()
        finally:
            if self._coder is not None:
                await self._coder.close()

    def _preset(self, name: str | None) -> Preset | None:
        if name is None:
            return None
        presets = load_presets(self._presets)
        if name not in presets:
            raise PresetError("", name, f"no such preset; there are {', '.join(sorted(presets))}")
        return presets[name]

    def _roots(self, order: Order) -> Roots:
        allowed = self._options.roots
        if allowed is None:
            begun = order.base
            allowed = () if begun is None or self._holds_home(begun) else (begun,)
        return Roots(allowed, order.roots, self._closed)

    def _holds_home(self, directory: str) -> bool:
        """Tell whether the home directory is in a directory, or is it: too much to hand over unasked."""
        home, real = os.path.realpath(self._home), os.path.realpath(directory)
        return os.path.commonpath((home, real)) == real

    async def _answering(self, order: Order, caller: Caller, preset: Preset | None) -> Answering:
        form, roots, eyes = _format(order, preset), self._roots(order), self._seen.by(caller.line)
        # Read first: what a request reads, its caller has seen, and may replace.
        texts = await asyncio.to_thread(
            read_files, order.files, order.base, roots, self._limits, eyes
        )
        target = None
        if order.output is not None:
            sensitive = self._options.sensitive
            # The whole path is what is told and kept: a later reader of the file names it so.
            whole = await asyncio.to_thread(
                check_output,
                order.output,
                order.base,
                roots,
                overwrite=order.overwrite,
                eyes=eyes,
                sensitive=sensitive,
            )
            target = Output(whole, roots, order.overwrite, eyes, sensitive)
        backend = await self._pick(preset)
        prompt = prompt_of(preset, order, texts, form)
        return Answering(backend, prompt, form, order.preset, target)

    async def _pick(self, preset: Preset | None) -> Backend:
        if preset is None or preset.backend is None:
            return await self._backends.pick()
        try:
            return await self._backends.pick(preset.backend)
        except BackendAway as error:
            raise BackendAway(f"preset {preset.name}: {error}") from None

    async def _coding(self, order: Order, preset: Preset) -> Coding:
        if order.output is not None or order.format is not None:
            reason = (
                f"{preset.name} changes files where they are; leave the output and the format out"
            )
            raise DelegationRefused(reason)
        if self._make_coder is None:
            raise DelegationRefused(f"{preset.name}: there is no coder here")
        repository, files = await asyncio.to_thread(
            find_repository, order.files, order.base, self._roots(order)
        )
        if self._coder is None:
            self._coder = self._make_coder()
        job = Job(order.brief, repository, "", files, preset.system, preset.model)
        return Coding(self._coder, job, self._scratch, order.preset, preset.format.name)


def _format(order: Order, preset: Preset | None) -> Format:
    """Return the format: that of the order, else of the preset; a preset's schema goes with its own format only."""
    usual = Format("text") if preset is None else preset.format
    if order.format is None or order.format == usual.name:
        return usual
    return read_format(order.format)


def workbench(settings: Settings) -> tuple[Workbench, Options]:
    """Return the workbench that the settings describe, and the options.

    Raises:
        SettingsError: a setting is wrong.
    """
    from econome.delegation.backends.openai import OpenAiBackend
    from econome.delegation.choosing import backends_of
    from econome.delegation.coder.opencode import OpencodeCoder, Source

    options = options_of(settings)
    backends = backends_of(settings, options)

    async def source() -> Source:
        backend = await backends.pick()
        if not isinstance(backend, OpenAiBackend):
            reason = (
                "cannot change files; start a server with a larger model, or name one in [backends]"
            )
            raise BackendAway(f"the model {backend.name} {reason}")
        return Source(backend.url, await backend.usual_model(), backend.key)

    bench = Workbench(
        options,
        backends,
        presets=presets_path(settings),
        scratch=os.path.join(settings.data_dir, "work"),
        home=settings.home(),
        closed=(settings.data_dir, os.path.dirname(settings.config_file)),
        coder=lambda: OpencodeCoder(
            options.opencode, settings.variable("PATH") or os.defpath, source
        ),
    )
    return bench, options
