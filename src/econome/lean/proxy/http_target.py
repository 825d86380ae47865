"""One HTTP server that a proxy speaks to: its address, the headers it wants to see, and the connections to it.

It speaks to that server alone, whatever the environment names as a proxy or the server as another place: a redirect is
followed within the same origin only. No message of an error shows more of the address than its origin, since paths and
queries hold secrets too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from econome.errors import UpstreamAway, UsageError
from econome.lean.proxy.http_headers import Pairs

if TYPE_CHECKING:
    import httpx2

__all__ = ["CONNECT_SECONDS", "SILENT_SECONDS", "Target", "sign_in", "signs_in"]

CONNECT_SECONDS: Final = 15.0
SILENT_SECONDS: Final = 3600.0
"""How long a server may say nothing at all while it works on a request; a stream that waits for news may for ever."""

_WRITE_SECONDS = 60.0
_IDLE_SECONDS = 4.0
"""Shorter than the 5 s after which many servers close an idle connection: a call must not meet one that is closing."""
_IDLE = 32
_REDIRECTS = 5
_AGAIN = frozenset({307, 308})
_ELSEWHERE = frozenset({301, 302, 303, 307, 308})
_USUAL = {"http": 80, "https": 443}
_REFUSED = frozenset({401, 403})
_TAKE_BACK = (
    "which a proxy cannot do; take the entry back with `econome proxy uninstall`, "
    "or give its header in ECONOME_UPSTREAM_HEADERS"
)


class Target:
    """The server at a URL; *headers* are sent with each request to it and to no other origin.

    *advice* is what is said to who meets a server that asks for a sign-in.

    Raises:
        UsageError: the URL is none of a server, or holds a secret.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str] | None = None, advice: str = _TAKE_BACK
    ) -> None:
        self.url, self.advice = url, advice
        self.origin = _origin(url)
        self._own = {
            name.lower().encode("ascii"): value.encode("latin-1")
            for name, value in (headers or {}).items()
        }
        self._client: httpx2.AsyncClient | None = None

    @property
    def bears_headers(self) -> bool:
        """Whether it was given headers to send."""
        return bool(self._own)

    async def ask(
        self, method: str, headers: Pairs, content: bytes | None = None, *, waits: bool = False
    ) -> httpx2.Response:
        """Send a request; return the answer, whose body the caller reads and closes.

        *waits* is for a stream on which nothing may come for a long time.

        Raises:
            UpstreamAway: it cannot be reached, or wants to be asked elsewhere.
        """
        import httpx2

        client = self._opened()
        silence = None if waits else SILENT_SECONDS
        timeout = httpx2.Timeout(_WRITE_SECONDS, connect=CONNECT_SECONDS, read=silence)
        pairs = [pair for pair in headers if pair[0] not in self._own]
        pairs += [(b"accept-encoding", b"identity"), *self._own.items()]
        url: str | httpx2.URL = self.url
        try:
            for _ in range(_REDIRECTS):
                request = client.build_request(
                    method, url, headers=pairs, content=content, timeout=timeout
                )
                answer = await client.send(request, stream=True)
                if answer.status_code not in _ELSEWHERE or "location" not in answer.headers:
                    return answer
                await answer.aclose()
                url = self._next(method, answer)
        except (httpx2.TransportError, httpx2.InvalidURL, OSError) as error:
            raise self.away(error) from None
        raise UpstreamAway(f"{self.origin}: redirects in a circle")

    def away(self, error: Exception) -> UpstreamAway:
        """Return what a broken connection means."""
        import httpx2

        if isinstance(error, httpx2.ConnectTimeout):
            reason = f"does not answer within {CONNECT_SECONDS:.0f} s; is it running?"
        elif isinstance(error, httpx2.TimeoutException):
            reason = "said nothing for too long"
        elif isinstance(error, httpx2.ConnectError):
            said = str(error).lower() or "no connection"
            reason = f"cannot be reached ({said}); see whether it runs there"
        else:
            reason = "broke off the connection"
        return UpstreamAway(f"{self.origin}: {reason}")

    def _next(self, method: str, answer: httpx2.Response) -> httpx2.URL:
        """Return where a redirect leads, if it may be followed."""
        place = answer.url.join(answer.headers["location"])
        where = _origin_of(place.scheme, place.host, place.port)
        if where != self.origin:
            reason = f"wants to be asked at {where}, another origin, which is not followed"
            raise UpstreamAway(f"{self.origin}: {reason}; name that URL if you trust it")
        if method != "GET" and answer.status_code not in _AGAIN:
            reason = f"answers {answer.status_code} to a {method}"
            raise UpstreamAway(f"{self.origin}: {reason}; name the URL of its MCP endpoint")
        return place

    def _opened(self) -> httpx2.AsyncClient:
        if self._client is None:
            import httpx2

            self._client = httpx2.AsyncClient(
                verify=self.url.startswith("https:"),
                follow_redirects=False,
                trust_env=False,
                limits=httpx2.Limits(
                    max_connections=None,
                    max_keepalive_connections=_IDLE,
                    keepalive_expiry=_IDLE_SECONDS,
                ),
            )
            self._client.headers.clear()
        return self._client

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Say what it means where a connection breaks inside this context, by `UpstreamAway`."""
        import httpx2

        try:
            yield
        except (httpx2.TransportError, httpx2.DecodingError, OSError) as error:
            raise self.away(error) from None

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()


def signs_in(answer: httpx2.Response) -> bool:
    """Tell whether an answer asks for a sign-in, which only the client itself can do."""
    if answer.status_code not in _REFUSED:
        return False
    return answer.status_code == 401 or "www-authenticate" in answer.headers


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UsageError("--url: that is no URL") from None
    if parts.scheme not in _USUAL or not parts.hostname:
        raise UsageError("--url: give the http:// or https:// URL of an MCP endpoint")
    if parts.username is not None or parts.password is not None:
        reason = "leave out the name and password; ECONOME_UPSTREAM_HEADERS can hold a header"
        raise UsageError(f"--url: {reason}")
    return _origin_of(parts.scheme, parts.hostname, port)


def _origin_of(scheme: str, host: str, port: int | None) -> str:
    name = f"[{host}]" if ":" in host else host.lower()
    return f"{scheme}://{name}" + ("" if port in (None, _USUAL.get(scheme)) else f":{port}")


def sign_in(target: Target) -> str:
    """Return what is said of an upstream that wants to know who asks."""
    if target.bears_headers:
        return f"{target.origin}: refuses the headers it was given; see that they are still good"
    return f"{target.origin}: asks for a sign-in, {target.advice}"
