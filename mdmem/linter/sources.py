"""The files to judge, with their bytes: as they lie on disk, or as they are staged in git."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.store.files import FileSnapshot, read_snapshot
from mdmem.store.walk import FileWalk, is_included
from mdmem.text.edit import Diagnostic
from mdmem.text.pattern import pattern

if TYPE_CHECKING:
    from mdmem.formats.loss import Loss
    from mdmem.settings.tables import LintSettings
    from mdmem.store.git import Staged


class LintSource(NamedTuple):
    """A file to judge, with its bytes as they are on disk or in the index."""

    path: str
    seen: FileSnapshot
    lost: Loss = ""  # how it lost what the history knows of it


def walk_of(config: WorkspaceConfig, settings: LintSettings | None = None) -> FileWalk:
    """Return the walk over the memory files of a workspace."""
    settings = settings or config.settings.lint
    return FileWalk(config.root, settings.include, settings.exclude, settings.skip_folders)


def find_sources(config: WorkspaceConfig, paths: Sequence[str], settings: LintSettings) -> Iterator[LintSource]:
    """Read the files named, and the memory files below the folders named; without any, all of the workspace."""
    walk = walk_of(config, settings)
    done: set[str] = set()
    for path in paths or ("",):
        whole = os.path.join(config.root, path)
        inside = not os.path.islink(whole) and os.path.isdir(whole)
        for one in walk.files(path) if inside else (path,):
            if one not in done:
                done.add(one)
                yield LintSource(one, read_snapshot(os.path.join(config.root, one), config.root, settings.max_bytes))


def all_memory_sources(
    config: WorkspaceConfig, paths: Sequence[str] = (), max_bytes: int | None = None
) -> Iterator[LintSource]:
    """Read the memory files, but for what tools gave: of that there is much, and nothing in it grows."""
    from mdmem.formats.artifact import FOLDER

    settings = config.settings.lint
    skip, most = (*settings.skip_folders, FOLDER), max_bytes or settings.max_bytes
    yield from find_sources(config, paths, settings._replace(skip_folders=skip, max_bytes=most))


_ATTACHMENTS = "attachments"
_LOCAL_PATH = pattern(r"^local_path:[ \t]*[\"']?([^\r\n#\"']+)", re.MULTILINE)


def orphan_sources(config: WorkspaceConfig, paths: Sequence[str]) -> Iterator[LintSource]:
    """Yield the files in the folder of attachments that no record names, when that folder is judged."""
    folder = os.path.join(config.root, _ATTACHMENTS)
    if (paths and _ATTACHMENTS not in paths) or os.path.islink(folder) or not os.path.isdir(folder):
        return
    names = [name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
    others = [name for name in names if not config.is_memory(name) and os.path.isfile(os.path.join(folder, name))]
    if not others:
        return
    most = config.settings.lint.max_bytes
    records = (
        read_snapshot(os.path.join(folder, name), config.root, most).data for name in names if name.endswith(".md")
    )
    named = {
        match[1].strip()
        for data in records
        for match in _LOCAL_PATH.finditer(
            data[: config.settings.lint.max_front_matter_chars].decode("utf-8", "replace")
        )
    }
    for name in others:
        if (path := f"{_ATTACHMENTS}/{name}") not in named:
            yield LintSource(path, FileSnapshot("orphan", 0, "none", b""))


def staged_sources(config: WorkspaceConfig, paths: Sequence[str], settings: LintSettings) -> Iterator[LintSource]:
    """Read what is staged below the workspace: the paths named, or every memory file that the commit would change."""
    from mdmem.store import git

    top = git.top(config.root)
    prefix = os.path.relpath(os.path.realpath(config.root), os.path.realpath(top)).replace(os.sep, "/")
    prefix = "" if prefix == "." else f"{prefix}/"
    for one in git.staged(top, [prefix + path for path in paths], settings.max_bytes):
        path = one.path.removeprefix(prefix)
        if one.path.startswith(prefix) and (paths or is_included(path, settings.include, settings.skip_folders)):
            yield LintSource(
                path, _staged_link(path, one) if one.link else FileSnapshot("regular", one.size, "none", one.data)
            )


def _staged_link(path: str, one: Staged) -> FileSnapshot:
    target = os.path.normpath(os.path.join(os.path.dirname(path), os.fsdecode(one.data)))
    outside = os.path.isabs(target) or target.split(os.sep)[0] == ".."
    return FileSnapshot("regular", 0, "outside" if outside else "inside", b"")


class FileFix(NamedTuple):
    """What fixing made of one file."""

    path: str
    before: bytes
    after: bytes
    applied: int


class LintReport(NamedTuple):
    """What a run found: the files looked at, every finding in the order of path and place, and what was mended."""

    files: int
    diagnostics: tuple[Diagnostic, ...]
    fail_on: str  # the severity from which a run has failed, as the settings say
    fixed: tuple[FileFix, ...] = ()
