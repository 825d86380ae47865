"""Which model does the work: the one that is named, else the usual one, else the first that is there (D5).

It makes each backend once and keeps it. It reads no settings and no environment: options and keys are given to it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from typing import Final

from econome.delegation.backends.embedded import EmbeddedBackend
from econome.delegation.backends.found import USUAL, Found, detect, listens
from econome.delegation.backends.openai import OpenAiBackend
from econome.delegation.local_model import LocalModel
from econome.delegation.options import BackendOptions, Options
from econome.delegation.ports import Backend
from econome.errors import BackendAway

__all__ = ["EMBEDDED", "Backends"]

EMBEDDED: Final = "embedded"
"""The name of the embedded model in settings and presets."""

_KEPT_S = 30.0
"""A server that answered is believed to be there for so long."""

_KEY = re.compile(r"[!-~]{1,4096}")

_AWAY_S = 3.0
"""And one that did not, to be away: whoever starts it need not wait."""


class Backends:
    """The backends of one office.

    *key_of* gives the value of an environment variable, None where it is not set; *monotonic* are seconds that only grow.
    """

    def __init__(
        self,
        options: Options,
        local: LocalModel,
        key_of: Callable[[str], str | None],
        monotonic: Callable[[], float],
        ports: Mapping[str, int] = USUAL,
    ) -> None:
        self._options, self._local, self._key_of = options, local, key_of
        self._monotonic, self._ports = monotonic, ports
        self._named = {named.name: named for named in options.backends}
        self._made: dict[str, OpenAiBackend] = {}
        self._model: EmbeddedBackend | None = None
        self._picking = asyncio.Lock()
        self._heard: dict[str, tuple[float, bool]] = {}
        self._found: tuple[float, list[Found]] | None = None

    async def pick(self, name: str | None = None) -> Backend:
        """Return the backend of a name; None is the usual one of the settings, else the first that is there.

        Raises:
            BackendAway: there is none; the text says what to start or to run.
        """
        async with self._picking:  # many requests at once look once
            name = name or self._options.backend
            return await (self._first() if name is None else self._called(name))

    async def close(self) -> None:
        """Let go of every backend."""
        self._made.clear()
        model, self._model = self._model, None
        if model is not None:
            await model.close()

    async def _called(self, name: str) -> Backend:
        if name in self._named:
            return self._server(self._named[name])
        if name == EMBEDDED:
            return self._embedded()
        if name not in self._ports:
            known = ", ".join([*self._named, *self._ports, EMBEDDED])
            raise BackendAway(f"no backend is called {name!r}; there are {known}")
        for found in await self._look():
            if found.name == name:
                return self._detected(found)
        where = f"nothing answers as {name} on port {self._ports[name]}"
        if not self._options.detect:
            where = f"{name} is not looked for, since the settings have `detect = false`"
        raise BackendAway(f"{where}; start it, or name its address in [backends.{name}]")

    async def _first(self) -> Backend:
        for named in self._named.values():
            if await self._answers(named):
                return self._server(named)
        for found in await self._look():
            return self._detected(found)
        if self._local.is_there():
            return self._embedded()
        for named in self._named.values():
            return self._server(named)  # away as it is: what is then said about it is what helps
        ports = ", ".join(f"{port} ({name})" for name, port in self._ports.items())
        looked = f"nothing answers on the usual ports {ports}"
        if not self._options.detect:
            looked = "the usual ports are not looked at"
        raise BackendAway(
            f"there is no model to do the work: {looked}, the settings name none, and the embedded model is not set up; "
            f"start one, or run `econome local setup` (a small model that proves the plumbing, not quality)"
        )

    async def _answers(self, named: BackendOptions) -> bool:
        until, there = self._heard.get(named.name, (None, False))
        if until is None or self._monotonic() > until:
            there = await listens(named.url)
            self._heard[named.name] = self._believed(there), there
        return there

    async def _look(self) -> list[Found]:
        if not self._options.detect:
            return []
        if self._found is None or self._monotonic() > self._found[0]:
            found = await detect(self._ports)
            self._found = self._believed(bool(found)), found
        return self._found[1]

    def _believed(self, there: bool) -> float:
        """Return until when what was just seen holds."""
        return self._monotonic() + (_KEPT_S if there else _AWAY_S)

    def _detected(self, found: Found) -> Backend:
        made = self._made.get(found.name)
        # A server that was started anew may offer other models.
        if made is None or found.models[0] != made.model:
            options = BackendOptions(name=found.name, url=found.url, model=found.models[0])
            made = self._made[found.name] = OpenAiBackend(options)
        return made

    def _server(self, named: BackendOptions) -> Backend:
        if named.name not in self._made:
            key = None
            if named.key_env is not None:
                # Without the variable's name, in whose place the key itself may stand.
                where = f"{named.name}: the environment variable that `key_env` of [backends.{named.name}] names"
                key = (self._key_of(named.key_env) or "").strip()
                if not key:
                    raise BackendAway(f"{where} is not set; it is to hold the key")
                if not _KEY.fullmatch(key):
                    raise BackendAway(f"{where} holds no key: letters that no key has")
            self._made[named.name] = OpenAiBackend(named, key)
        return self._made[named.name]

    def _embedded(self) -> Backend:
        if self._model is None:
            self._model = EmbeddedBackend(EMBEDDED, self._local)
        # Now, so that a request is refused rather than queued and failed.
        self._model.check_there()
        return self._model
