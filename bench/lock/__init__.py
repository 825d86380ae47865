"""The benchmark of the contract room: locks of real public MCP servers, real upgrades, and the time of a check."""
