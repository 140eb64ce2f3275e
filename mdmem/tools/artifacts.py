"""The tools over evidence: `artifact_put`, `artifact_get`, `file_snippet`, `grep` (G030, G034–G037).

What they show is bounded, with secrets masked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mdmem.messages.catalog import say
from mdmem.tools.memory_paths import memory_path
from mdmem.tools.model import ToolReply

if TYPE_CHECKING:
    from mdmem.workspace import Workspace


def artifact_put(
    workspace: Workspace,
    actor: str,
    tool: str,
    output: str,
    input: str = "",  # noqa: A002 - published
    exit_code: int | None = None,
) -> ToolReply:
    """Keep what a tool gave."""
    kept = workspace.artifact_put(output.encode(), tool=tool, input=input, exit_code=exit_code, owner=actor)
    message = say(workspace.lang, "artifact.kept", path=kept.path)
    return ToolReply("done", message, kept.warning, path=kept.path, text="\n".join(kept.summary))


def artifact_get(workspace: Workspace, actor: str, id: str, range: str | None = None) -> ToolReply:  # noqa: A002 - published
    """Give lines of a tool run."""
    look = workspace.artifact_get(id, range, actor=actor)
    return ToolReply("done", look.message, look.hint, path=look.path, text=look.text)


def file_snippet(workspace: Workspace, actor: str, path: str, start: int, len: int) -> ToolReply:  # noqa: A002 - published
    """Give lines of a file."""
    look = workspace.snippet(_inside(workspace, path), start, len, actor=actor)
    return ToolReply("done", look.message, look.hint, path=look.path, text=look.text)


def grep(
    workspace: Workspace, actor: str, path: str, pattern: str, limit: int | None = None, regex: bool = False  # noqa: FBT001, FBT002 - a model's argument
) -> ToolReply:  # fmt: skip
    """Give the lines of a file that match, each behind its number."""
    found = workspace.grep(_inside(workspace, path), pattern, limit, regex=regex, actor=actor)
    text = "\n".join(f"{hit.line}: {hit.text}" for hit in found.hits)
    return ToolReply("done", found.message, found.hint, path=found.path, text=text)


def _inside(workspace: Workspace, path: str) -> str:
    return path if path.startswith("tool:") else memory_path(workspace.config, path, evidence=True)
