"""Asks about a repository: its top folder, its hooks, and whether it knows a checkout of its own."""

from __future__ import annotations

import os
from typing import Literal

from mdmem.errors import GitError, RefusedError
from mdmem.store.files import short_path
from mdmem.store.git.program import read


def top_of(folder: str) -> str:
    """Return the top folder of the repository.

    Raises:
        GitError: there is no repository, or git is not installed.
    """
    return os.fsdecode(read(folder, "rev-parse", "--show-toplevel").rstrip(b"\n"))


def in_repository(folder: str) -> bool:
    """Return whether a folder, or one above it, has a `.git`; git is not asked."""
    folder = os.path.abspath(folder)
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def hooks_folder(folder: str) -> str:
    """Return the folder from which git runs hooks; `core.hooksPath` is respected."""
    shown = os.fsdecode(read(folder, "rev-parse", "--git-path", "hooks").rstrip(b"\n"))
    return os.path.normpath(os.path.join(os.path.abspath(folder), shown))


def hooks_named_by(folder: str) -> Literal["repository", "user", "nobody"]:
    """Return whose configuration names the folder of the hooks."""
    scope = _configured(folder, "--show-scope", "--get", "core.hooksPath").partition("\t")[0]
    return "nobody" if not scope else "repository" if scope in ("local", "worktree") else "user"


def names_its_checkout(folder: str) -> bool:
    """Return whether a repository that lies elsewhere says itself that a folder is a checkout of it.

    It does for a linked worktree, in `worktrees/NAME/gitdir`, and for a submodule, in `core.worktree`. The file `.git`
    alone proves nothing: whoever wrote the folder can name any repository in it (gitrepository-layout(5)).
    """
    shown = read(folder, "rev-parse", "--absolute-git-dir", "--git-common-dir")
    private, common = (os.path.realpath(os.path.join(folder, os.fsdecode(line))) for line in shown.splitlines())
    if os.path.dirname(private) == os.path.join(common, "worktrees"):
        with open(os.path.join(private, "gitdir"), "rb") as file:
            named = os.path.dirname(os.path.join(private, os.fsdecode(file.readline().rstrip(b"\n"))))
    else:
        worktree = _configured(folder, "--file", os.path.join(common, "config"), "--get", "core.worktree")
        named = os.path.join(common, worktree) if worktree else ""
    return bool(named) and os.path.realpath(named) == os.path.realpath(top_of(folder))


def main_worktree(folder: str) -> str:
    """Return the main worktree of the repository that a linked worktree belongs to; empty for any other folder.

    A folder that the repository does not name itself is none of it, whatever its file `.git` says.
    """
    try:
        shown = read(folder, "rev-parse", "--absolute-git-dir", "--git-common-dir")
        private, common = (os.path.realpath(os.path.join(folder, os.fsdecode(line))) for line in shown.splitlines())
        is_linked = os.path.dirname(private) == os.path.join(common, "worktrees") and names_its_checkout(folder)
    except (GitError, OSError):
        return ""
    is_bare = os.path.basename(common) != ".git"
    return os.path.dirname(common) if is_linked and not is_bare else ""


def linked_worktrees(folder: str) -> list[str]:
    """Return the other worktrees of a repository. Raises GitError."""
    top = os.path.realpath(top_of(folder))
    lines = os.fsdecode(read(folder, "worktree", "list", "--porcelain")).splitlines()
    found = [line.removeprefix("worktree ") for line in lines if line.startswith("worktree ")]
    return [one for one in found if os.path.realpath(one) != top and os.path.isdir(one)]


def conflict_style(folder: str) -> str:
    """Return how git is asked to show conflicts: `merge`, `diff3` or `zdiff3`; empty if it is not asked."""
    return _configured(folder, "--get", "merge.conflictStyle")


def _configured(folder: str, *arguments: str) -> str:
    """Return a value of git's configuration; empty if nobody set it."""
    try:
        return os.fsdecode(read(folder, "config", *arguments).rstrip(b"\n"))
    except GitError:
        return ""


def require_own(folder: str) -> None:
    """Refuse a folder whose `.git` names a repository that lies elsewhere and does not name the folder.

    Raises:
        RefusedError: it does; nothing may be written into that repository.
        GitError: there is no repository, or git is not installed.
    """
    top = os.path.realpath(top_of(folder))
    common = os.path.realpath(os.path.join(folder, os.fsdecode(read(folder, "rev-parse", "--git-common-dir").rstrip())))
    if not common.startswith(os.path.join(top, "")) and not names_its_checkout(folder):
        raise not_named(common)


def not_named(place: str) -> RefusedError:
    """Return the refusal to write into a repository that does not name the folder in which it was found."""
    return RefusedError(
        "`.git` names the repository {folder}, which does not name this folder: nothing is written there",
        facts={"folder": short_path(place)},
        hint="if it is yours, let it name this folder: `git config core.worktree FOLDER`",
    )
