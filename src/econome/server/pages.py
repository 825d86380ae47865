"""The pages a browser sees, and how it comes in.

All texts and figures are put in by scripts of our own that read the JSON API; the pages themselves never change, so
nothing that a stranger sent can stand in one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files

import msgspec
from starlette.requests import Request
from starlette.routing import Route

from econome.server.answers import HTML, Answer, json_answer
from econome.server.body import JsonBody
from econome.server.gate import LOGIN, STATIC
from econome.server.logins import SESSION_SECONDS, Logins
from econome.server.token import TokenFile
from econome.server.wire import fault

__all__ = ["Pages", "page_text"]

_LOGIN_BYTES = 1024
_PAGE_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}
_MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


class _Code(msgspec.Struct, frozen=True):
    """What the login page sends."""

    code: str


def page_text(name: str) -> bytes:
    """Return a file of the pages."""
    return (files("econome.server") / "static" / name).read_bytes()


class Pages:
    """The pages of one server; *cookie* is the name of the session's cookie."""

    def __init__(self, token: TokenFile, logins: Logins, cookie: str, *, secure: bool) -> None:
        self._token, self._logins, self._cookie = token, logins, cookie
        self._attributes = f"; Max-Age={SESSION_SECONDS}; Path=/; HttpOnly; SameSite=Strict"
        if secure:
            self._attributes += "; Secure"
        self._home = Answer(200, page_text("home.html"), HTML, _PAGE_HEADERS)
        self._door = Answer(200, page_text("login.html"), HTML, _PAGE_HEADERS)
        self._files = {
            entry.name: Answer(200, entry.read_bytes(), _MEDIA_TYPES[ending], _PAGE_HEADERS)
            for entry in (files("econome.server") / "static").iterdir()
            if (ending := entry.name.rpartition(".")[2]) in _MEDIA_TYPES
        }

    def routes(self) -> list[Route]:
        """Return where they are."""
        return [
            Route("/", self.home),
            Route(LOGIN, self.login, methods=["GET", "POST"]),
            *(Route(STATIC + name, _always(answer)) for name, answer in self._files.items()),
        ]

    async def home(self, request: Request) -> Answer:
        """Answer with the first page."""
        return self._home

    async def login(self, request: Request) -> Answer:
        """Answer with the login page, or take the code that it sends and open a session."""
        if request.method != "POST":
            return self._door
        site = request.headers.get("sec-fetch-site")
        # The gate found an `Origin` to be ours; a page of ours always sends one with a POST.
        if "origin" not in request.headers and site != "same-origin":
            return json_answer(403, fault("only the login page may send a code"))
        body = await JsonBody(request.scope, _LOGIN_BYTES).read(request.receive)
        if body is None:
            return json_answer(400, fault("the code did not come"))  # which nobody is there to hear
        self._token.refresh()
        self._logins.follow(self._token.generation)
        session = self._logins.redeem(_code(body))
        if session is None:
            reason = "the link was used or is older than a minute; `econome open` prints another"
            return json_answer(403, fault(reason))
        cookie = f"{self._cookie}={session}{self._attributes}"
        return json_answer(200, {"ok": True}, {"set-cookie": cookie})


def _always(answer: Answer) -> Callable[[Request], Awaitable[Answer]]:
    async def endpoint(request: Request) -> Answer:
        return answer

    return endpoint


def _code(body: bytes) -> str:
    try:
        return msgspec.json.decode(body, type=_Code).code
    except (msgspec.DecodeError, RecursionError):
        return ""
