"""Reads from git: the staged files, their content, and the folder of the hooks. No shell, no pager, no prompt.

A repository's own configuration may name programs and servers. The two that reading reaches are switched off: the
monitor of the file system, and the server from which missing objects are fetched.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from mdmem.errors import GitError


class Staged(NamedTuple):
    """A file of the index: path from the top of the repository, whether it is a symbolic link, size and bytes."""

    path: str
    link: bool
    size: int
    data: bytes


_SUBMODULE = "160000"  # a mode
_TWO_PATHS = "RC"  # statuses: renamed, copied


_OPTIONS = ("-c", "core.fsmonitor=false", "--no-optional-locks", "--literal-pathspecs")
_ALONE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}  # the second is for git 2.45 and later


def _git(folder: str, *arguments: str, data: bytes | None = None) -> bytes:
    command = ["git", "-C", folder, *_OPTIONS, *arguments]
    try:
        done = subprocess.run(command, input=data, capture_output=True, check=False, env=os.environ | _ALONE)  # noqa: S603 - no shell, fixed verbs
    except FileNotFoundError as error:
        raise GitError("git is not installed", hint="install git, or lint without --staged") from error
    if done.returncode:
        first = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        reason = "this folder is not in a git repository" if "not a git repository" in first else "git refused"
        raise GitError(reason, hint="run it inside the repository with the memory")
    return done.stdout


def top(folder: str) -> str:
    """Return the top folder of the repository.

    Raises:
        GitError: there is no repository, or git is not installed.
    """
    return os.fsdecode(_git(folder, "rev-parse", "--show-toplevel").rstrip(b"\n"))


def hooks_folder(folder: str) -> str:
    """Return the folder from which git runs hooks; `core.hooksPath` is respected."""
    shown = os.fsdecode(_git(folder, "rev-parse", "--git-path", "hooks").rstrip(b"\n"))
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
    shown = _git(folder, "rev-parse", "--absolute-git-dir", "--git-common-dir")
    private, common = (os.path.realpath(os.path.join(folder, os.fsdecode(line))) for line in shown.splitlines())
    if os.path.dirname(private) == os.path.join(common, "worktrees"):
        with open(os.path.join(private, "gitdir"), "rb") as file:
            named = os.path.dirname(os.path.join(private, os.fsdecode(file.readline().rstrip(b"\n"))))
    else:
        worktree = _configured(folder, "--file", os.path.join(common, "config"), "--get", "core.worktree")
        named = os.path.join(common, worktree) if worktree else ""
    return bool(named) and os.path.realpath(named) == os.path.realpath(top(folder))


def _configured(folder: str, *arguments: str) -> str:
    """Return a value of git's configuration; empty if nobody set it."""
    try:
        return os.fsdecode(_git(folder, "config", *arguments).rstrip(b"\n"))
    except GitError:
        return ""


def changed(repository: str) -> list[str]:
    """Return the files that differ between the index and the last commit, as paths from the top of the repository."""
    names = _git(repository, "diff", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=ACMRT")
    return [os.fsdecode(name) for name in names.split(b"\0") if name]


def staged(repository: str, paths: Sequence[str], most: Callable[[str], int]) -> Iterator[Staged]:
    """Yield staged files: the named ones, or all that differ from the last commit.

    `paths` are relative to the top of the repository. A file with more bytes than `most` says of its path is
    returned without them.
    """
    files = [(mode, blob, path) for mode, blob, path in _listed(repository, paths) if mode != _SUBMODULE]
    yield from _read(repository, files, most)


def _read(repository: str, files: Sequence[tuple[str, str, str]], most: Callable[[str], int]) -> Iterator[Staged]:
    """Yield files of the object store, given as (mode, blob, path)."""
    sizes = _sizes(repository, [blob for _, blob, _ in files])
    small = dict.fromkeys(blob for _, blob, path in files if sizes[blob] <= most(path))
    contents = _contents(repository, list(small))
    for mode, blob, path in files:
        yield Staged(path, mode == "120000", sizes[blob], contents.get(blob, b""))


def before(repository: str, most: Callable[[str], int]) -> dict[str, Staged | None]:
    """Return what the last commit holds of the files that differ from it, by the paths that they have now.

    A renamed file has its older path; a new file has nothing.
    """
    fields = iter(_git(repository, "diff", "--cached", "--raw", "-z", "-M", "--no-abbrev").split(b"\0"))
    new: set[str] = set()
    older: dict[str, tuple[str, str, str]] = {}
    for record in filter(None, fields):
        mode, _, blob, _, status = record.decode().removeprefix(":").split()
        path = os.fsdecode(next(fields))
        present = os.fsdecode(next(fields)) if status[0] in _TWO_PATHS else path
        if status[0] == "A" or mode == _SUBMODULE:
            new.add(present)
        else:
            older[present] = (mode, blob, path)
    return {**dict.fromkeys(new), **dict(zip(older, _read(repository, list(older.values()), most), strict=True))}


def _sizes(repository: str, blobs: Sequence[str]) -> dict[str, int]:
    answer = _git(repository, "cat-file", "--batch-check", data="\n".join(blobs).encode()) if blobs else b""
    lines = [line.decode().split() for line in answer.splitlines()]
    if any(line[-1] == "missing" for line in lines):
        hint = "`git fsck` tells which; fetch it, or clone again"
        raise GitError("an object of the repository is missing", hint=hint)
    return {blob: int(size) for blob, _, size in lines}


def _contents(repository: str, blobs: Sequence[str]) -> dict[str, bytes]:
    answer = _git(repository, "cat-file", "--batch", data="\n".join(blobs).encode()) if blobs else b""
    contents, offset = {}, 0
    for blob in blobs:
        start = answer.index(b"\n", offset) + 1
        size = int(answer[offset:start].split()[2])
        contents[blob] = answer[start : start + size]
        offset = start + size + 1
    return contents


def _listed(repository: str, paths: Sequence[str]) -> list[tuple[str, str, str]]:
    if not paths:
        paths = changed(repository)
        if not paths:
            return []
    files = []
    for record in _git(repository, "ls-files", "--stage", "-z", "--", *paths).split(b"\0"):
        if record:
            fields, _, name = record.partition(b"\t")
            mode, blob, stage = fields.decode().split()
            if stage == "0":
                files.append((mode, blob, os.fsdecode(name)))
    return files
