"""A server of invoices whose menu and answers cost less: `python lean_server.py` serves it over standard input and output."""

from typing import Any

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

from econome.lean import Machine, Seen, economy, lean

server = MCPServer("billing")


class Invoice(BaseModel):
    """One invoice."""

    id: int
    customer: str
    status: str
    cents: int


INVOICES = [Invoice(id=n, customer=f"C{n % 40}", status="open", cents=n * 125) for n in range(4250)]


def in_all(seen: Seen) -> list[str]:
    """Return the rules that go with a list, which know how long it really is."""
    return [f"cents, not euros; {seen.total} invoices in all"]


@server.tool()
@economy(limit=50, select=True, rules=in_all)
def list_invoices(customer: str = "") -> list[Invoice]:
    """List the invoices of a customer, or all."""
    return [one for one in INVOICES if customer in ("", one.customer)]


@server.tool()
@economy(states=["shown"], event="PAY")
def pay(id: int) -> str:  # noqa: A002
    """Pay the invoice that was drafted; this cannot be undone."""
    return f"{id} paid"


@server.tool()
@economy(states=["new", "shown"], event="SHOW", short="Draft a payment.")
def draft(id: int) -> dict[str, Any]:  # noqa: A002
    """Draft the payment of an invoice: what is paid, to whom and from which account, for the user to look at."""
    return INVOICES[id].model_dump()


PAYMENT = Machine("new", {"new": {"SHOW": "shown"}, "shown": {"PAY": "paid"}, "paid": {}})
lean(server, machine=PAYMENT)

if __name__ == "__main__":
    server.run()
