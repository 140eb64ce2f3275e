"""Sets up a memory for git, and says what is missing; the namespace `Workspace.git`."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator

from mdmem.config.trust import is_trusted, revoke_trust, trust
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import GitError, MdmemError
from mdmem.git.checkout import named
from mdmem.git.model import SetupState, SetupStep
from mdmem.git.setup_parts import (
    AttributeLines,
    CommitHook,
    DriverConfiguration,
    IgnoreLines,
    OriginRemote,
    Part,
    configured,
)
from mdmem.git.sync_state import SyncRecord, read_record
from mdmem.history.service import DoctorCheck
from mdmem.messages.catalog import say
from mdmem.store.git.program import read, require_version
from mdmem.store.git.repository import linked_worktrees, own_places, top_of
from mdmem.store.git.repository_requests import requests_in
from mdmem.store.walk import holds_memory


class Git:
    """A memory folder in a git repository."""

    def __init__(self, config: WorkspaceConfig) -> None:
        """Bind to a workspace."""
        self._config = config

    def setup(
        self, *, driver: bool = False, hook: bool = False, remote: str = "", undo: bool = False
    ) -> tuple[SetupStep, ...]:
        """Let git merge the memory entry by entry, lint what is staged, and ignore the state folder.

        What others wrote is not changed. A second call changes nothing. With the driver or a remote, a sync may go to
        the addresses of the repository's remotes, which the steps name.

        Args:
            driver: the merge driver: its line in `.gitattributes`, and its entry in the repository's configuration.
            hook: git's pre-commit hook. Without any choice, the driver and the hook are set up.
            remote: the address of the repository with which this one is exchanged; it becomes `origin`.
            undo: take back what an earlier call made, or the chosen parts of it.

        Raises:
            GitError: git is not installed or too old, or this is no repository.
            RefusedError: the folder names a repository that does not name it; or the address holds a password.
            ConflictError, WriteError: a file could not be changed; it is as it was.
        """
        require_version()
        root = self._config.root
        own_places(root)
        is_all = not (driver or hook or remote)
        parts: list[Part] = []
        if driver or is_all:
            parts += [AttributeLines(root), DriverConfiguration(root)]
        if (undo and is_all) or not undo:
            parts += [IgnoreLines(root)]
        if hook or is_all:
            parts += [CommitHook(root)]
        if remote or (undo and is_all):
            parts += [OriginRemote(root, remote)]
        has_addresses = driver or remote or is_all
        revoked = self._addresses(remote, undo=True) if undo and has_addresses else ()  # before a remote is removed
        steps = tuple(SetupStep(part.name, part.undo() if undo else part.make()) for part in parts)
        return (*steps, *revoked, *(self._addresses(remote, undo=False) if has_addresses and not undo else ()))

    def _addresses(self, chosen: str, *, undo: bool) -> Iterator[SetupStep]:
        """Trust the addresses of the repository's remotes, or the chosen one; yield a step for each."""
        root = self._config.root
        for one in requests_in(root):
            if one.kind == "address" and (not chosen or one.values == (chosen,)):
                before = is_trusted(root, one.content)
                (revoke_trust if undo else trust)(root, one.content)
                state: SetupState = ("removed" if before else "absent") if undo else "present" if before else "made"
                yield SetupStep("address", state, f"{one.remote}: {one.shown}")

    def checks(self) -> tuple[DoctorCheck, ...]:
        """Tell whether git merges the memory by entry here, and which worktrees use which memory.

        Nothing is told where no attribute asks for the merge driver, where there is one worktree, and of what a
        repository asks for that is not synced.
        """
        return (*git_checks(self._config), *worktree_checks(self._config), *trust_checks(self._config))


def git_checks(config: WorkspaceConfig) -> Iterator[DoctorCheck]:
    """Tell whether git merges the memory by entry: attributes travel with a repository, the configuration does not."""
    try:
        shown = read(config.root, "check-attr", "merge", "--", "MEMORY.md")
    except GitError:  # no repository, or no git: there is nothing to check
        return
    if not shown.rstrip().endswith(b": mdmem"):
        return
    line = configured(config.root, "merge.mdmem.driver")
    if _runs(line):
        yield DoctorCheck("git-driver", "good", say(config.lang, "git.driver"))
        return
    key = "git.no-program" if line else "git.no-driver"
    yield DoctorCheck("git-driver", "weaker", say(config.lang, key), say(config.lang, f"{key}.hint"))


def worktree_checks(config: WorkspaceConfig) -> Iterator[DoctorCheck]:
    """Tell which memory the repository's other worktrees use: people lose what they write into one of their own."""
    try:
        linked = linked_worktrees(config.root)
        if not linked:
            return
        inner = os.path.relpath(os.path.realpath(config.root), os.path.realpath(top_of(config.root)))
        others = {one: os.path.normpath(os.path.join(one, inner)) for one in linked}
    except MdmemError:
        return
    own, sharing = list[str](), list[str]()
    for worktree, folder in others.items():
        (own if holds_memory(folder) else sharing).append(os.path.basename(worktree))
    if own:
        message = say(config.lang, "git.worktrees-own", names=", ".join(own))
        yield DoctorCheck("git-worktrees", "weaker", message, say(config.lang, "git.worktrees-own.hint"))
    elif sharing:
        yield DoctorCheck("git-worktrees", "good", say(config.lang, "git.worktrees", names=", ".join(sharing)))


def trust_checks(config: WorkspaceConfig) -> Iterator[DoctorCheck]:
    """Yield a check if a synced memory's repository asks for something that the user has not trusted."""
    if read_record(config) == SyncRecord() and not config.settings.sync.watch_minutes:
        return
    if waiting := [one.name for one in config.git_requests if not is_trusted(config.root, one.content)]:
        message = say(config.lang, "git.waiting", names=named(waiting))
        yield DoctorCheck("git-trust", "weaker", message, say(config.lang, "git.waiting.hint"))


def _runs(line: str) -> bool:
    """Return whether the driver's program is there: the one that the line names, or `mdmem` on the PATH."""
    if not line:
        return False
    words = shlex.split(line.replace("%%", "%").partition(";")[0])
    return any(os.access(word, os.X_OK) for word in words if os.path.isabs(word)) or bool(shutil.which("mdmem"))
