"""What a command says to the running server of its data directory.

It speaks to that one server and to no proxy, whatever the environment names, and it takes a certificate for good only
where it is the one that the server's own lock names. It imports no web framework.
"""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Sequence
from hashlib import sha256
from hmac import compare_digest
from types import TracebackType
from urllib.parse import urlsplit

import msgspec

from econome.errors import ServerAway, ServerRefused
from econome.savings.lock import Holder, holder
from econome.server.token import TokenFile
from econome.server.wire import BATCH_END, BATCH_START, read_fault, read_receipt
from econome.settings import Settings

__all__ = ["SECONDS", "Client", "login_link", "running"]

SECONDS = 30.0
"""How long an answer may take; a balance of a million events takes a few."""

_ATTEMPTS = 2


class Client:
    """A connection to the server that holds a ledger; use it as a context."""

    def __init__(self, found: Holder, token: str) -> None:
        self.url = found.url or ""
        place = urlsplit(found.local or self.url)
        name, port = place.hostname or "", place.port
        if place.scheme == "https":
            self._connection: http.client.HTTPConnection = _Pinned(name, port, found.certificate)
        else:
            self._connection = http.client.HTTPConnection(name, port, timeout=SECONDS)
        self._headers = {"Authorization": f"Bearer {token}", "Host": urlsplit(self.url).netloc}

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
        return read_receipt(self._ask("POST", "/economies", body))

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

    def login_code(self) -> str:
        """Return a new code that lets one browser in; see `get` for what may fail."""
        answer = msgspec.json.decode(self._ask("POST", "/api/v1/login-codes"))
        return str(answer["code"])

    def _ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        headers = self._headers if body is None else {**self._headers, "Content-Type": _JSON}
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._connection.request(method, path, body, headers)
                answer = self._connection.getresponse()
                content = answer.read()
                break
            except (OSError, http.client.HTTPException) as error:
                # An idle connection may have been closed meanwhile; asking twice does no harm, what is new counts once.
                self._connection.close()
                if attempt == _ATTEMPTS or isinstance(error, ConnectionRefusedError):
                    reason = getattr(error, "strerror", None) or str(error) or "no answer"
                    raise ServerAway(self.url, reason.lower()) from None
        if answer.status != http.client.OK:
            raise ServerRefused(answer.status, read_fault(content) or answer.reason)
        return content


_JSON = "application/json"


class _Pinned(http.client.HTTPSConnection):
    """A connection that is as good as the certificate it meets: the one that is known, else one that others vouch for."""

    def __init__(self, host: str, port: int | None, certificate: str | None) -> None:
        context = ssl.create_default_context()
        if certificate is not None:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        super().__init__(host, port, timeout=SECONDS, context=context)
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
