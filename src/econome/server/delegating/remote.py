"""The tools that hand work over, carried out by the server that runs on the same data directory.

The call waits in a thread, so that its connection is the same plain one that every command uses; whoever is cancelled
hangs up, and the server then cancels the request.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from http.client import OK
from typing import Any

import msgspec

from econome.errors import EconomeError, ServerAway, ServerRefused
from econome.savings.lock import Holder
from econome.server.client import Client
from econome.server.delegating.call import Asking, Said
from econome.server.delegating.posted import PATH, Posted, read_line
from econome.server.delegating.wire import touches_files
from econome.server.token import TokenFile
from econome.settings import Settings

__all__ = ["Remote"]

_FOREIGN = "that is no answer of econome; is another version of it running?"


class Remote:
    """Carries the tools out in the server *found*, which holds the ledger of *settings*."""

    def __init__(self, settings: Settings, found: Holder) -> None:
        self._settings, self._found = settings, found

    async def carry(self, tool: str, arguments: Mapping[str, Any], asking: Asking) -> Said:
        """Carry out a call.

        Raises:
            ServerAway: the server does not answer, or stopped before it did.
            ServerRefused: it refuses the call.
            TokenUnsafe: there is no token to show to it.
        """
        caller = asking.caller
        posted = Posted(
            dict(arguments),
            caller.client,
            caller.session,
            caller.connection,
            caller.tool_use,
            asking.base,
            await asking.roots() if touches_files(tool, arguments) else None,
            asking.deadline_s,
            self._found.key,
        )
        client = Client(self._found, TokenFile(self._settings.token_path()).read())
        lines = _lines(client, PATH + tool, msgspec.json.encode(posted))
        try:
            while True:
                line = await lines.get()
                if isinstance(line, EconomeError):
                    raise line
                told = _read(line)
                if isinstance(told, Said):
                    return told
                if asking.tell is not None:
                    await asking.tell(told)
        finally:
            client.hang_up()


def _lines(client: Client, path: str, body: bytes) -> asyncio.Queue[bytes | EconomeError]:
    """Return the lines of an answer as a thread reads them; what ends them stands last."""
    loop = asyncio.get_running_loop()
    read: asyncio.Queue[bytes | EconomeError] = asyncio.Queue()

    def hand_on(item: bytes | EconomeError) -> None:
        try:
            loop.call_soon_threadsafe(read.put_nowait, item)
        except RuntimeError:
            pass  # the loop has ended

    def read_all() -> None:
        try:
            for line in client.lines(path, body):
                hand_on(line)
            hand_on(ServerAway(client.url, "it stopped before it answered"))
        except EconomeError as error:
            hand_on(error)

    threading.Thread(target=read_all, name="call", daemon=True).start()
    return read


def _read(line: bytes) -> Any:
    try:
        return read_line(line)
    except (ValueError, RecursionError):
        raise ServerRefused(OK, _FOREIGN) from None
