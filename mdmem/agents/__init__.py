"""The doors for agents: the MCP server and the adapters for the frameworks that agents are built with."""
