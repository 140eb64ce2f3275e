"""The MCP server of a workspace: tools, resources and prompts over the official SDK, by stdio or HTTP.

The SDK is the extra `[mcp]`; `sdk_loader` says how to install it where it is missing.
"""
