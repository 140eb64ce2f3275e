"""Imports the official MCP SDK, or says which command installs it."""

from __future__ import annotations

from importlib.util import find_spec

from mdmem.errors import ConfigError
from mdmem.messages.catalog import say


def has_sdk() -> bool:
    """Return whether the SDK is installed, without importing it."""
    return find_spec("mcp") is not None


def require_sdk(lang: str) -> None:
    """Import the SDK.

    Args:
        lang: the language of the message.

    Raises:
        ConfigError: it is not installed, or is another generation; the hint has the command.
    """
    try:
        import mcp.server.lowlevel.server  # noqa: F401 - the import is the check
    except ImportError as error:
        raise ConfigError(say(lang, "mcp.no-sdk"), hint=say(lang, "mcp.no-sdk.hint")) from error
