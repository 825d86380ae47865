"""What an exchange asks for: a message to the server or one to the client."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Move", "ToClient", "ToServer"]


@dataclass(frozen=True, slots=True)
class ToServer:
    """A message for the server, without a line end.

    `method` is "" for an answer or what is no single message; `name` is the tool's own name where it calls one, which
    the header `Mcp-Name` has to repeat. `own` messages are the proxy's: their answers never reach the client.
    """

    message: bytes
    method: str = ""
    name: str | None = None
    own: bool = False


@dataclass(frozen=True, slots=True)
class ToClient:
    """A message for the client, without a line end."""

    message: bytes


Move = ToServer | ToClient
