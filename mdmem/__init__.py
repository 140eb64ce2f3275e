"""mdmem: plain Markdown memory for agents, with a linter, a safe pen, a keeper and a packer around it.

Public names only; each is loaded when it is first used, so that `import mdmem` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mdmem.errors import ConfigError as ConfigError
    from mdmem.errors import ConfirmError as ConfirmError
    from mdmem.errors import ConflictError as ConflictError
    from mdmem.errors import EditError as EditError
    from mdmem.errors import GitError as GitError
    from mdmem.errors import LockedError as LockedError
    from mdmem.errors import MdmemError as MdmemError
    from mdmem.errors import MemoryOffError as MemoryOffError
    from mdmem.errors import ModelError as ModelError
    from mdmem.errors import RefusedError as RefusedError
    from mdmem.errors import TargetError as TargetError
    from mdmem.errors import UnreadableFileError as UnreadableFileError
    from mdmem.errors import UsageError as UsageError
    from mdmem.errors import VerificationError as VerificationError
    from mdmem.errors import WorkspaceNotFoundError as WorkspaceNotFoundError
    from mdmem.errors import WriteError as WriteError
    from mdmem.text.document import Document as Document
    from mdmem.text.document import parse as parse
    from mdmem.text.edit import Diagnostic as Diagnostic
    from mdmem.text.edit import Edit as Edit
    from mdmem.text.edit import apply_edits as apply_edits
    from mdmem.text.spans import Span as Span
    from mdmem.text.verify import verify as verify
    from mdmem.workspace import Workspace as Workspace

__version__ = "0.1.0"

_HOMES = {
    "Diagnostic": "text.edit",
    "Document": "text.document",
    "Edit": "text.edit",
    "Span": "text.spans",
    "Workspace": "workspace",
    "apply_edits": "text.edit",
    "lint": "linter.worker",
    "parse": "text.document",
    "verify": "text.verify",
}
_ERRORS = (
    "ConfigError",
    "ConfirmError",
    "ConflictError",
    "EditError",
    "GitError",
    "LockedError",
    "MdmemError",
    "MemoryOffError",
    "ModelError",
    "RefusedError",
    "TargetError",
    "UnreadableFileError",
    "UsageError",
    "VerificationError",
    "WorkspaceNotFoundError",
    "WriteError",
)
__all__ = [*_HOMES, *_ERRORS, "__version__"]  # noqa: PLE0604 - the tables hold texts


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    """Load a public name from its home."""
    from importlib import import_module

    home = "errors" if name in _ERRORS else _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), "lint_text" if name == "lint" else name)
