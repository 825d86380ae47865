"""The tools for one client, over standard input and output: `econome mcp`.

It reads the files of the ledger by itself and writes nothing, so it works beside a running server and without one.
"""

from __future__ import annotations

import asyncio
import sys

from econome.errors import EconomeError
from econome.server.desk import Desk
from econome.server.logs import route_logging, to_standard_error
from econome.server.mcp import converse
from econome.server.tools import tools
from econome.settings import Settings

__all__ = ["stdio"]


def stdio(settings: Settings) -> None:
    """Answer until standard input ends.

    Raises:
        EconomeError: there is no standard input.
        OSError: it cannot be read, or standard output takes no more.
    """
    if sys.stdin is None:
        raise EconomeError("standard input is closed; an MCP client speaks through it")
    route_logging(to_standard_error)
    desk = Desk(settings)
    try:
        asyncio.run(converse(tools(desk), sys.stdin.buffer))
    except BaseExceptionGroup as group:
        _, others = group.split(OSError)
        if others is not None:
            raise
        raise _first(group) from None
    finally:
        desk.close()


def _first(error: BaseException) -> BaseException:
    """Return the first exception of a group of groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
