"""`Workspace`: the facade, and the same as tools for a model."""

from __future__ import annotations

from typing import Any

from mdmem.facade import Facade


class Workspace(Facade):
    """A memory folder, bound to one root.

    >>> workspace = Workspace("workspace")
    >>> for finding in workspace.lint().diagnostics:
    ...     print(finding.path, finding.line, finding.code, finding.message)
    """

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools for agents as JSON schemas, in the language of the workspace.

        Each is `{"name", "description", "input_schema"}`; there are none while memory is switched off (P038).
        """
        from mdmem.tools.dispatch import offered_tools

        return offered_tools(self)

    def call(self, tool: object, arguments: object, *, actor: str = "agent") -> dict[str, Any]:
        """Run a tool and return its reply as one JSON object; invalid input of a model gives an error reply.

        Args:
            tool: its name in `tools`; or `memory`, with the verb as the argument `command`.
            arguments: the arguments from the model.
            actor: the actor in the log.

        The reply has `status` (done, unchanged, waiting, planned, findings or error), `message`, `hint` and
        `findings`. It can also have `path`, `text` (the requested text, or the whole reply of a memory verb),
        `transaction`, and for an error `code` and `candidates`.

        >>> workspace = Workspace("workspace")
        >>> workspace.call("memory_read", {"path": "FASTMEMO.md"})["status"]
        'done'
        """
        from mdmem.tools.dispatch import call

        return call(self, tool, arguments, actor)
