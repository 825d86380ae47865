"""The one door: every request passes it before any route is looked for.

Order (S3): `Host` (421), `Origin` (403), token (401, also for paths that do not exist). It is a plain ASGI layer around
the whole application, so that no route can be forgotten, and it knows no route but those that are open by name. No CORS
header is sent anywhere, whatever is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from econome.server.answers import (
    HTML,
    PAGE,
    Answer,
    Application,
    Receive,
    Scope,
    Send,
    bare,
    json_answer,
)
from econome.server.wire import fault

if TYPE_CHECKING:
    from starlette.requests import Request

    from econome.server.hosts import Hosts
    from econome.server.logins import Logins
    from econome.server.token import TokenFile

__all__ = [
    "API",
    "HEALTH",
    "LOGIN",
    "PAGES",
    "STATIC",
    "UNKNOWN",
    "Gate",
    "Refusals",
    "cookie_name",
    "healthy",
    "is_open",
]

LOGIN, STATIC, HEALTH, API = "/login", "/static/", "/api/v1/health", "/api/"
PAGES: Final = frozenset({"usage", "session", "savings", "servers", "diagnosis", "manual"})
"""The first parts of the paths of pages; the root is one too."""

_LOOKED_AT = frozenset({b"host", b"origin", b"authorization", b"cookie", b"sec-fetch-site"})
_READING = frozenset({"GET", "HEAD"})
_OWN_SITE = frozenset({b"same-origin", b"none"})
_SCHEME = b"bearer"

_CHALLENGE = {"www-authenticate": "Bearer"}


@dataclass(frozen=True, slots=True)
class Refusals:
    """What is told to who may not pass; *unknown* is for who shows no token that holds."""

    misdirected: Answer
    foreign: Answer
    unknown: Answer

    @classmethod
    def of(cls, fault: Callable[[str], object]) -> Refusals:
        """Return refusals in the shape that *fault* gives a reason."""
        return cls(
            json_answer(421, fault("this server has another name; look at its `Host`")),
            json_answer(403, fault("a page of another origin may not ask this server")),
            json_answer(401, fault("no valid token; `econome token show` prints it"), _CHALLENGE),
        )


_USUAL = Refusals.of(fault)
UNKNOWN: Final = _USUAL.unknown
"""What is told to who shows no token that holds."""

_Found = dict[bytes, list[bytes]]


def cookie_name(port: int, *, secure: bool) -> str:
    """Return the name of the session's cookie: a cookie knows no port, so two servers need two names."""
    return f"__Host-econome-{port}" if secure else f"econome-{port}"


class Gate:
    """Lets through what is addressed to this server by someone who may ask.

    *cookie* is the name of the session's cookie; *locked* is the page for a person who comes without one; *refusals* are
    what programs are told.
    """

    def __init__(
        self,
        app: Application,
        hosts: Hosts,
        token: TokenFile,
        logins: Logins,
        cookie: str,
        locked: bytes,
        refusals: Refusals = _USUAL,
    ) -> None:
        self._app, self._hosts, self._token, self._logins = app, hosts, token, logins
        self._cookie, self._told = cookie.encode("ascii"), refusals
        self._locked = Answer(401, locked, HTML, {**PAGE, **_CHALLENGE})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, or answer why not."""
        refusal = None
        if scope["type"] == "http":
            refusal = self._refusal(scope)
        elif scope["type"] != "lifespan":  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Answer | None:
        found: _Found = {}
        for name, value in scope["headers"]:
            if name in _LOOKED_AT:
                found.setdefault(name, []).append(bare(value))
        hosts = found.get(b"host", ())
        origin = self._hosts.origin(hosts[0]) if len(hosts) == 1 else None
        if origin is None:
            return self._told.misdirected
        claimed = found.get(b"origin")
        if claimed is not None and claimed != [origin]:
            return self._told.foreign
        if is_open(scope) or self._bears_token(found) or self._has_session(scope, found):
            return None
        if scope["method"] in _READING and _wants_page(scope):
            return self._locked
        return self._told.unknown

    def _bears_token(self, found: _Found) -> bool:
        given = found.get(b"authorization", ())
        if len(given) != 1:
            return False
        scheme, _, presented = given[0].partition(b" ")
        return scheme.lower() == _SCHEME and self._token.accepts(presented.lstrip(b" "))

    def _has_session(self, scope: Scope, found: _Found) -> bool:
        """Tell whether a browser's session may ask this: it reads pages and the JSON API, no more.

        A cookie goes to every port of this machine and comes with requests that other pages cause. So the browser has
        to say that it was no other page, and an `Origin`, already found to be ours, says so too.
        """
        path = scope["path"]
        if scope["method"] not in _READING or not (_is_page(path) or path.startswith(API)):
            return False
        sites = found.get(b"sec-fetch-site")
        if (
            b"origin" not in found
            if sites is None
            else len(sites) != 1 or sites[0] not in _OWN_SITE
        ):
            return False
        self._token.refresh()
        self._logins.follow(self._token.generation)
        cookies = (part.strip() for line in found.get(b"cookie", ()) for part in line.split(b";"))
        return any(
            self._logins.knows(value.decode("latin-1"))
            for name, _, value in (cookie.partition(b"=") for cookie in cookies)
            if name == self._cookie
        )


async def healthy(request: Request) -> Answer:
    """Say that the server answers, and nothing else: anybody may ask."""
    return json_answer(200, {"ok": True})


def is_open(scope: Scope) -> bool:
    """Tell whether a request is answered without a token."""
    path = scope["path"]
    if path == HEALTH:
        return bool(scope["method"] in _READING)
    return bool(path == LOGIN or path.startswith(STATIC))


def _is_page(path: str) -> bool:
    return path == "/" or path.split("/", 2)[1] in PAGES


def _wants_page(scope: Scope) -> bool:
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])
