"""The files to judge, with their bytes: as they lie on disk, or as they are staged in git."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mdmem.core.record import NamedTuple
from mdmem.store.files import Seen, look
from mdmem.store.walk import Walk, is_included
from mdmem.workspace.config import Config

if TYPE_CHECKING:
    from mdmem.core.loss import Loss
    from mdmem.core.settings.lint import LintSettings
    from mdmem.store.git import Staged


class Source(NamedTuple):
    """A file to judge, with its bytes as they are on disk or in the index."""

    path: str
    seen: Seen
    lost: Loss = ""  # how it lost what the history knows of it


def walk_of(config: Config, settings: LintSettings | None = None) -> Walk:
    """Return the walk over the memory files of a workspace."""
    settings = settings or config.settings.lint
    return Walk(config.root, settings.include, settings.exclude, settings.skip_folders)


def found_sources(config: Config, paths: Sequence[str], settings: LintSettings) -> Iterator[Source]:
    """Read the files named, and the memory files below the folders named; without any, all of the workspace."""
    walk = walk_of(config, settings)
    done: set[str] = set()
    for path in paths or ("",):
        whole = os.path.join(config.root, path)
        inside = not os.path.islink(whole) and os.path.isdir(whole)
        for one in walk.files(path) if inside else (path,):
            if one not in done:
                done.add(one)
                yield Source(one, look(os.path.join(config.root, one), config.root, settings.max_bytes))


def memories(config: Config, paths: Sequence[str] = (), max_bytes: int | None = None) -> Iterator[Source]:
    """Read the memory files, but for what tools gave: of that there is much, and nothing in it grows."""
    from mdmem.core.artifact import FOLDER

    settings = config.settings.lint
    skip, most = (*settings.skip_folders, FOLDER), max_bytes or settings.max_bytes
    yield from found_sources(config, paths, settings._replace(skip_folders=skip, max_bytes=most))


def staged_sources(config: Config, paths: Sequence[str], settings: LintSettings) -> Iterator[Source]:
    """Read what is staged below the workspace: the paths named, or every memory file that the commit would change."""
    from mdmem.store import git

    top = git.top(config.root)
    prefix = os.path.relpath(os.path.realpath(config.root), os.path.realpath(top)).replace(os.sep, "/")
    prefix = "" if prefix == "." else f"{prefix}/"
    for one in git.staged(top, [prefix + path for path in paths], settings.max_bytes):
        path = one.path.removeprefix(prefix)
        if one.path.startswith(prefix) and (paths or is_included(path, settings.include, settings.skip_folders)):
            yield Source(path, _staged_link(path, one) if one.link else Seen("regular", one.size, "none", one.data))


def _staged_link(path: str, one: Staged) -> Seen:
    target = os.path.normpath(os.path.join(os.path.dirname(path), os.fsdecode(one.data)))
    outside = os.path.isabs(target) or target.split(os.sep)[0] == ".."
    return Seen("regular", 0, "outside" if outside else "inside", b"")
