"""A server of one cart that is paid for once: `python lean_workflow.py` serves it over standard input and output."""

from mcp.server.mcpserver import MCPServer

from econome.lean import Machine, economy, lean

server = MCPServer("shop")


@server.tool()
@economy(states=["empty", "full"], event="ADD")
def add(item: str) -> str:
    """Put an item into the cart."""
    return f"{item} added"


@server.tool()
@economy(states=["full"], event="PAY")
def pay() -> str:
    """Pay for the cart."""
    return "paid"


CART = Machine("empty", {"empty": {"ADD": "full"}, "full": {"PAY": "paid"}, "paid": {}})
lean(server, machine=CART)

if __name__ == "__main__":
    server.run()
