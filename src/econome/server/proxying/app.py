"""The application that `econome proxy --listen` serves: one endpoint behind the gate of `econome serve`.

The same `Host`, `Origin` and bearer token are asked for (S1), for every path; nothing here reads a browser's cookie or shows
a page. It knows no upstream.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route

from econome.errors import BodyTooLarge, EconomeError
from econome.server.answers import Answer, Receive, Scope, Send, json_answer
from econome.server.body import TooLarge
from econome.server.failures import STATUS
from econome.server.gate import HEALTH, Gate, Refusals, cookie_name, healthy
from econome.server.hosts import Hosts
from econome.server.logins import Logins
from econome.server.proxying.faults import fault
from econome.server.standing import Standing
from econome.server.token import TokenFile
from econome.traces import place

__all__ = ["MCP", "App", "Endpoint", "Parts"]

MCP = "/mcp"

_DRAIN_BYTES, _DRAIN_SECONDS = 1_073_741_824, 5.0
"""Most MCP clients read no answer before they have sent all, so all is taken that comes in that time."""
_METHODS = ("DELETE", "GET", "POST")
_NO_PAGE = (
    b"<!doctype html><title>econome proxy</title><p>There is no page here, only an MCP endpoint.\n"
)
_REFUSALS = Refusals.of(fault)
_UNEXPECTED = json_answer(500, fault("something went wrong here; standard error says where"))


class Endpoint(Protocol):
    """What answers MCP."""

    async def begin(self) -> None:
        """Make ready, before the first request."""

    async def stop(self) -> None:
        """End the streams that wait for news."""

    async def close(self) -> None:
        """Let go of the upstream, after the last request."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What an application is made of; *log* takes a line, *clock* counts seconds."""

    endpoint: Endpoint
    token: TokenFile
    hosts: Hosts
    port: int
    log: Callable[[str], None]
    clock: Callable[[], float]


class App:
    """The whole application."""

    def __init__(self, parts: Parts) -> None:
        self._endpoint, self._log = parts.endpoint, parts.log
        inside = Starlette(
            routes=[Route(MCP, parts.endpoint, methods=_METHODS), Route(HEALTH, healthy)],
            lifespan=self._lifespan,
            exception_handlers={
                BodyTooLarge: _too_large,
                EconomeError: _expected,
                HTTPException: _no_route,
                Exception: _unexpected,
            },
        )
        inside.router.redirect_slashes = False
        self._standing = Standing(inside, parts.token, _REFUSALS.unknown)
        cookie = cookie_name(parts.port, secure=parts.hosts.secure)
        logins = Logins(parts.clock)
        self._gate = Gate(
            self._standing, parts.hosts, parts.token, logins, cookie, _NO_PAGE, _REFUSALS
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; what nobody expected is logged by its place, never by its text."""
        if scope["type"] != "http":
            await self._gate(scope, receive, send)
            return
        try:
            await self._gate(scope, receive, send)
        except Exception as error:
            self._log(f"unexpected {type(error).__name__} at {place(error.__traceback__)}")

    async def stop(self) -> None:
        """End the streams on which clients wait for news."""
        await self._endpoint.stop()

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(self._standing.watch())
        await self._endpoint.begin()
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
            await self._endpoint.close()


async def _too_large(request: Request, error: Exception) -> TooLarge:
    assert isinstance(error, EconomeError)
    return TooLarge(_refused(error), _DRAIN_BYTES, _DRAIN_SECONDS)


async def _expected(request: Request, error: Exception) -> Answer:
    assert isinstance(error, EconomeError)
    return _refused(error)


def _refused(error: EconomeError) -> Answer:
    return json_answer(STATUS[type(error)], fault(str(error)))


async def _no_route(request: Request, error: Exception) -> Answer:
    assert isinstance(error, HTTPException)
    return json_answer(error.status_code, fault("there is nothing here for that"), error.headers)


async def _unexpected(request: Request, error: Exception) -> Answer:
    return _UNEXPECTED
