"""The fixtures of the conformance suite over standard input and output, by econome's own adapter of the SDK.

python -m tools.conformance.piped
"""

from __future__ import annotations

import asyncio
import sys

from econome.server import mcp
from tools.conformance.serving import replace
from tools.conformance.stage import server

__all__ = ["main"]


def main() -> None:
    """Serve one client until it goes."""
    replace(mcp, "_server", lambda tools: server())
    asyncio.run(mcp.converse({}, sys.stdin.buffer))


if __name__ == "__main__":
    main()
