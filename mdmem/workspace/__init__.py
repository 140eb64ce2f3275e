"""Wires the rooms: the facade of a memory folder, one module a journey.

This is where the clock comes in. The facade is loaded when it is first asked for: a journey that needs only what holds
in a folder, as a lint does, goes without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mdmem.workspace.workspace import Progress as Progress
    from mdmem.workspace.workspace import Workspace as Workspace

__all__ = ["Progress", "Workspace"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    """Load the facade."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mdmem.workspace import workspace

    return getattr(workspace, name)
