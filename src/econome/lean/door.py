"""The servers that `lean` takes: the name of each, the list of its middleware, and what was asked for its tools.

A FastMCP server runs on the SDK's low-level one and knows the functions of its tools by another door. The tools of an
`MCPServer` are known at once, those of the others only once their list is asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from econome.errors import MenuError
from econome.lean.describe import name_list
from econome.lean.offering import Options
from econome.lean.options import Economy, options_of

__all__ = ["Asked", "Door", "door_of"]

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Door:
    """What `lean` needs of a server.

    *tools* are those known so far, as they are listed, each with its function. *function* finds the function of a tool by
    its name, None where it has none.
    """

    name: str
    middleware: list[Any]
    tools: tuple[tuple[dict[str, Any], object], ...]
    function: Callable[[str], Awaitable[object]]


def door_of(server: Any) -> Door:
    """Return the door of a server.

    Raises:
        TypeError: it is none that `lean` takes.
    """
    inner = getattr(server, "_mcp_server", None)
    registry = getattr(server, "_tool_manager", None)
    middleware = getattr(server if inner is None else inner, "middleware", None)
    if not isinstance(middleware, list) or not isinstance(getattr(server, "name", None), str):
        raise TypeError(
            "lean takes an MCPServer or a low-level Server of mcp 2.3 or newer, or a FastMCP 4 server, "
            f"not {type(server).__module__}.{type(server).__qualname__}"
        )

    async def function(name: str) -> object:
        if inner is not None:
            return getattr(await server.get_tool(name), "fn", None)
        return None if registry is None else getattr(registry.get_tool(name), "fn", None)

    known = registry.list_tools() if inner is None and registry is not None else ()
    return Door(
        server.name, middleware, tuple((_listed(tool), tool.fn) for tool in known), function
    )


def _listed(tool: Any) -> dict[str, Any]:
    """Return a tool of an `MCPServer` as it is listed."""
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.parameters,
        "outputSchema": tool.output_schema,
    }


class Asked:
    """What was asked for the tools of a server: for all of them, by their functions' decorators, and by *named* ones' names."""

    def __init__(self, door: Door, named: Mapping[str, Economy], default: Economy) -> None:
        self._door, self._default = door, default
        self._named, self._unseen = named, set(named)

    async def of(self, names: Sequence[str]) -> dict[str, Options]:
        """Return the options of the tools that a server lists, and warn once of names that it does not."""
        missing = sorted(self._unseen - set(names))
        if missing:
            _LOG.warning("%s", self._no_tool(missing, names))
        self._unseen.clear()
        return {name: self._options(name, await self._door.function(name)) for name in names}

    def known(self) -> dict[str, Options]:
        """Return the options of the tools known so far.

        Raises:
            MenuError: there are some, and none of a name that options were given for.
        """
        options = {
            str(tool["name"]): self._options(str(tool["name"]), function)
            for tool, function in self._door.tools
        }
        missing = sorted(self._unseen - options.keys())
        if missing and options:
            raise MenuError(self._no_tool(missing, options))
        return options

    def _options(self, name: str, function: object) -> Options:
        economy, output = options_of(function, self._named.get(name))
        return economy.filled(self._default), output

    def _no_tool(self, missing: Sequence[str], names: Collection[str]) -> str:
        return (
            f"tools: {self._door.name} has no tool {name_list(missing)}; it has: {name_list(names)}"
        )
