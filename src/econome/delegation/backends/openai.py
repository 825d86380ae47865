"""A model behind an OpenAI-compatible API: Ollama, llama.cpp, LM Studio, vLLM and others (D5).

Answers are streamed, so that to cancel the task closes the connection, which is what stops such a server. It asks the
address it was given and no other: no proxy of the environment, no redirect. Each question has a connection of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

from econome.delegation.backends.bodies import body_of, models_in
from econome.delegation.backends.stream import Answer, Lines, reported
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
        self._first_model: str | None = None

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
        if self._first_model is None:
            offered = await self.models()
            if not offered:
                reason = (
                    "has no model that writes text; load one there, or name one in the settings"
                )
                raise BackendAway(f"{self.name}: {self.url} {reason}")
            self._first_model = offered[0]
        return self._first_model

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
            raise self._away(error) from None
        if response.status_code in (401, 403):
            raise BackendAway(self._key_refused(response.status_code))
        found = models_in(data) if response.status_code == 200 else None
        if found is None:
            reason = f"answered {response.status_code} and no list of models; is that the address of its API?"
            raise BackendAway(f"{self.name}: {self.url}/models {reason}")
        return found

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
            answer = Answer(self.name, model, sent)
            try:
                async with self._client() as client:
                    await self._once(client, body, answer, progress)
            except _NotReached as error:
                if pause_s is None:
                    raise self._away(error.__cause__) from None
                await asyncio.sleep(pause_s)
            else:
                return self._written(answer, sent)
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
                    raise _NotReached from error
                async with aclosing(response):
                    if response.status_code != 200:
                        await self._refused(response, answer, held="response_format" in body)

                    def came() -> None:
                        progress(answer.pieces)
                        limit.reschedule(asyncio.get_running_loop().time() + self._options.pause_s)

                    await self._receive(response, answer, came)
        except httpx2.TransportError:
            raise self._broke_off(answer) from None
        except TimeoutError:
            raise self._silent(answer) from None

    async def _receive(
        self, response: httpx2.Response, answer: Answer, came: Callable[[], None]
    ) -> None:
        lines, size = Lines(self.name), 0
        whole = response.headers.get("content-type", "").startswith("application/json")
        async for data in response.aiter_raw():
            size += len(data)
            if size > _STREAM_LIMIT:
                raise BackendFailed(f"{self.name}: sent more than {_STREAM_LIMIT} bytes")
            # A server that does not stream answers with one object, which may stand on many lines.
            if whole:
                lines.hold(data)
                continue
            for payload in lines.feed(data):
                if answer.add(payload):
                    came()
        for payload in lines.end():
            if answer.add(payload):
                came()
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
        reason = reported(said, answer.prompt)
        raise BackendFailed(
            f"{self.name}: {self.url} answered {status}{reason} (model {answer.model})"
        )

    def _written(self, answer: Answer, sent: str) -> Written:
        text = answer.text()
        if not text.strip():
            reason = "the model answered nothing"
            if answer.cut:
                reason = "the model came to no answer within `max_tokens`; allow it more"
            raise BackendFailed(f"{self.name}: {reason} (model {answer.model})")
        counted = answer.usage or (estimate_tokens(sent), estimate_tokens(answer.received()))
        return Written(
            text=text,
            model=answer.model,
            tokens_in=counted[0],
            tokens_out=counted[1],
            estimated=answer.usage is None,
            cut=answer.cut,
        )

    def _key_refused(self, status: int) -> str:
        reason = (
            f"refuses the key ({status})"
            if "Authorization" in self._headers
            else f"wants a key ({status})"
        )
        return f"{self.name}: {self.url} {reason}; `key_env` names the environment variable that holds it"

    def _away(self, error: BaseException | None) -> BackendAway:
        reason = "no answer in time" if isinstance(error, TimeoutError) else _reason(error)
        return BackendAway(
            f"{self.name}: {self.url} cannot be reached ({reason}); start it, or name another backend"
        )

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


def _reason(error: BaseException | None) -> str:
    """Return why a connection failed, in the system's words where there are some."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
            return os.strerror(error.errno)
        error = error.__cause__ or error.__context__
    return str(seen[0]) or type(seen[0]).__name__ if seen else "no reason is known"
