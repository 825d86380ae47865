"""Puts the application together: routes inside, the gate around all of them.

It decides nothing that a route or the gate decides; it knows which path leads where, and what begins and ends with the
server.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route

from econome.errors import BodyTooLarge, EconomeError, LedgerUnwritable
from econome.server import economies, metrics, openapi
from econome.server.answers import Answer, Receive, Scope, Send, json_answer
from econome.server.api import Api
from econome.server.body import TooLarge
from econome.server.delegating.opening import open_office
from econome.server.delegating.posted import ROUTE
from econome.server.delegating.route import ToolCalls
from econome.server.delegating.standby import Standby
from econome.server.desk import Desk
from econome.server.economies import Economies
from econome.server.failures import refused
from econome.server.gate import UNKNOWN, Gate, cookie_name
from econome.server.hosts import Hosts
from econome.server.later import LaterMcp
from econome.server.live import PATH as LIVE
from econome.server.live import Live
from econome.server.logins import Logins
from econome.server.logs import sparing
from econome.server.metrics import Tally, exposition
from econome.server.pages import Pages, page_text
from econome.server.standing import Standing
from econome.server.token import TokenFile
from econome.server.tools import tools
from econome.server.wire import fault
from econome.traces import place
from econome.usage.asking import ask

if TYPE_CHECKING:
    from econome.savings.store import Ledger
    from econome.settings import Settings

__all__ = ["MCP", "App", "Parts"]

MCP = "/mcp"

_UNEXPECTED = json_answer(500, fault("something went wrong here; the server's log says where"))
_DISK = 503
_ANY_METHOD = ("DELETE", "GET", "POST")


@dataclass(frozen=True, slots=True)
class Parts:
    """What an application is made of; *key* is the one of the ledger's lock.

    *log* takes a line, *clock* counts seconds, *arrival* tells the time.
    """

    settings: Settings
    ledger: Ledger
    token: TokenFile
    hosts: Hosts
    port: int
    log: Callable[[str], None]
    clock: Callable[[], float]
    arrival: Callable[[], str]
    key: str


class App:
    """The whole application."""

    def __init__(self, parts: Parts) -> None:
        secure = parts.hosts.secure
        cookie = cookie_name(parts.port, secure=secure)
        logins = Logins(parts.clock)
        self._ledger, self._log = parts.ledger, sparing(parts.log, parts.clock)
        self._desk = Desk(parts.settings, lambda: parts.ledger.size)
        self._office = Standby(partial(open_office, parts.settings, parts.log), self._log)
        self._mcp = LaterMcp(tools(self._desk, self._office), self._log)
        self._live = Live(parts.settings)
        self.routes = [
            Route(economies.PATH, Economies(parts.ledger, parts.arrival), methods=["POST"]),
            Route(MCP, self._mcp, methods=_ANY_METHOD),
            *Api(self._desk, parts.token, logins).routes(),
            Route(LIVE, self._live, methods=["GET"]),
            Route(ROUTE, ToolCalls(self._office, parts.key), methods=["POST"]),
            Route(metrics.PATH, self._metrics),
            Route(openapi.PATH, self._openapi),
            *Pages(self._desk, parts.token, logins, cookie, secure=secure).routes(),
        ]
        inside = Starlette(
            routes=self.routes,
            lifespan=self._lifespan,
            exception_handlers={
                BodyTooLarge: _too_large,
                EconomeError: self._expected,
                HTTPException: _no_route,
                Exception: _unexpected,
            },
        )
        inside.router.redirect_slashes = False
        self._standing = Standing(inside, parts.token, UNKNOWN)
        gate = Gate(
            self._standing, parts.hosts, parts.token, logins, cookie, page_text("locked.html")
        )
        self._tally = Tally(gate, economies.PATH)
        self._document: Answer | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; what nobody expected is logged by its place, never by its text, which may be a client's."""
        if scope["type"] != "http":
            await self._tally(scope, receive, send)
            return
        try:
            await self._tally(scope, receive, send)
        except Exception as error:
            self._log(f"unexpected {type(error).__name__} at {place(error.__traceback__)}")

    async def stop(self) -> None:
        """End the streams of pages and the requests, let calls of tools end, then close the streams of MCP clients."""
        await self._live.stop()
        await self._office.close()
        await self._mcp.stop()

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        running = asyncio.create_task(self._mcp.run())
        watching = asyncio.create_task(self._standing.watch())
        self._office.begin()
        try:
            yield
        finally:
            watching.cancel()
            await self._live.stop()
            await self._office.close()
            await self._mcp.stop()
            await running
            self._desk.close()

    async def _expected(self, request: Request, error: Exception) -> Answer:
        assert isinstance(error, EconomeError)
        answer = refused(error)
        if answer.status_code == _DISK and not isinstance(error, LedgerUnwritable):
            self._log(str(error))  # of new events the ledger itself tells
        return answer

    async def _metrics(self, request: Request) -> Answer:
        report = await self._desk.usage(ask({"by": ["model"]}))
        text = exposition(self._ledger, self._tally.refused, report["rows"])
        return Answer(200, text, metrics.MEDIA_TYPE)

    async def _openapi(self, request: Request) -> Answer:
        if self._document is None:
            self._document = json_answer(200, openapi.document())
        return self._document


async def _too_large(request: Request, error: Exception) -> TooLarge:
    assert isinstance(error, EconomeError)
    return TooLarge(refused(error))


async def _no_route(request: Request, error: Exception) -> Answer:
    assert isinstance(error, HTTPException)
    allowed = error.headers["Allow"] if error.headers else ""
    if not allowed:
        return json_answer(error.status_code, fault("there is nothing at this path"))
    allow = ", ".join(sorted(allowed.split(", ")))
    reason = fault(f"this path takes {allow} only")
    return json_answer(error.status_code, reason, {"allow": allow})


async def _unexpected(request: Request, error: Exception) -> Answer:
    return _UNEXPECTED
