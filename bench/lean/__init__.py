"""The benchmark of the lean room: real public MCP servers, asked the same with and without the proxy."""
