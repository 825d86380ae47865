"""The public peer of a lazy menu: `python fastmcp_search.py CONFIG.json` serves its servers behind a search.

Run as a file, by the Python of an installation that has FastMCP. Its search is the one it ranks best with (BM25), and
its results are in the shorter of the two forms it offers.
"""

from __future__ import annotations

import importlib
import json
import sys

__all__ = ["main"]


def main() -> None:
    """Serve over standard input and output until the client is gone."""
    server = importlib.import_module("fastmcp.server.server")
    search = importlib.import_module("fastmcp.server.transforms.search")
    with open(sys.argv[1], encoding="utf-8") as file:
        config = json.load(file)
    proxy = server.create_proxy(config, name="peer")
    proxy.add_transform(
        search.BM25SearchTransform(
            search_result_serializer=search.serialize_tools_for_output_markdown
        )
    )
    proxy.run(transport="stdio", show_banner=False)


if __name__ == "__main__":
    main()
