"""The memory tool of Anthropic's API, `memory_20250818`: its definition and its replies, as the API documents them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mdmem import Workspace
from mdmem.tools.client import ToolClient

_NAME = "memory"


class MemoryTool:
    """A workspace as the memory tool; `/memories` is its root.

    With the messages API, pass `to_dict()` among the tools and answer each `tool_use` block with `result`. The tool
    runner of the SDK takes the object itself.

    >>> tool = MemoryTool(Workspace("workspace"))
    >>> tool.run({"command": "view", "path": "/memories"})[0].startswith("Here're the files and directories")
    True
    """

    name = _NAME

    def __init__(self, workspace: Workspace, *, actor: str = "claude") -> None:
        """Bind to a workspace; `actor` is the name in the history."""
        self._workspace, self._client = workspace, ToolClient(actor)

    def to_dict(self) -> dict[str, Any]:
        """Return the definition for the list of tools."""
        return {"type": "memory_20250818", "name": _NAME}

    def run(self, arguments: object) -> tuple[str, bool]:
        """Run a command; return the reply, and whether it is an error."""
        reply = self._workspace.call(_NAME, arguments, client=self._client)
        if reply["status"] == "done":
            return reply.get("text") or reply["message"], False
        found = (one["message"] for one in reply["findings"])
        return "\n".join(filter(None, (reply["message"], reply["hint"], *found))), reply["status"] == "error"

    def result(self, block: Mapping[str, Any] | object) -> dict[str, Any]:
        """Return the `tool_result` block for a `tool_use` block, which is an object of the SDK or a dictionary."""
        read = block.get if isinstance(block, Mapping) else lambda key: getattr(block, key, None)
        text, failed = self.run(read("input"))
        made: dict[str, Any] = {"type": "tool_result", "tool_use_id": read("id"), "content": text}
        return made | {"is_error": True} if failed else made

    def call(self, input: object) -> str:  # noqa: A002 - the name that the tool runner uses
        """Run a command for the tool runner of the SDK, which turns its `ToolError` into an error reply."""
        text, failed = self.run(input)
        if failed:
            from anthropic.lib.tools import ToolError

            raise ToolError(text)
        return text
