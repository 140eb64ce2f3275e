"""Commits the current content of a memory's files; neither the files nor what the user has staged elsewhere change.

An index of our own lies beside git's. It keeps what git knows of each file, so that only changed files are read, and a
file that the user has staged for a commit of their own stays out of ours.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.git.authors import changes_here, identity, trailers
from mdmem.git.checkout import FILES, LINK, SUBMODULE, Checkout, is_of_memory
from mdmem.messages.catalog import say
from mdmem.store.files import file_size
from mdmem.store.git.program import run

_RETRY = 0.01  # seconds
_STALE = 600  # seconds
_NONE = "0" * 40  # the object of a file that is removed
_INDEX = "mdmem-index"  # in the `.git` of the worktree


class ChangedBlob(NamedTuple):
    """A file that differs between two commits or trees."""

    path: str  # from the top of the repository
    old_mode: str
    mode: str
    old: str  # the object; zeros if there is none
    new: str

    @property
    def is_gone(self) -> bool:
        """Whether the second side has no such file."""
        return not self.new.strip("0")

    @property
    def is_new(self) -> bool:
        """Whether the first side has no such file."""
        return not self.old.strip("0")

    @property
    def program(self) -> bool | None:
        """Whether the second side made the file executable; None if it is as executable as on the first side."""
        return None if self.is_gone or self.mode == self.old_mode else self.mode == FILES[1]

    @property
    def is_odd(self) -> bool:
        """Whether one side is a link or a submodule."""
        return bool({self.old_mode, self.mode} & {LINK, SUBMODULE})


@contextmanager
def own_index(at: Checkout) -> Iterator[Mapping[str, str]]:
    """Yield the variable that lets git use an index of this process; what git has learnt of files is kept for the next.

    A git that outlives a killed sync still writes into the index of that one, and into no other.
    """
    _remove_old(at)
    kept, own = (os.path.join(at.private, name) for name in (_INDEX, f"{_INDEX}-{os.urandom(4).hex()}"))
    for known in (kept, os.path.join(at.private, "index")):
        with suppress(FileNotFoundError):
            shutil.copy2(known, own)  # as old as it is: git looks into files that are not older than their index
            break
    try:
        yield {"GIT_INDEX_FILE": own}
        os.replace(own, kept)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(own)


def _remove_old(at: Checkout) -> None:
    """Remove the indexes that killed syncs have left."""
    for name in os.listdir(at.private):
        path = os.path.join(at.private, name)
        with suppress(OSError):
            if name.startswith(f"{_INDEX}-") and time.time() - os.stat(path).st_mtime > _STALE:
                os.unlink(path)


def changed_files(config: WorkspaceConfig, at: Checkout) -> list[str]:
    """Return the files of the memory that differ from the last commit, from the top of the repository."""
    with own_index(at) as index:
        return _changed(config, at, index)


def _changed(config: WorkspaceConfig, at: Checkout, index: Mapping[str, str]) -> list[str]:
    run(at.top, "read-tree", "-i", "-m", at.head, environment=index)
    options = ("-z", "--modified", "--deleted", "--others", "--exclude-standard")
    shown = run(at.top, "ls-files", *options, "--", at.prefix or ".", environment=index).output
    paths = dict.fromkeys(path for path in os.fsdecode(shown).split("\0") if path and not path.endswith("/"))
    return [one for one in paths if is_of_memory(config, at, one) and not os.path.islink(os.path.join(at.top, one))]


def commit_files(config: WorkspaceConfig, at: Checkout, after: str) -> Checkout:
    """Commit what stands in the memory's files, and return the checkout with that commit.

    `after` is the transaction of the log that the commit before knows; later ones are named in the trailers.
    """
    with own_index(at) as index:
        paths = _changed(config, at, index)
        if paths:
            _wait_for_editors(config, at, paths)
            names = os.fsencode("".join(f"{path}\0" for path in paths))
            run(at.top, "update-index", "--add", "--remove", "-z", "--stdin", data=names, environment=index)
        tree = run(at.top, "write-tree", environment=index).line if paths else ""
    if tree and (changed := changed_between(at, at.head, tree)):
        at = _commit(config, at, tree, [one.path for one in changed], after)
    restore_index(at)
    return at


def _wait_for_editors(config: WorkspaceConfig, at: Checkout, paths: Sequence[str]) -> None:
    """Wait a moment while a file is missing or empty: editors save in several steps."""
    until = time.monotonic() + config.settings.store.stable_ms / 1000
    while any(file_size(at.top, path) <= 0 for path in paths) and time.monotonic() < until:
        time.sleep(_RETRY)


def _commit(config: WorkspaceConfig, at: Checkout, tree: str, paths: Sequence[str], after: str) -> Checkout:
    inner = [path.removeprefix(at.prefix) for path in paths]
    changes = changes_here(config, frozenset(inner), after)
    subject = say(config.lang, "sync.commit", name=inner[0], count=len(inner))
    message = f"{subject}\n\n{trailers(config, changes)}\n"
    return move_branch(at, new_commit(config, at, tree, [at.head], message, changes.actor), "sync: commit")


def new_commit(
    config: WorkspaceConfig, at: Checkout, tree: str, parents: Sequence[str], message: str, actor: str
) -> str:
    """Make a commit and return its name; no branch points to it yet."""
    options = [word for parent in parents for word in ("-p", parent)]
    who = identity(config, at, actor)
    return run(at.top, "commit-tree", tree, *options, data=message.encode(), environment=who).line


def move_branch(at: Checkout, commit: str, why: str) -> Checkout:
    """Let the branch point to a commit, if nobody else has moved it; raises GitError."""
    run(at.top, "update-ref", "-m", f"mdmem {why}", at.branch, commit, at.head)
    return at._replace(head=commit)


def restore_index(at: Checkout) -> None:
    """Let git's index agree with the last commit in the memory's files, so that `git status` shows what is true.

    It also mends what a crash left between a commit and its index.
    """
    shown = run(at.top, "diff-index", "--cached", "--name-only", "-z", at.head, "--", at.prefix or ".").output
    if shown:
        run(at.top, "reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul", data=shown, accept=(0, 1))


def changed_between(at: Checkout, old: str, new: str) -> list[ChangedBlob]:
    """Return the files that differ between two commits or trees."""
    shown = run(at.top, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new).output
    fields = iter(os.fsdecode(shown).split("\0"))
    found = []
    for record in filter(None, fields):
        old_mode, mode, before, after, _ = record.removeprefix(":").split()
        found.append(ChangedBlob(next(fields), old_mode, mode, before, after))
    return found


def tree_with(at: Checkout, tree: str, contents: Mapping[str, bytes | None]) -> str:
    """Return a tree with some files in place of others, as executable as they are there; None removes one."""
    blobs = {path: _blob(at, data) for path, data in contents.items()}
    with own_index(at) as index:
        run(at.top, "read-tree", "-i", "-m", tree, environment=index)
        programs = _programs(at, index)
        modes = {path: FILES[path in programs] if blob else "0" for path, blob in blobs.items()}
        rows = [f"{modes[path]} {blob or _NONE}\t{path}\0" for path, blob in blobs.items()]
        run(at.top, "update-index", "-z", "--index-info", data=os.fsencode("".join(rows)), environment=index)
        return run(at.top, "write-tree", environment=index).line


def _programs(at: Checkout, index: Mapping[str, str]) -> set[str]:
    """Return the executable files in an index."""
    shown = run(at.top, "ls-files", "-z", "--stage", environment=index).output
    rows = (row.partition("\t") for row in os.fsdecode(shown).split("\0"))
    return {path for fields, _, path in rows if fields.startswith(FILES[1])}


def _blob(at: Checkout, data: bytes | None) -> str:
    """Write a blob and return its object name; return an empty name for no file."""
    return "" if data is None else run(at.top, "hash-object", "-w", "--stdin", data=data).line
