"""HTTP in, a process behind: the endpoint that `econome proxy --listen -- COMMAND` serves.

Clients of the older protocol get a process each, since its sessions have a memory; there are only so many, and one that
nobody speaks to ends. Requests of 2026-07-28 share one process, if the server speaks that protocol; if it does not, they are
refused in the way that makes clients begin with `initialize`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Final

from econome.errors import UpstreamAway
from econome.lean.proxy.batching import Batching
from econome.lean.proxy.http_envelope import Envelope, envelope_of, one_line
from econome.lean.proxy.http_headers import SESSION, VERSION, Pairs
from econome.lean.proxy.wire import failed, head_of, parts
from econome.server.answers import Receive, Scope, Send, bare
from econome.server.body import JsonBody
from econome.server.logs import sparing
from econome.server.proxying.channel import answer_json, while_there
from econome.server.proxying.ladder import HANDSHAKE, INVALID, UNREADABLE
from econome.server.proxying.relay import BODY_BYTES
from econome.server.proxying.session import Session
from econome.server.proxying.shared_process import SharedProcess

if TYPE_CHECKING:
    from econome.lean.proxy.shared import Lean

__all__ = ["IDLE_SECONDS", "SESSIONS", "Processes"]

SESSIONS: Final = 32
"""At most so many processes are kept for clients of the older protocol."""
IDLE_SECONDS: Final = 1800.0
_LOOK_SECONDS = 30.0
_OK, _TAKEN, _BAD, _MISSING, _ACCEPT, _CONFLICT, _MANY = 200, 202, 400, 404, 406, 409, 429
_MINTED_BYTES = 24


class Processes:
    """The endpoint in front of a command; *log* takes lines for the operator."""

    def __init__(
        self,
        command: Sequence[str],
        lean: Lean,
        log: Callable[[str], None],
        sessions: int = SESSIONS,
    ) -> None:
        self._command, self._lean, self._most = list(command), lean, sessions
        self._log = log = sparing(log)
        self._sessions: dict[str, Session] = {}
        self._shared = SharedProcess(command, lean, log)
        self._tasks: set[asyncio.Task[None]] = set()
        self._records: Batching | None = None

    async def begin(self) -> None:
        """Start what all requests of 2026-07-28 share, and find out whether there is such a thing."""
        self._lean.record = self._records = Batching(self._lean.record)
        self._task(self._shared.begin())
        self._task(self._look())

    async def stop(self) -> None:
        """End every answer that is open."""
        for session in self._sessions.values():
            session.silence()
        self._shared.silence()

    async def close(self) -> None:
        """End all processes."""
        for task in list(self._tasks):
            task.cancel()
        ending = [session.close() for session in self._sessions.values()]
        self._sessions.clear()
        await asyncio.gather(*ending, self._shared.close())
        if self._records is not None:
            self._records.flush()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = [(name, bare(value)) for name, value in scope["headers"]]
        scope = {**scope, "headers": headers}
        version = _one(headers, VERSION)
        modern = bool(version) and version not in HANDSHAKE
        if scope["method"] == "GET":
            await self._get(headers, receive, send)
        elif scope["method"] == "DELETE":
            await self._delete(headers, send)
        else:
            read = await JsonBody(scope, BODY_BYTES).read(receive)
            if read is None:
                return
            body = one_line(read)
            if not _accepts(headers, b"application/json", b"text/event-stream"):
                await answer_json(send, _ACCEPT, b"")
            elif head_of(body) is None and parts(body) is None:
                await answer_json(send, _BAD, failed(b"", "Parse error", UNREADABLE))
            elif modern:
                await self._shared.answer(body, headers, receive, send)
            else:
                await self._post(envelope_of(body), headers, receive, send)

    async def _post(self, asked: Envelope, headers: Pairs, receive: Receive, send: Send) -> None:
        identity = _one(headers, SESSION)
        answer: Pairs = []
        if not identity and asked.method == "initialize":
            try:
                made = await self._new()
            except UpstreamAway as error:
                self._log(str(error))
                await answer_json(send, _OK, asked.refused(str(error)))
                return
            if made is None:
                reason = f"{self._most} sessions are open; end one, or try again later"
                await answer_json(send, _MANY, failed(asked.identity, reason, INVALID))
                return
            identity, answer = made, [(SESSION, made.encode("ascii"))]
        session = self._sessions.get(identity)
        if session is None:
            await _unknown(asked.identity, identity, send)
            return
        channel = session.post(asked.message)
        if channel is None:
            await answer_json(send, _TAKEN, b"", answer)
            return
        await while_there(channel.stream(send, answer), receive, lambda: session.left(channel))

    async def _get(self, headers: Pairs, receive: Receive, send: Send) -> None:
        identity = _one(headers, SESSION)
        session = self._sessions.get(identity)
        if session is None:
            await _unknown(b"", identity, send)
            return
        if not _accepts(headers, b"text/event-stream"):
            await answer_json(send, _ACCEPT, b"")
            return
        channel = session.listen()
        if channel is None:
            reason = "another stream for news is open in this session"
            await answer_json(send, _CONFLICT, failed(b"", reason, INVALID))
            return
        await while_there(channel.stream(send, []), receive, lambda: session.left(channel))

    async def _delete(self, headers: Pairs, send: Send) -> None:
        identity = _one(headers, SESSION)
        session = self._sessions.pop(identity, None)
        if session is None:
            await _unknown(b"", identity, send)
            return
        self._task(session.close())
        await answer_json(send, _OK, b"")

    async def _new(self) -> str | None:
        """Start a session; return its id, None where there are too many."""
        if len(self._sessions) >= self._most:
            idle = [pair for pair in self._sessions.items() if not pair[1].busy]
            if not idle:
                return None
            oldest, session = min(idle, key=lambda pair: pair[1].used)
            del self._sessions[oldest]
            self._task(session.close())
        identity = token_urlsafe(_MINTED_BYTES)
        session = self._sessions[identity] = Session(self._lean, self._command, self._log)
        try:
            over = await session.start()
        except UpstreamAway:
            del self._sessions[identity]
            raise
        self._task(self._until_over(identity, session, over))
        return identity

    async def _until_over(
        self, identity: str, session: Session, over: asyncio.Future[str | None]
    ) -> None:
        reason = await asyncio.shield(over)
        if self._sessions.get(identity) is session:  # else it was ended here
            del self._sessions[identity]
            if reason is not None:
                self._log(reason)
            await session.close()

    async def _look(self) -> None:
        """End the sessions that nobody speaks to."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            now = asyncio.get_running_loop().time()
            for identity, session in list(self._sessions.items()):
                if not session.busy and now - session.used > IDLE_SECONDS:
                    del self._sessions[identity]
                    self._task(session.close())

    def _task(self, work: object) -> None:
        task: asyncio.Task[None] = asyncio.ensure_future(work)  # type: ignore[call-overload]
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _unknown(identity: bytes, session: str, send: Send) -> None:
    if session:
        reason = "Session not found; begin a new one with initialize"
        await answer_json(send, _MISSING, failed(identity, reason, INVALID))
    else:
        reason = "Bad Request: Missing session ID; begin with initialize"
        await answer_json(send, _BAD, failed(identity, reason, INVALID))


def _one(headers: Pairs, name: bytes) -> str:
    return next((value.decode("latin-1") for held, value in headers if held == name), "")


def _accepts(headers: Pairs, *kinds: bytes) -> bool:
    given = b",".join(value for name, value in headers if name == b"accept").lower()
    return b"*/*" in given or all(kind in given for kind in kinds)
