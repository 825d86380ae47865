"""The pages a browser sees, how it comes in, and the files they are made with.

What makes a page is imported at the first look at one, in the thread of the desk: a server that only takes events never
pays for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec
from starlette.requests import Request
from starlette.routing import Route

from econome.server.answers import HTML, PAGE, Answer, json_answer
from econome.server.body import JsonBody
from econome.server.gate import LOGIN, PAGES, STATIC
from econome.server.logins import SESSION_SECONDS, Logins
from econome.server.token import TokenFile
from econome.server.wire import fault

if TYPE_CHECKING:
    from econome.server.desk import Desk
    from econome.server.showing import Showing, Shown

__all__ = ["HOME", "LANGUAGE_COOKIE", "Pages", "page_text"]

HOME = "usage"
"""The page at the root."""

LANGUAGE_COOKIE = "econome-language"
"""Keeps which language was chosen; it opens nothing."""

_YEAR = 365 * 86400
_LOGIN_BYTES = 1024
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

    def __init__(
        self, desk: Desk, token: TokenFile, logins: Logins, cookie: str, *, secure: bool
    ) -> None:
        self._desk, self._token, self._logins, self._cookie = desk, token, logins, cookie
        self._secure = "; Secure" if secure else ""
        self._attributes = (
            f"; Max-Age={SESSION_SECONDS}; Path=/; HttpOnly; SameSite=Strict{self._secure}"
        )
        self._showing: Showing | None = None
        self._files = {
            entry.name: Answer(200, entry.read_bytes(), _MEDIA_TYPES[ending], PAGE)
            for entry in (files("econome.server") / "static").iterdir()
            if (ending := entry.name.rpartition(".")[2]) in _MEDIA_TYPES
        }

    def routes(self) -> list[Route]:
        """Return where they are."""
        return [
            Route("/", self.look),
            *(Route(f"/{name}", self.look) for name in sorted(PAGES)),
            *(Route(f"/{name}/{{rest:path}}", self.look) for name in sorted(PAGES)),
            Route(LOGIN, self.login, methods=["GET", "POST"]),
            *(Route(STATIC + name, _always(answer)) for name, answer in self._files.items()),
        ]

    async def look(self, request: Request) -> Answer:
        """Answer with a page, a part of one, or a figure of one."""
        facts = _facts(request)
        shown = await self._desk.answer(lambda: self._shown(*facts))
        headers = dict(PAGE)
        chosen = request.query_params.get("lang")
        if chosen and shown.status < 400:
            headers["set-cookie"] = (
                f"{LANGUAGE_COOKIE}={_letters(chosen)}; Max-Age={_YEAR}; Path=/; HttpOnly; SameSite=Strict{self._secure}"
            )
        return Answer(shown.status, shown.body, shown.media_type, headers)

    def _shown(
        self, name: str, rest: str, pairs: tuple[tuple[str, str], ...], part: str,
        chosen: str | None, accepted: str,
    ) -> Shown:  # fmt: skip
        from econome.server.showing import Asking, Showing
        from econome.server.telling import language_of

        if self._showing is None:
            self._showing = Showing(self._desk)
        asking = Asking(name, rest, pairs, language_of(chosen, accepted), part)
        return self._showing.show(asking)

    async def login(self, request: Request) -> Answer:
        """Answer with the login page, or take the code that it sends and open a session."""
        if request.method != "POST":
            return Answer(200, await self._login_page(request), HTML, PAGE)
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

    async def _login_page(self, request: Request) -> bytes:
        """Return the login page, which waits for no other: the code of a link holds for a minute."""
        chosen, accepted = _languages(request)

        def made() -> bytes:
            from econome.server.frame import bare_page
            from econome.server.telling import language_of

            return bare_page("login.html", language_of(chosen, accepted))

        return await asyncio.to_thread(made)


def _facts(
    request: Request,
) -> tuple[str, str, tuple[tuple[str, str], ...], str, str | None, str]:
    name = request.url.path.strip("/").partition("/")[0] or HOME
    pairs = tuple(pair for pair in request.query_params.multi_items() if pair[0] != "lang")
    part = request.headers.get("hx-target", "") if "hx-request" in request.headers else ""
    return (name, request.path_params.get("rest", ""), pairs, part, *_languages(request))


def _languages(request: Request) -> tuple[str | None, str]:
    """Return the language that was chosen, and those that the browser likes."""
    chosen = request.query_params.get("lang") or _kept_language(request)
    return chosen, request.headers.get("accept-language", "")


def _kept_language(request: Request) -> str | None:
    """Return what the cookie says.

    The reader of cookies that would do takes seconds for one full of backslashes, on the loop, before anybody is let in.
    """
    for line in request.headers.getlist("cookie"):
        for part in line.split(";"):
            name, _, value = part.strip().partition("=")
            if name == LANGUAGE_COOKIE:
                return value
    return None


def _letters(text: str) -> str:
    """Return the letters a language's name may have: nothing else goes into a header."""
    return "".join(letter for letter in text[:8] if letter.isascii() and letter.isalpha())


def _always(answer: Answer) -> Callable[[Request], Awaitable[Answer]]:
    async def endpoint(request: Request) -> Answer:
        return answer

    return endpoint


def _code(body: bytes) -> str:
    try:
        return msgspec.json.decode(body, type=_Code).code
    except (msgspec.DecodeError, RecursionError):
        return ""
