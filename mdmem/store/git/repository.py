"""Asks about a repository: its top folder, its hooks, and whether it knows a checkout of its own."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from typing import Literal, NamedTuple

from mdmem.errors import GitError, RefusedError, UnreadableFileError
from mdmem.store.files import linked_away, read_private, short_path
from mdmem.store.git.program import read

_NAMED_BY_GIT = {"GIT_DIR", "GIT_WORK_TREE"}  # variables that a hook inherits
_MOST_PATH = 5000  # bytes of a file that names a place
_ONLY_READ = ("hooks", "info")  # folders of `.git`
_WRITTEN = ("refs", "logs", "objects")  # folders whose content git writes by name


class GitPlaces(NamedTuple):
    """Where the parts of a repository lie; each path is absolute."""

    top: str  # the folder with the files
    private: str  # the `.git` of this worktree
    common: str  # that of all worktrees
    hooks: str
    is_shallow: bool  # it lacks the older commits


def top_of(folder: str) -> str:
    """Return the top folder of the repository.

    Raises:
        GitError: there is no repository, or git is not installed.
        RefusedError: the folder's `.git` or its configuration leads to another place.
        UnreadableFileError: there is a pipe in the repository.
    """
    top = os.fsdecode(read(folder, "rev-parse", "--show-toplevel").rstrip(b"\n"))
    require_here(folder, top)
    return top


def own_places(folder: str) -> GitPlaces:
    """Return the places of a repository that is the folder's own, so that it may be written.

    Raises:
        GitError: there is no repository, or git is not installed.
        RefusedError: the folder's `.git`, its configuration or a link in it leads to another place.
        UnreadableFileError: there is a pipe in it.
    """
    options = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--git-path", "hooks")
    shown = os.fsdecode(read(folder, "rev-parse", *options, "--is-shallow-repository")).splitlines()
    top, private, common, hooks = (os.path.normpath(os.path.join(os.path.abspath(folder), one)) for one in shown[:4])
    require_here(folder, top)
    _require_no_links(top, private, common)
    return GitPlaces(top, private, common, hooks, shown[4] == "true")


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
    shown = read(folder, "rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
    top, private, common = (os.path.realpath(os.path.join(folder, os.fsdecode(line))) for line in shown.splitlines())
    return _is_named(top, private, common)


def _is_named(top: str, private: str, common: str) -> bool:
    """Return whether a repository names a checkout; the paths are real ones."""
    if os.path.dirname(private) == os.path.join(common, "worktrees"):
        line = (read_private(os.path.join(private, "gitdir"), _MOST_PATH) or b"").partition(b"\n")[0]
        named = os.path.dirname(os.path.join(private, os.fsdecode(line))) if line else ""
    else:
        worktree = _configured(common, "--file", os.path.join(common, "config"), "--get", "core.worktree")
        named = os.path.join(common, worktree) if worktree and private == common else ""
    return bool(named) and os.path.realpath(named) == top


def require_here(folder: str, top: str = "") -> None:
    """Refuse a repository whose files, or which itself, lies elsewhere and does not name the folder where git found it.

    Git is asked only about a submodule and the like. In a hook of git, git has named the repository itself.

    Args:
        folder: a folder of the repository.
        top: the folder of its files, as git says; without it, these are not looked at.

    Raises:
        RefusedError: it does; nothing may be read or written there.
        UnreadableFileError: there is a pipe in the repository.
    """
    if _NAMED_BY_GIT & os.environ.keys():
        return
    found = _beside_git(os.path.realpath(folder))
    if top and not (found and os.path.samefile(found, top)):
        raise RefusedError(
            "the repository of this folder has its files in {folder}: nothing is read or written there",
            facts={"folder": short_path(top)},
            hint="`git config --unset core.worktree` in this folder lets them be here",
        )
    if not found:
        return
    private, common = git_folders(found)
    is_inside = all(one.startswith(os.path.join(found, "")) for one in (private, common))
    if not is_inside and not _is_named(found, private, common):
        raise not_named(common)
    _require_no_pipes(private, common)


def git_folders(folder: str) -> tuple[str, str]:
    """Return the `.git` of a folder and that of all its worktrees, by git's own files; a bare repository is its own."""
    dot = os.path.join(folder, ".git")
    private = _named_in(dot, "gitdir: ", dot) if os.path.lexists(dot) else folder
    return private, _named_in(os.path.join(private, "commondir"), "", private)


def _beside_git(folder: str) -> str:
    """Return the folder, or the next one above it, in which git finds a repository by its `.git`; empty for none."""
    while not os.path.isfile(dot := os.path.join(folder, ".git")) and not os.path.lexists(os.path.join(dot, "HEAD")):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return folder


def _named_in(path: str, before: str, otherwise: str) -> str:
    """Return the place that a file of git names in its first line."""
    line = os.fsdecode((read_private(path, _MOST_PATH) or b"").partition(b"\n")[0])
    named = os.path.join(os.path.dirname(path), line.removeprefix(before)) if line else otherwise
    return os.path.realpath(named)


def _require_no_links(top: str, private: str, common: str) -> None:
    """Refuse links to other places among what git writes in a repository.

    Raises:
        RefusedError: there is one.
    """
    inside = tuple(os.path.join(os.path.realpath(one), "") for one in (top, private, common))
    for one in _written(private, common):
        if one.is_symlink() and not (real := os.path.realpath(one.path)).startswith(inside):
            raise linked_away(one.path, real)


def _require_no_pipes(private: str, common: str) -> None:
    """Refuse pipes, at which git would wait, in a repository.

    Raises:
        UnreadableFileError: there is one.
    """
    for one in _written(private, common):
        if not (one.is_file() or one.is_symlink()) and stat.S_ISFIFO(one.stat().st_mode):
            raise UnreadableFileError("not a regular file", path=short_path(one.path))


def _written(private: str, common: str) -> Iterator[os.DirEntry[str]]:
    """Yield what git writes by name in a repository, but for its folders: files, links, and what is neither."""
    waiting = [(one, False) for one in {private, common}]
    while waiting:
        folder, is_deep = waiting.pop()
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
            for one in entries:
                if one.is_dir(follow_symlinks=False):
                    waiting += [(one.path, one.name != "objects")] if is_deep or one.name in _WRITTEN else []
                elif one.name not in _ONLY_READ:
                    yield one


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


def not_named(place: str) -> RefusedError:
    """Return the refusal to write into a repository that does not name the folder in which it was found."""
    return RefusedError(
        "`.git` names the repository {folder}, which does not name this folder: nothing is written there",
        facts={"folder": short_path(place)},
        hint="if it is yours, let it name this folder: `git config core.worktree FOLDER`",
    )
