"""Puts the application together: routes inside, the gate around all of them.

It decides nothing that a route or the gate decides; it knows which path leads where, and what begins and ends with the
server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route

from econome.errors import BodyTooLarge, EconomeError
from econome.server import economies
from econome.server.answers import Answer, Application, Receive, Scope, Send, json_answer
from econome.server.body import TooLarge
from econome.server.economies import Economies, Events
from econome.server.failures import refused
from econome.server.gate import HEALTH, Gate, cookie_name
from econome.server.hosts import Hosts
from econome.server.logins import Logins
from econome.server.logs import place
from econome.server.pages import Pages, page_text
from econome.server.token import TokenFile
from econome.server.wire import fault

__all__ = ["Parts", "application"]

_UNEXPECTED = json_answer(500, fault("something went wrong here; the server's log says where"))


@dataclass(frozen=True, slots=True)
class Parts:
    """What an application is made of; *log* takes a line, *clock* counts seconds, *arrival* tells the time."""

    events: Events
    token: TokenFile
    hosts: Hosts
    port: int
    log: Callable[[str], None]
    clock: Callable[[], float]
    arrival: Callable[[], str]


def application(parts: Parts) -> Application:
    """Return the whole application."""
    secure = parts.hosts.secure
    cookie = cookie_name(parts.port, secure=secure)
    logins = Logins(parts.clock)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield

    routes = [
        Route(economies.PATH, Economies(parts.events, parts.arrival), methods=["POST"]),
        Route(HEALTH, _health),
        *Pages(parts.token, logins, cookie, secure=secure).routes(),
    ]
    inside = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={
            BodyTooLarge: _too_large,
            EconomeError: _expected,
            HTTPException: _no_route,
            Exception: _unexpected,
        },
    )
    inside.router.redirect_slashes = False
    locked = page_text("locked.html")
    return _Watched(Gate(inside, parts.hosts, parts.token, logins, cookie, locked), parts.log)


class _Watched:
    """The outermost loop: what nobody expected is logged by its place, never by its text, which may be a client's."""

    def __init__(self, app: Application, log: Callable[[str], None]) -> None:
        self._app, self._log = app, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        except Exception as error:
            self._log(f"unexpected {type(error).__name__} at {place(error.__traceback__)}")


async def _health(request: Request) -> Answer:
    return json_answer(200, {"ok": True})


async def _too_large(request: Request, error: Exception) -> TooLarge:
    assert isinstance(error, EconomeError)
    return TooLarge(refused(error))


async def _expected(request: Request, error: Exception) -> Answer:
    assert isinstance(error, EconomeError)
    return refused(error)


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
