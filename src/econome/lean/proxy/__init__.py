"""`econome proxy`: what stands between an MCP client and its server, and makes menu and answers cheaper on the way."""
