"""The part of the facade for handoffs. The method imports its journey when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mdmem.config.typed_calls import TypedCalls

if TYPE_CHECKING:
    from mdmem.config.workspace_config import WorkspaceConfig
    from mdmem.entries.model import Outcome


class HandoverCalls(TypedCalls):
    """Hands over from one agent to another."""

    if TYPE_CHECKING:

        @property
        def config(self) -> WorkspaceConfig:
            """The settings and templates of the workspace."""

    def handoff(
        self, giver: str, receiver: str, *, new: bool = False, dry_run: bool = False, actor: str = "user",
        reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Write what the next agent needs into one file of its folder: plan, pins, open questions, sessions, sources.

        The receiver is given it when its next session begins, and it is ticked when that session has ended. The files
        of the giver do not change, and an earlier handoff stays beside it.

        Args:
            giver: the agent that hands over.
            receiver: the agent that takes over.
            new: the receiver may be an agent that is not known yet.
            dry_run: only show what would be written.
            actor: as for `add`.
            reason: as for `add`.

        Raises:
            TargetError: an agent is not known; `candidates` are those that are.
            UsageError: an agent would hand over to itself, or a name cannot be that of a folder.

        >>> print(Workspace("workspace").handoff("scout", "kestrel", new=True, dry_run=True).diff)
        """
        from mdmem.entries.commit import ChangeRequest
        from mdmem.handoff.service import AgentPair, hand_over

        commit = ChangeRequest(self.config, "handoff", actor, reason, dry_run=dry_run)
        return hand_over(commit, AgentPair(giver, receiver), new=new)
