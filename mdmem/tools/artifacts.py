"""The tools for artifacts: `artifact_put`, `artifact_get`, `file_snippet`, `grep` (G030, G034–G037).

Their replies are limited in size, with secrets masked.
"""

from __future__ import annotations

from mdmem.facade import Facade
from mdmem.messages.catalog import say
from mdmem.tools.client import ToolClient
from mdmem.tools.memory_paths import memory_path
from mdmem.tools.model import ToolReply


def artifact_put(
    host: Facade,
    client: ToolClient,
    tool: str,
    output: str,
    input: str = "",  # noqa: A002 - published
    exit_code: int | None = None,
) -> ToolReply:
    """Store the output of a tool."""
    stored = host.artifacts.put(output.encode(), tool=tool, input=input, exit_code=exit_code, owner=client.actor)
    message = say(host.lang, "artifact.kept", path=stored.path)
    return ToolReply("done", message, stored.warning, path=stored.path, text="\n".join(stored.summary))


def artifact_get(host: Facade, client: ToolClient, id: str, range: str | None = None) -> ToolReply:  # noqa: A002 - published
    """Return lines of an artifact."""
    view = host.artifacts.get(id, range, actor=client.actor)
    return ToolReply("done", view.message, view.hint, path=view.path, text=view.text)


def file_snippet(host: Facade, client: ToolClient, path: str, start: int, len: int) -> ToolReply:  # noqa: A002 - published
    """Return lines of a file."""
    view = host.artifacts.snippet(_inside(host, path), start, len, actor=client.actor)
    return ToolReply("done", view.message, view.hint, path=view.path, text=view.text)


def grep(
    host: Facade, client: ToolClient, path: str, pattern: str, limit: int | None = None, regex: bool = False  # noqa: FBT001, FBT002 - a model's argument
) -> ToolReply:  # fmt: skip
    """Return the matching lines of a file, each with its number."""
    result = host.artifacts.grep(_inside(host, path), pattern, limit, regex=regex, actor=client.actor)
    text = "\n".join(f"{hit.line}: {hit.text}" for hit in result.hits)
    return ToolReply("done", result.message, result.hint, path=result.path, text=text)


def _inside(host: Facade, path: str) -> str:
    return path if path.startswith("tool:") else memory_path(host.config, path, evidence=True)
