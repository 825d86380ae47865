"""A server over standard input and output whose author wrote one line for `lean`."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer

from econome.lean import lean

server = MCPServer("desk", log_level="CRITICAL")


@server.tool()
def rows(number: int) -> list[dict[str, int]]:
    """List rows."""
    return [{"id": at, "square": at * at} for at in range(number)]


lean(server)

if __name__ == "__main__":
    server.run()
