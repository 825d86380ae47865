"""The tools for one client, over standard input and output: `econome mcp`.

It reads the files of the ledger by itself and writes nothing, so it works beside a running server and without one.
"""

from __future__ import annotations

import asyncio

from econome.server.desk import Desk
from econome.server.logs import route_logging, to_standard_error
from econome.server.mcp import converse
from econome.server.tools import tools
from econome.settings import Settings

__all__ = ["stdio"]


def stdio(settings: Settings) -> None:
    """Answer until standard input ends."""
    route_logging(to_standard_error)
    desk = Desk(settings)
    try:
        asyncio.run(converse(tools(desk)))
    finally:
        desk.close()
