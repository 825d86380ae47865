"""Which model servers run on this machine, on the ports that are theirs by custom (D5).

Anything may listen on such a port: only what answers `/v1/models` exactly as the API has it is taken for one, and it is
asked for nothing else before it is used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from econome.delegation.backends.openai import OpenAiBackend
from econome.delegation.options import BackendOptions
from econome.errors import BackendAway

__all__ = ["USUAL", "Found", "detect", "listens"]

USUAL: Final[Mapping[str, int]] = {
    "ollama": 11434,
    "lmstudio": 1234,
    "llamacpp": 8080,
    "vllm": 8000,
}
"""The servers that are looked for, in this order, and their ports."""

_PATIENCE_S = 1.5
_NAMED_PATIENCE_S = 3.0


@dataclass(frozen=True, slots=True)
class Found:
    """A server that answered, and the models that it offers to write text: at least one."""

    name: str
    url: str
    models: tuple[str, ...]


async def detect(ports: Mapping[str, int] = USUAL, patience_s: float = _PATIENCE_S) -> list[Found]:
    """Return the servers that answer on *ports*, in their order; all are asked at once."""
    looks = (_look(name, port, patience_s) for name, port in ports.items())
    return [found for found in await asyncio.gather(*looks) if found is not None]


async def listens(url: str, patience_s: float = _NAMED_PATIENCE_S) -> bool:
    """Return whether something listens at the address of an API."""
    parts = urlsplit(url)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        async with asyncio.timeout(patience_s):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except (OSError, ValueError, TimeoutError):
        return False
    writer.close()
    try:
        await writer.wait_closed()
    except OSError:
        pass
    return True


async def _look(name: str, port: int, patience_s: float) -> Found | None:
    url = f"http://127.0.0.1:{port}/v1"
    try:
        async with asyncio.timeout(patience_s):
            models = await OpenAiBackend(BackendOptions(name=name, url=url)).models()
    except (BackendAway, TimeoutError):
        return None
    return Found(name, url, models) if models else None
