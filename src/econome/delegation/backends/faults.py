"""What went wrong with a connection: whether nothing was heard at all, and why, in words that are never the server's.

An exception's own sentence may quote what a server sent, and a server may send back what it was given: it is not used.
"""

from __future__ import annotations

import os
import socket

__all__ = ["is_silent", "reason_of"]

_HUNG_UP = "Server disconnected without sending a response."


def is_silent(error: BaseException) -> bool:
    """Whether the connection failed before anything was heard; what was heard and is no HTTP is another matter."""
    import httpx2

    if isinstance(error, httpx2.RemoteProtocolError):
        return str(error) == _HUNG_UP
    return isinstance(error, httpx2.NetworkError | httpx2.TimeoutException | OSError | TimeoutError)


def reason_of(error: BaseException | None) -> str:
    """Return why a connection failed, in the system's words where there are some."""
    import ssl

    import httpx2

    if isinstance(error, TimeoutError | httpx2.TimeoutException):
        return "no answer in time"
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        if isinstance(error, ssl.SSLCertVerificationError):
            return "its certificate is not trusted"
        if isinstance(error, ssl.SSLError):
            return "it does not speak TLS as we do"
        if isinstance(error, socket.gaierror):
            return "its name is not known"
        if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
            return os.strerror(error.errno)
        error = error.__cause__ or error.__context__
    if seen and isinstance(seen[0], httpx2.RemoteProtocolError):
        return "it hangs up"
    return "the connection fails"
