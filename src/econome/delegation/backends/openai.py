"""A model behind an OpenAI-compatible API: Ollama, llama.cpp, LM Studio, vLLM and others (D5).

Answers are streamed, so that to cancel the task closes the connection, which is what stops such a server. It asks the
address it was given and no other: no proxy of the environment, no redirect. Each question has a connection of its own. What
the server says of a failure stands in no error, since it may hold the prompt or the key.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

from econome.delegation.backends.bodies import body_of, models_in, reported
from econome.delegation.backends.faults import is_silent, reason_of
from econome.delegation.backends.stream import Answer, Events
from econome.delegation.options import BackendOptions
from econome.delegation.ports import Progress, Prompt, Written
from econome.errors import BackendAway, BackendFailed
from econome.tokens import estimate_tokens

if TYPE_CHECKING:
    import httpx2

__all__ = ["PAUSES_S", "OpenAiBackend"]

PAUSES_S: Final = (0.2, 0.8, 2.0)
"""The pauses before a connection that failed is tried again."""

_CONNECT_S = 5.0
_LIST_S = 10.0
_LAST_S = 5.0
"""The token counts come right after the end of the answer, or not at all."""
_LARGE = 100_000
"""To look through so many characters is not done between two turns of the loop."""
_ERROR_LIMIT = 1 << 16
_LIST_LIMIT = 1 << 22
_STREAM_LIMIT = 1 << 29
"""An answer that is as long as one may be comes with some 200 bytes around each token."""


class _SchemaRefused(Exception):
    """The server does not take the schema; without it, it may answer all the same."""


class _NotReached(Exception):
    """The connection failed before anything of an answer came."""


class OpenAiBackend:
    """A server that a name stands for; *key* is its bearer key."""

    def __init__(
        self,
        options: BackendOptions,
        key: str | None = None,
        *,
        pauses_s: Sequence[float] = PAUSES_S,
    ) -> None:
        self._options, self._pauses_s = options, pauses_s
        self._key = key
        self._headers = {"Accept-Encoding": "identity"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key}"
        self._offered: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """Its name in settings and presets."""
        return self._options.name

    @property
    def workers(self) -> int:
        """How many prompts it takes at once."""
        return self._options.workers

    @property
    def url(self) -> str:
        """The address of its API."""
        return self._options.url

    @property
    def key(self) -> str | None:
        """Its bearer key, where it wants one."""
        return self._key

    @property
    def model(self) -> str | None:
        """The model that its settings name."""
        return self._options.model

    async def usual_model(self) -> str:
        """Return the model that is asked where a prompt names none: that of the settings, else the server's first.

        Raises:
            BackendAway: the server cannot be reached, or has no model.
        """
        if self._options.model is not None:
            return self._options.model
        offered = self._offered or await self.models()
        if not offered:
            reason = "has no model that writes text; load one there, or name one in the settings"
            raise BackendAway(f"{self.name}: {self.url} {reason}")
        return offered[0]

    async def models(self) -> tuple[str, ...]:
        """Return the models that the server offers and that write text.

        Raises:
            BackendAway: it cannot be reached, or its answer is no list of models.
        """
        import httpx2

        try:
            async with asyncio.timeout(_LIST_S), self._client() as client:
                response = await client.send(
                    client.build_request("GET", f"{self.url}/models"), stream=True
                )
                async with aclosing(response):
                    data = await _read(response, _LIST_LIMIT)
        except (httpx2.HTTPError, OSError, TimeoutError) as error:
            if not is_silent(error):
                raise BackendAway(self._strange()) from None
            raise self._away(error) from None
        if response.status_code in (401, 403):
            raise BackendAway(self._key_refused(response.status_code))
        found = models_in(data) if response.status_code == 200 else None
        if found is None:
            reason = f"answered {response.status_code} and no list of models; is that the address of its API?"
            raise BackendAway(f"{self.name}: {self.url}/models {reason}")
        self._offered = tuple(name for name in found if not self._key or self._key not in name)
        return self._offered

    async def generate(self, prompt: Prompt, progress: Progress) -> Written:
        """Return the answer.

        Raises:
            BackendAway: it cannot be reached.
            BackendFailed: it was reached and did not finish.
        """
        model = prompt.model or await self.usual_model()
        try:
            return await self._ask(prompt, model, progress, held=prompt.schema is not None)
        except _SchemaRefused:
            return await self._ask(prompt, model, progress, held=False)

    async def close(self) -> None:
        """Do nothing: each question closes its own connection."""

    def _client(self) -> httpx2.AsyncClient:
        import httpx2

        return httpx2.AsyncClient(
            headers=self._headers,
            timeout=httpx2.Timeout(None, connect=_CONNECT_S),
            verify=self.url.startswith("https:"),
            follow_redirects=False,
            trust_env=False,
        )

    async def _ask(self, prompt: Prompt, model: str, progress: Progress, *, held: bool) -> Written:
        body = body_of(prompt, model, held=held)
        sent = f"{prompt.system or ''}\n{prompt.user}"
        for pause_s in (*self._pauses_s, None):
            answer = Answer(self.name, model)
            try:
                async with self._client() as client:
                    await self._once(client, body, answer, progress)
            except _NotReached as error:
                if pause_s is None:
                    raise self._away(error.__cause__) from None
                await asyncio.sleep(pause_s)
            else:
                return await self._written(answer, sent)
        raise AssertionError("the last try has no pause after it")

    async def _once(
        self, client: httpx2.AsyncClient, body: dict[str, Any], answer: Answer, progress: Progress
    ) -> None:
        """Ask once, and take in all of the answer."""
        import httpx2

        request = client.build_request("POST", f"{self.url}/chat/completions", json=body)
        try:
            async with asyncio.timeout(self._options.first_s) as limit:
                try:
                    response = await client.send(request, stream=True)
                except httpx2.TransportError as error:
                    if not is_silent(error):
                        raise BackendFailed(self._strange()) from None
                    raise _NotReached from error
                async with aclosing(response):
                    if response.status_code != 200:
                        await self._refused(response, answer, held="response_format" in body)

                    def came(piece: bool) -> None:
                        if piece:
                            progress(answer.pieces)
                        pause_s = self._options.pause_s
                        if answer.ended:
                            pause_s = min(pause_s, _LAST_S)
                        limit.reschedule(asyncio.get_running_loop().time() + pause_s)

                    await self._receive(response, answer, came)
        # The answer is whole where its end was heard, whatever becomes of the connection.
        except httpx2.TransportError:
            if not answer.ended:
                raise self._broke_off(answer) from None
        except TimeoutError:
            if not answer.ended:
                raise self._silent(answer) from None

    async def _receive(
        self, response: httpx2.Response, answer: Answer, came: Callable[[bool], None]
    ) -> None:
        events, size = Events(self.name), 0
        whole = response.headers.get("content-type", "").startswith("application/json")
        async for data in response.aiter_raw():
            size += len(data)
            if size > _STREAM_LIMIT:
                raise BackendFailed(f"{self.name}: sent more than {_STREAM_LIMIT} bytes")
            # A server that does not stream answers with one object, which may stand on many lines.
            if whole:
                events.hold(data)
                continue
            for event in events.feed(data):
                ended = answer.ended
                piece = answer.add(event)
                if piece or answer.ended != ended:
                    came(piece)
                if answer.done:  # some keep the connection open
                    return
        for event in events.end():
            if answer.add(event):
                came(True)
        if not answer.ended:
            raise self._broke_off(answer)

    async def _refused(self, response: httpx2.Response, answer: Answer, *, held: bool) -> None:
        """Raise what an HTTP error means."""
        status = response.status_code
        if held and status in (400, 422):
            raise _SchemaRefused
        if status in (401, 403):
            raise BackendFailed(self._key_refused(status))
        if 300 <= status < 400:
            reason = "redirects elsewhere, which is not followed; name that address in the settings"
            raise BackendFailed(f"{self.name}: {self.url} {reason}")
        try:
            said = json.loads(await _read(response, _ERROR_LIMIT))
        except (ValueError, RecursionError):
            said = None
        raise BackendFailed(
            f"{self.name}: {self.url} answered {status}{reported(said)} (model {answer.model})"
        )

    async def _written(self, answer: Answer, sent: str) -> Written:
        if answer.length + len(sent) > _LARGE:
            text, counted = await asyncio.to_thread(_measured, answer, sent)
        else:
            text, counted = _measured(answer, sent)
        if not text.strip():
            reason = "the model answered nothing"
            if answer.cut:
                reason = "the model came to no answer within `max_tokens`; allow it more"
            raise BackendFailed(f"{self.name}: {reason} (model {answer.model})")
        return Written(
            text=text,
            model=await self._model_of(answer),
            tokens_in=counted[0],
            tokens_out=counted[1],
            estimated=answer.usage is None,
            cut=answer.cut,
        )

    async def _model_of(self, answer: Answer) -> str:
        """Return the model that wrote an answer: the one that the server names, where that is one it offers."""
        named = answer.named
        if named is None or named == answer.model:
            return answer.model
        try:
            offered = await self.models() if self._offered is None else self._offered
        except BackendAway:
            offered = ()
        return named if named in offered else answer.model

    def _strange(self) -> str:
        reason = "answers what is no HTTP; is that the address of its API?"
        return f"{self.name}: {self.url} {reason}"

    def _key_refused(self, status: int) -> str:
        reason = (
            f"refuses the key ({status})"
            if "Authorization" in self._headers
            else f"wants a key ({status})"
        )
        return f"{self.name}: {self.url} {reason}; `key_env` names the environment variable that holds it"

    def _away(self, error: BaseException | None) -> BackendAway:
        away = f"{self.name}: {self.url} cannot be reached ({reason_of(error)})"
        return BackendAway(f"{away}; start it, or name another backend")

    def _broke_off(self, answer: Answer) -> BackendFailed:
        return BackendFailed(f"{self.name}: its answer broke off after {answer.pieces} pieces")

    def _silent(self, answer: Answer) -> BackendFailed:
        if answer.pieces:
            seconds, setting = self._options.pause_s, "pause_s"
            reason = f"said nothing for {seconds:g} s after {answer.pieces} pieces"
        else:
            seconds, setting = self._options.first_s, "first_s"
            reason = f"said nothing for {seconds:g} s"
        return BackendFailed(f"{self.name}: {reason}; `{setting}` in the settings gives it longer")


async def _read(response: httpx2.Response, limit: int) -> bytes:
    """Return at most *limit* bytes of a body."""
    data = b""
    async for part in response.aiter_raw():
        data += part
        if len(data) > limit:
            break
    return data[:limit]


def _measured(answer: Answer, sent: str) -> tuple[str, tuple[int, int]]:
    """Return an answer's text, and the tokens of prompt and answer."""
    counted = answer.usage or (estimate_tokens(sent), estimate_tokens(answer.received()))
    return answer.text(), counted
