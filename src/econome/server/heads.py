"""HTTP as uvicorn reads it, with an end to how much may come in before it makes a request or a part of a body.

Without one, whoever reaches the port can fill the memory with a header that never ends, token or not.
"""

from __future__ import annotations

import asyncio

__all__ = ["HEAD_BYTES", "protocol"]

HEAD_BYTES = 65_536


def protocol() -> type[asyncio.Protocol] | str:
    """Return the protocol of a connection, or the name of uvicorn's own where httptools is missing: that one has a limit."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        return "h11"

    class Bounded(HttpToolsProtocol):
        """Closes a connection on which too much comes in and nothing comes of it."""

        unused_bytes = 0

        def data_received(self, data: bytes) -> None:
            self.unused_bytes += len(data)
            super().data_received(data)
            if self.unused_bytes > HEAD_BYTES and not self.transport.is_closing():
                self.transport.close()

        def on_headers_complete(self) -> None:
            self.unused_bytes = 0
            super().on_headers_complete()

        def on_body(self, body: bytes) -> None:
            self.unused_bytes = 0
            super().on_body(body)

        def on_message_complete(self) -> None:
            self.unused_bytes = 0
            super().on_message_complete()

    return Bounded
