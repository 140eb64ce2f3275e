"""The part of the facade for a memory on several machines. Each method imports its journey when it is called."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal

from mdmem.config.typed_calls import TypedCalls

if TYPE_CHECKING:
    from mdmem.config.workspace_config import WorkspaceConfig
    from mdmem.entries.model import Outcome
    from mdmem.git.service import Git
    from mdmem.git.sync_state import SyncResult, SyncState
    from mdmem.git.synchronize import SyncProgress


class SharedMemory(TypedCalls):
    """Git's setup, sync, and copies that sync programs leave."""

    root: str

    if TYPE_CHECKING:

        @property
        def config(self) -> WorkspaceConfig:
            """The settings and templates of the workspace."""

    @cached_property
    def git(self) -> Git:
        """The memory in git: the merge driver, the hook, what stays out of the repository."""
        from mdmem.git.service import Git

        return Git(self.config)

    def sync(
        self, *, push: bool = True, dry_run: bool = False, progress: SyncProgress | None = None
    ) -> SyncResult:  # fmt: skip
        """Bring the memory and its branch on the remote to the same state, so that several machines share it.

        What stands in the memory's files is committed; the remote's commits are merged entry by entry, and the pen
        writes what they change; then ours are pushed. Where two machines changed one entry, the file takes the other
        machine's text, and both wait in `inbox.md`. Lint errors in what would be pushed stop the push, not the commit.

        Args:
            push: False to commit and take in only.
            dry_run: only say what would be done.
            progress: called with (steps done, all steps, the step).

        Raises:
            GitError: git is missing or too old, there is no repository or remote, or something stands in the way.
            RemoteError: the remote cannot be reached or asks for a password; everything is committed here.
            RefusedError: the remote brings in what no memory may hold.
            LockedError: another sync is at work, or another writer held a file too long.
        """
        from mdmem.git.synchronize import sync

        return sync(self.config, push=push, dry_run=dry_run, progress=progress)

    def sync_state(self) -> SyncState | None:
        """Return where the memory and its remote stand, without asking the remote; None if it was never synced."""
        from mdmem.git.sync_state import sync_state

        return sync_state(self.config)

    def resolve(self, path: str, *, actor: str = "user", reason: str = "", dry_run: bool = False) -> Outcome:
        """Merge a conflicted copy of a sync program with its original, and remove the copy; an undo brings it back.

        From the version with which both began, if the history knows it; else all entries of both are kept. Where the
        copy says something else than the original, that text waits in `inbox.md`.

        Args:
            path: the copy, POSIX from the root; its name tells the original.
            actor: who asks.
            reason: why.
            dry_run: change nothing; the outcome says what would change.

        Raises:
            UsageError: the name is not that of a conflicted copy.
            TargetError: the copy or its original is missing, or they cannot be merged entry by entry.
            RefusedError: the path leaves the workspace, or this actor may not change the file.
            LockedError, WriteError: neither file was changed.
        """
        from mdmem.git.conflicted_copy import resolve

        return resolve(self.config, path, actor=actor, reason=reason, dry_run=dry_run)

    def install_hook(self) -> bool:
        """Write git's pre-commit hook, which lints staged files; an older hook of mdmem is replaced.

        Returns:
            False if there is another hook; it is not changed.

        Raises:
            GitError: the folder is not in a repository, or git is not installed.
            RefusedError: a link leads the hook out of the repository.
        """
        from mdmem.linter.hook import install_hook

        return install_hook(self.root)

    def uninstall_hook(self) -> Literal["removed", "none", "another"]:
        """Remove git's pre-commit hook if it is mdmem's; another hook is not changed. Errors as for `install_hook`."""
        from mdmem.linter.hook import uninstall_hook

        return uninstall_hook(self.root)
