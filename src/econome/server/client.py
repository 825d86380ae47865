"""What a command says to the running server of its data directory.

It speaks to that one server and to no proxy, whatever the environment names, and it takes a certificate for good only
where it is the one that the server's own lock names. What answers there is asked whether it is such a server before it
is shown the token. It imports no web framework.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from hmac import compare_digest
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import msgspec

from econome.errors import ServerAway, ServerRefused
from econome.jsontext import loads
from econome.savings.lock import Holder, holder
from econome.server.token import TokenFile
from econome.server.wire import BATCH_END, BATCH_START, read_fault, read_receipt
from econome.settings import Settings

__all__ = ["FIRST_SECONDS", "SECONDS", "Client", "login_link", "running"]

FIRST_SECONDS = 8.0
"""How long it may take to say that it is there."""
SECONDS = 30.0
"""How long an answer may take; a balance of a million events takes a few."""

_ATTEMPTS = 2
_HEALTH = "/api/v1/health"
_HEALTHY = b'{"ok":true}'
_FOREIGN = "that is no answer of econome; is another program at its address?"


class _Code(msgspec.Struct, frozen=True):
    """What gives a code for a browser."""

    code: str


class Client:
    """A connection to the server that holds a ledger; use it as a context."""

    def __init__(self, found: Holder, token: str) -> None:
        self.url = found.url or ""
        self._holder, self._met, self._hung_up = found, False, False
        self._waiting: socket.socket | None = None
        place = urlsplit(found.local or self.url)
        name, port = place.hostname or "", place.port
        if place.scheme == "https":
            self._connection: http.client.HTTPConnection = _Pinned(name, port, found.certificate)
        else:
            self._connection = http.client.HTTPConnection(name, port)
        self._host = {"Host": urlsplit(self.url).netloc}
        self._headers = {**self._host, "Authorization": f"Bearer {token}"}

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def post_batch(self, body: bytes) -> tuple[int, int]:
        """Post a batch; return how many of its events were new, and how many were there already.

        Raises:
            ServerAway: no server answers.
            ServerRefused: it did not take the batch.
        """
        answer = self._ask("POST", "/economies", body)
        try:
            return read_receipt(answer)
        except (msgspec.DecodeError, RecursionError):
            raise ServerRefused(http.client.OK, _FOREIGN) from None

    def post_events(self, lines: Sequence[bytes]) -> tuple[int, int]:
        """Post events, each as JSON text; see `post_batch`."""
        return self.post_batch(b"%b%b%b" % (BATCH_START, b",".join(lines), BATCH_END))

    def get(self, path: str) -> bytes:
        """Return what is at a path.

        Raises:
            ServerAway: no server answers.
            ServerRefused: it answered with a refusal.
        """
        return self._ask("GET", path)

    def report(self, path: str, schema: str) -> dict[str, Any]:
        """Return the report at a path, which has to be of that schema; see `get` for what may fail."""
        try:
            found = loads(self.get(path).decode("utf-8"))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or found.get("schema") != schema:
            raise ServerRefused(http.client.OK, _FOREIGN)
        return found

    def login_code(self) -> str:
        """Return a new code that lets one browser in; see `get` for what may fail."""
        answer = self._ask("POST", "/api/v1/login-codes")
        try:
            return msgspec.json.decode(answer, type=_Code).code
        except (msgspec.DecodeError, RecursionError):
            raise ServerRefused(http.client.OK, _FOREIGN) from None

    def lines(self, path: str, body: bytes) -> Iterator[bytes]:
        """Post *body* and yield the lines of the answer as they come; see `get` for what may fail.

        It is asked once, whatever happens: what it asks for may not be done twice.
        """
        self._meet()
        self._wait_at_most(SECONDS)
        try:
            if self._connection.sock is None:
                self._connection.connect()
            self._waiting = self._connection.sock
            if self._hung_up:
                raise ServerAway(self.url, "hung up before it was asked")
            self._connection.request("POST", path, body, {**self._headers, "Content-Type": _JSON})
            answer = self._connection.getresponse()
            if answer.status != http.client.OK:
                raise ServerRefused(answer.status, read_fault(answer.read()) or answer.reason)
            while line := answer.readline():
                if line != b"\n":  # which only says that it is still there
                    yield line
        except (OSError, http.client.HTTPException, ValueError) as error:
            # Of a socket that is shut meanwhile the library makes a ValueError.
            reason = getattr(error, "strerror", None) or str(error) or "no answer"
            raise ServerAway(self.url, reason.lower()) from None
        finally:
            self._waiting = None
            self._connection.close()

    def hang_up(self) -> None:
        """End `lines`, from whatever thread, begun or not."""
        self._hung_up = True
        waiting = self._waiting
        if waiting is not None:
            with suppress(OSError):
                waiting.shutdown(socket.SHUT_RDWR)

    def _meet(self) -> None:
        """Make sure, once, that it is a server that answers, before it is shown the token."""
        if not self._met:
            # It needs no token; and one that is stopped or hangs is found out soon.
            status, _, content = self._exchange("GET", _HEALTH, None, self._host, FIRST_SECONDS)
            if (status, content) != (http.client.OK, _HEALTHY):
                raise ServerRefused(status, read_fault(content) or _FOREIGN)
            self._met = True

    def _ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        self._meet()
        headers = self._headers if body is None else {**self._headers, "Content-Type": _JSON}
        status, reason, content = self._exchange(method, path, body, headers, SECONDS)
        if status != http.client.OK:
            raise ServerRefused(status, read_fault(content) or reason)
        return content

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], seconds: float
    ) -> tuple[int, str, bytes]:
        """Send a request; return the status of the answer, what that means, and the content."""
        self._wait_at_most(seconds)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._connection.request(method, path, body, headers)
                answer = self._connection.getresponse()
                return answer.status, answer.reason, answer.read()
            except TimeoutError:
                self._connection.close()
                reason = f"it does not answer within {seconds:.0f} s"
                advice = f"see whether process {self._holder.pid}, {self._holder.what}, is stopped"
                raise ServerAway(self.url, reason, advice) from None
            except (OSError, http.client.HTTPException) as error:
                # An idle connection may have been closed meanwhile; asking twice does no harm, what is new counts once.
                self._connection.close()
                if attempt == _ATTEMPTS or isinstance(error, ConnectionRefusedError):
                    reason = getattr(error, "strerror", None) or str(error) or "no answer"
                    raise ServerAway(self.url, reason.lower()) from None
        raise AssertionError("the last attempt returns or raises")

    def _wait_at_most(self, seconds: float) -> None:
        self._connection.timeout = seconds
        if self._connection.sock is not None:
            self._connection.sock.settimeout(seconds)


_JSON = "application/json"


class _Pinned(http.client.HTTPSConnection):
    """A connection that is as good as the certificate it meets: the one that is known, else one that others vouch for."""

    def __init__(self, host: str, port: int | None, certificate: str | None) -> None:
        context = ssl.create_default_context()
        if certificate is not None:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        super().__init__(host, port, context=context)
        self._certificate = certificate

    def connect(self) -> None:
        """Connect, and say nothing to a server that has another certificate."""
        super().connect()
        if self._certificate is None:
            return
        met = (
            self.sock.getpeercert(binary_form=True) if isinstance(self.sock, ssl.SSLSocket) else b""
        )
        if not compare_digest(sha256(met or b"").hexdigest(), self._certificate):
            self.close()
            raise ssl.SSLCertVerificationError("it has another certificate than its lock names")


def running(settings: Settings) -> Client:
    """Return a connection to the server that runs on a data directory.

    Raises:
        ServerAway: none does.
        TokenUnsafe: there is no token to show to it.
    """
    found = _server(settings)
    return Client(found, TokenFile(settings.token_path()).read())


def login_link(settings: Settings) -> str:
    """Return a link to the pages of the running server that lets one browser in, once, within a minute.

    Raises:
        ServerAway: no server answers.
        ServerRefused: it gives no code.
        TokenUnsafe: there is no token to show to it.
    """
    found = _server(settings)
    with running(settings) as client:
        return f"{found.url}/login#{client.login_code()}"


def _server(settings: Settings) -> Holder:
    found = holder(settings.ledger_dir())
    if found is None or found.url is None:
        raise ServerAway(settings.data_dir, "no server runs on this directory")
    return found
