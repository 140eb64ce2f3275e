"""Imports the official MCP SDK, and only the parts that a server needs.

The SDK's `mcp/__init__.py` imports its client, and `mcp/server/__init__.py` a second server framework. A process that
only serves needs neither: both packages are entered into `sys.modules` without running these two files.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType

from mdmem.errors import ConfigError
from mdmem.messages.catalog import say

_SDK = "mcp"
_SHELLS = (_SDK, ".".join((_SDK, "server")))  # packages whose `__init__.py` a server does not need


def require_sdk(lang: str, *, lean: bool = False) -> None:
    """Import the SDK.

    Args:
        lang: the language of the message.
        lean: skip what only a client needs; for a process that does nothing else.

    Raises:
        ConfigError: it is not installed, or is another generation; the hint has the command.
    """
    shells = _enter_shells() if lean and _SDK not in sys.modules else ()
    try:
        try:
            import mcp.server.lowlevel.server
        except ImportError:
            if not shells:
                raise
            _leave_shells(shells)  # another version may need its own `__init__.py`
            import mcp.server.lowlevel.server  # noqa: F401 - the import is the check
    except ImportError as error:
        raise ConfigError(say(lang, "mcp.no-sdk"), hint=say(lang, "mcp.no-sdk.hint")) from error


def _enter_shells() -> tuple[str, ...]:
    """Enter the packages into `sys.modules`, unexecuted; return the names of those that were found."""
    path, parent, entered = None, None, []
    for name in _SHELLS:
        spec = PathFinder.find_spec(name, path)
        if spec is None or spec.submodule_search_locations is None:
            break
        shell: ModuleType = module_from_spec(spec)
        sys.modules[name] = shell
        if parent is not None:
            setattr(parent, name.rpartition(".")[2], shell)
        path, parent = list(spec.submodule_search_locations), shell
        entered.append(name)
    return tuple(entered)


def _leave_shells(shells: tuple[str, ...]) -> None:
    """Remove the packages and all that was imported below them."""
    for name in [one for one in sys.modules if one.partition(".")[0] == shells[0]]:
        del sys.modules[name]
