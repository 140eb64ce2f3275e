"""Reads the staged files of a repository and what the last commit holds of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mdmem.errors import GitError
from mdmem.store.git.program import read


class Staged(NamedTuple):
    """A file of the index: path from the top of the repository, whether it is a symbolic link, size and bytes."""

    path: str
    link: bool
    size: int
    data: bytes


_SUBMODULE = "160000"  # a mode
_TWO_PATHS = "RC"  # statuses: renamed, copied


def changed(repository: str) -> list[str]:
    """Return the files that differ between the index and the last commit, as paths from the top of the repository."""
    names = read(repository, "diff", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=ACMRT")
    return [os.fsdecode(name) for name in names.split(b"\0") if name]


def staged(repository: str, paths: Sequence[str], most: Callable[[str], int]) -> Iterator[Staged]:
    """Yield staged files: the named ones, or all that differ from the last commit.

    `paths` are relative to the top of the repository. A file with more bytes than `most` says of its path is
    returned without them.
    """
    files = [(mode, blob, path) for mode, blob, path in _listed(repository, paths) if mode != _SUBMODULE]
    yield from _contents_of(repository, files, most)


def _contents_of(
    repository: str, files: Sequence[tuple[str, str, str]], most: Callable[[str], int]
) -> Iterator[Staged]:
    """Yield files of the object store, given as (mode, blob, path)."""
    sizes = _sizes(repository, [blob for _, blob, _ in files])
    small = dict.fromkeys(blob for _, blob, path in files if sizes[blob] <= most(path))
    contents = object_contents(repository, list(small))
    for mode, blob, path in files:
        yield Staged(path, mode == "120000", sizes[blob], contents.get(blob, b""))


def before(repository: str, most: Callable[[str], int]) -> dict[str, Staged | None]:
    """Return what the last commit holds of the files that differ from it, by the paths that they have now.

    A renamed file has its older path; a new file has nothing.
    """
    fields = iter(read(repository, "diff", "--cached", "--raw", "-z", "-M", "--no-abbrev").split(b"\0"))
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
    return {**dict.fromkeys(new), **dict(zip(older, _contents_of(repository, list(older.values()), most), strict=True))}


def _sizes(repository: str, blobs: Sequence[str]) -> dict[str, int]:
    answer = read(repository, "cat-file", "--batch-check", data="\n".join(blobs).encode()) if blobs else b""
    lines = [line.decode().split() for line in answer.splitlines()]
    if any(line[-1] == "missing" for line in lines):
        hint = "`git fsck` tells which; fetch it, or clone again"
        raise GitError("an object of the repository is missing", hint=hint)
    return {blob: int(size) for blob, _, size in lines}


def object_contents(repository: str, blobs: Sequence[str]) -> dict[str, bytes]:
    """Return the bytes of objects by their names."""
    answer = read(repository, "cat-file", "--batch", data="\n".join(blobs).encode()) if blobs else b""
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
    for record in read(repository, "ls-files", "--stage", "-z", "--", *paths).split(b"\0"):
        if record:
            fields, _, name = record.partition(b"\t")
            mode, blob, stage = fields.decode().split()
            if stage == "0":
                files.append((mode, blob, os.fsdecode(name)))
    return files
