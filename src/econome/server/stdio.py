"""The tools for one client, over standard input and output: `econome mcp`.

The balance it reads from the files by itself. Work is handed to the running server or, where none runs, done by this
process, which then holds the ledger for as long as something is open.
"""

from __future__ import annotations

import asyncio
import os
import sys

from econome.errors import EconomeError
from econome.server.delegating.ending import Ending
from econome.server.delegating.local import Local
from econome.server.desk import Desk
from econome.server.logs import route_logging, to_standard_error
from econome.server.mcp import converse
from econome.server.tools import tools
from econome.settings import Settings

__all__ = ["stdio"]


def stdio(settings: Settings) -> None:
    """Answer until standard input ends; a request that is open then, or at SIGTERM, ends too.

    Raises:
        EconomeError: there is no standard input.
        OSError: it cannot be read, or standard output takes no more.
    """
    if sys.stdin is None:
        raise EconomeError("standard input is closed; an MCP client speaks through it")
    route_logging(to_standard_error)
    desk = Desk(settings)
    try:
        with Ending() as ending, asyncio.Runner() as runner:
            ending.run(runner, _serve(settings, desk))
    except BaseExceptionGroup as group:
        _, others = group.split(OSError)
        if others is not None:
            raise
        raise _first(group) from None
    finally:
        desk.close()


async def _serve(settings: Settings, desk: Desk) -> None:
    local = Local(settings, "econome mcp", os.getcwd(), to_standard_error)
    try:
        await converse(tools(desk, local), sys.stdin.buffer)
    finally:
        await local.close()


def _first(error: BaseException) -> BaseException:
    """Return the first exception of a group of groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
