"""A server that knows nothing of econome: the time zones of the tz database, as rows, as one, and in prose.

`python -m tools.realclient.shelf` serves over standard input and output; with a port, over HTTP on loopback.
"""

from __future__ import annotations

import sys
from importlib import resources
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel, Field

__all__ = ["Zone", "build", "main", "zones"]


class Zone(BaseModel):
    """A zone of the tz database: its name, its country, where its largest place lies, and what sets it apart."""

    zone: str
    country: str
    place: str
    comment: str | None


def zones() -> list[Zone]:
    """Return all zones in the order of their table."""
    text = resources.files("tzdata").joinpath("zoneinfo/zone.tab").read_text(encoding="utf-8")
    found: list[Zone] = []
    for line in text.splitlines():
        if not line.startswith("#"):
            country, place, zone, *comment = line.split("\t")
            found.append(
                Zone(
                    zone=zone, country=country, place=place, comment=comment[0] if comment else None
                )
            )
    return found


def build() -> MCPServer:
    """Return the server with its tools."""
    server = MCPServer("shelf", instructions="Knows the time zones of the world.")

    @server.tool()
    def list_zones(
        country: Annotated[str, Field(description="two letters of ISO 3166", max_length=2)],
    ) -> list[Zone]:
        """List the zones of a country, those with the most people first."""
        return [one for one in zones() if one.country == country]

    @server.tool()
    def get_zone(zone: Annotated[str, Field(description="its name, Area/Place")]) -> Zone:
        """Return one zone by its name."""
        return next(one for one in zones() if one.zone == zone)

    @server.tool()
    def count_zones(
        country: Annotated[
            str | None, Field(description="two letters; all where not given")
        ] = None,
    ) -> int:
        """Count the zones of a country, or all of them."""
        return sum(country in (None, one.country) for one in zones())

    @server.tool(structured_output=False)
    def tell_zone(zone: Annotated[str, Field(description="its name, Area/Place")]) -> str:
        """Tell in a sentence where a zone is."""
        one = next(one for one in zones() if one.zone == zone)
        return f"{one.zone} is in {one.country}, at {one.place}."

    return server


def main() -> None:
    """Serve until the client is gone."""
    if len(sys.argv) > 1:
        build().run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        build().run("stdio")


if __name__ == "__main__":
    main()
