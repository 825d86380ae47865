"""The JSON API: the figures of the command line, and what `econome open` needs.

Each answer is the same use case as a command's `--json`, and the same bytes.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.routing import Route

from econome.diagnosis.asking import ask_diagnosis
from econome.errors import UsageError
from econome.jsontext import dumps
from econome.savings.asking import ask_balance, ask_events
from econome.server.answers import Answer, json_answer
from econome.server.desk import Desk
from econome.server.gate import API, HEALTH, healthy
from econome.server.logins import CODE_SECONDS, Logins
from econome.server.queries import (
    BALANCE_PARAMETERS,
    DIAGNOSIS_PARAMETERS,
    EVENTS_PARAMETERS,
    LEAN_PARAMETERS,
    SESSION_PARAMETERS,
    SESSIONS_PARAMETERS,
    USAGE_PARAMETERS,
    read_query,
)
from econome.server.token import TokenFile
from econome.usage.asking import ask

__all__ = [
    "BALANCE",
    "DIAGNOSIS",
    "EVENTS",
    "LEAN",
    "LOGIN_CODES",
    "SESSION",
    "SESSIONS",
    "USAGE",
    "Api",
]

USAGE, BALANCE, LEAN = f"{API}v1/usage", f"{API}v1/balance", f"{API}v1/lean"
EVENTS = f"{API}v1/events"
SESSIONS, SESSION = f"{API}v1/sessions", f"{API}v1/session"
DIAGNOSIS = f"{API}v1/diagnosis"
LOGIN_CODES = f"{API}v1/login-codes"


class Api:
    """The endpoints below `/api/`."""

    def __init__(self, desk: Desk, token: TokenFile, logins: Logins) -> None:
        self._desk, self._token, self._logins = desk, token, logins

    def routes(self) -> list[Route]:
        """Return where they are."""
        return [
            Route(HEALTH, healthy),
            Route(USAGE, self.usage),
            Route(BALANCE, self.balance),
            Route(EVENTS, self.events),
            Route(LEAN, self.lean),
            Route(DIAGNOSIS, self.diagnosis),
            Route(SESSIONS, self.sessions),
            Route(SESSION, self.session),
            Route(LOGIN_CODES, self.login_code, methods=["POST"]),
        ]

    async def usage(self, request: Request) -> Answer:
        """Answer as `econome usage --json`."""
        values = read_query(USAGE_PARAMETERS, request.query_params.multi_items())
        return Answer(200, await self._desk.usage_text(ask(values)))

    async def balance(self, request: Request) -> Answer:
        """Answer as `econome balance --json`."""
        values = read_query(BALANCE_PARAMETERS, request.query_params.multi_items())
        asked = ask_balance(values)
        zone = asked.shared.timezone
        return Answer(200, await self._desk.balance_text(asked.question, zone, usd=asked.usd))

    async def events(self, request: Request) -> Answer:
        """Answer one page of the events that a figure of the balance is made of."""
        values = read_query(EVENTS_PARAMETERS, request.query_params.multi_items())
        return Answer(200, await self._desk.events_text(ask_events(values)))

    async def lean(self, request: Request) -> Answer:
        """Answer what menus and answers came to, in the form of `lean` in `econome balance --json`."""
        values = read_query(LEAN_PARAMETERS, request.query_params.multi_items())
        asked = ask_balance(values)
        return Answer(200, await self._desk.lean_text(asked.question, asked.shared.timezone))

    async def sessions(self, request: Request) -> Answer:
        """Answer as `econome session --json`."""
        values = read_query(SESSIONS_PARAMETERS, request.query_params.multi_items())
        return Answer(200, await self._desk.sessions_text(ask(values)))

    async def session(self, request: Request) -> Answer:
        """Answer as `econome session ID --json`."""
        values = read_query(SESSION_PARAMETERS, request.query_params.multi_items())
        if values["id"] is None:
            raise UsageError("id: say which session, by its id or the beginning of it")
        return Answer(200, await self._desk.session_text(str(values["id"])))

    async def diagnosis(self, request: Request) -> Answer:
        """Answer as `econome diagnosis --json`, once the period was judged."""
        from econome.server.judging import judgement

        values = read_query(DIAGNOSIS_PARAMETERS, request.query_params.multi_items())
        report = await judgement(self._desk, ask_diagnosis(values))
        return Answer(200, (dumps(report) + "\n").encode("ascii"))

    async def login_code(self, request: Request) -> Answer:
        """Give a code that lets one browser in."""
        self._logins.follow(self._token.generation)
        return json_answer(200, {"code": self._logins.new_code(), "seconds": CODE_SECONDS})
