"""`Workspace`: the facade, with knowledge and bundles, and the same as tools for a model."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from mdmem.facade import Facade

if TYPE_CHECKING:
    from mdmem.bundles.service import Bundles
    from mdmem.knowledge.service import Knowledge
    from mdmem.tools.client import ToolClient


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

    def call(
        self, tool: object, arguments: object, *, actor: str = "agent", client: ToolClient | None = None,
        session: str = "",
    ) -> dict[str, Any]:  # fmt: skip
        """Run a tool and return its reply as one JSON object; invalid input of a model gives an error reply.

        Args:
            tool: its name in `tools`; or `memory`, with the verb as the argument `command`.
            arguments: the arguments from the model.
            actor: the actor in the log.
            client: whose call it is, instead of `actor`: what it has read is the base of what it changes. Without it,
                all calls of an actor through this object are of one client.
            session: a name under which what the client has read is kept, for a later call by another process.

        The reply has `status` (done, unchanged, waiting, planned, findings or error), `message`, `hint` and
        `findings`. It can also have `path`, `text` (the requested text, or the whole reply of a memory verb),
        `transaction`, and for an error `code` and `candidates`.

        >>> workspace = Workspace("workspace")
        >>> workspace.call("memory_read", {"path": "FASTMEMO.md"})["status"]
        'done'
        """
        from mdmem.tools.client import ToolClient, kept_client
        from mdmem.tools.dispatch import call

        if session:
            with kept_client(self.config, actor, session) as kept:
                return call(self, tool, arguments, kept)
        if client is None:
            client = self._clients.setdefault(actor, ToolClient(actor))
        return call(self, tool, arguments, client)

    @cached_property
    def knowledge(self) -> Knowledge:
        """Knowledge: how something is done, under a name; its versions, comparisons and runs."""
        from mdmem.knowledge.service import Knowledge

        return Knowledge(self.config, self.index)

    @cached_property
    def bundles(self) -> Bundles:
        """Bundles: skills of other people in `knowledge/BUNDLE/`, and own knowledge made into a bundle."""
        from mdmem.bundles.service import Bundles

        return Bundles(self.config)

    @cached_property
    def _clients(self) -> dict[str, ToolClient]:
        return {}
