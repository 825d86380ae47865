"""Menus and answers of MCP servers that cost less: a library for servers in Python, and the core of `econome proxy`."""
