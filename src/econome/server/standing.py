"""Ends what outlasts the token it was asked with: streams that wait for news above all.

The gate looks at the token when a request comes; this looks again, every second, for as long as one is being answered.
What the gate lets through without a token is left alone: no token was asked, so none can be outlasted.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from econome.server.answers import Application, Message, Receive, Scope, Send
from econome.server.gate import is_open

if TYPE_CHECKING:
    from econome.server.token import TokenFile

__all__ = ["LOOK_SECONDS", "Standing"]

LOOK_SECONDS = 1.0


class Standing:
    """The application behind the gate; who is cut off before an answer began gets *refusal*."""

    def __init__(self, app: Application, token: TokenFile, refusal: Application) -> None:
        self._app, self._token, self._refusal = app, token, refusal
        self._generations: dict[asyncio.Task[Any], int] = {}
        self._ended: set[asyncio.Task[Any]] = set()

    async def watch(self) -> None:
        """Look for another token until it is cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if self._generations:
                self.look()

    def look(self) -> None:
        """End what was asked with another token than there is now."""
        self._token.refresh()
        for task, generation in self._generations.items():
            if generation != self._token.generation:
                self._ended.add(task)
                task.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request while its token holds."""
        task = asyncio.current_task()
        if scope["type"] != "http" or task is None or is_open(scope):
            await self._app(scope, receive, send)
            return
        begun = False

        async def answer(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        # Without another look: the gate's was the one that counts, and a later one may already see the next token.
        self._generations[task] = self._token.generation
        try:
            await self._app(scope, receive, answer)
        except asyncio.CancelledError:
            if task not in self._ended:
                raise
            task.uncancel()
            del self._generations[task]  # or it would be ended once more
            if begun:
                await send({"type": "http.response.body", "body": b""})
            else:
                await self._refusal(scope, receive, send)
        finally:
            self._generations.pop(task, None)
            self._ended.discard(task)
