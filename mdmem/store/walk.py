"""Finds the workspace above a path, and the memory files below a folder."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mdmem.errors import WorkspaceNotFoundError
from mdmem.store.files import read_bytes

if TYPE_CHECKING:
    import re

    from pathspec import GitIgnoreSpec

SETTINGS_FILE = "mdmem.toml"
STATE_FOLDER = ".mdmem"
_MARKERS = (SETTINGS_FILE, STATE_FOLDER)
_FILES = (
    "MEMORY.md",
    "FASTMEMO.md",
    "fastmemo.txt",
    "fastmemo.jsonl",
    "memory/fastmemo.jsonl",
)  # what makes a folder a memory without either marker


def find_root(start: str) -> str | None:
    """Find the workspace that a path lies in: the nearest folder with a marker, else with a memory file."""
    folder = os.path.abspath(start)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    with_file = None
    while True:
        if is_marked(folder):
            return folder
        if with_file is None and any(os.path.exists(os.path.join(folder, name)) for name in _FILES):
            with_file = folder
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(os.path.join(folder, ".git")):  # never beyond a repository
            return with_file
        folder = above


def is_marked(folder: str) -> bool:
    """Return True if a folder is a workspace by its settings or state, and not only by a memory file."""
    return any(os.path.exists(os.path.join(folder, marker)) for marker in _MARKERS)


def need_root(start: str, otherwise: str = "") -> str:
    """Find the workspace that a path lies in; `otherwise` is what one can do without one.

    Raises:
        WorkspaceNotFoundError: neither that folder nor one above it is a memory.
    """
    root = find_root(start)
    if root is None:
        raise WorkspaceNotFoundError(
            "no memory folder here or above", hint="`mdmem init` makes one{otherwise}", facts={"otherwise": otherwise}
        )
    return root


Into = Callable[[str], None]


def _nobody(_: str) -> None:
    pass


class IgnoreRules(NamedTuple):
    """The patterns of one .gitignore and the folder they count from."""

    spec: GitIgnoreSpec
    folder: str


class FileWalk(NamedTuple):
    """What to look for and what to leave alone."""

    root: str
    include: Sequence[str]  # names, as shell patterns
    exclude: Sequence[str]  # .gitignore patterns, from the root
    skip_folders: Sequence[str]

    def files(self, below: str = "", without: Collection[str] = (), into: Into = _nobody) -> Iterator[str]:
        """Give the memory files below a folder of the root, save those folders, as POSIX paths from the root, in order.

        Symbolic links to folders are not followed; one that leaves the root, and a folder that cannot be read, are
        given themselves, so that they are judged.
        `into` is told of each folder and each .gitignore before it is read.
        """
        import re
        from fnmatch import translate

        wanted = re.compile("|".join(translate(pattern) for pattern in self.include))
        rules = [_spec(self.exclude, "")] if self.exclude else []
        above = ""
        for part in ("", *below.split("/")) if below else ("",):
            above = f"{above}/{part}".strip("/")
            if above != below:
                rules += self._ignored(above, into)
        yield from self._below(below, wanted, rules, without, into)

    def _below(
        self, folder: str, wanted: re.Pattern[str], rules: list[IgnoreRules], without: Collection[str], into: Into
    ) -> Iterator[str]:
        into(folder)
        rules = [*rules, *self._ignored(folder, into)]
        try:
            with os.scandir(os.path.join(self.root, folder)) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except FileNotFoundError:
            return
        except OSError:
            yield folder or "."
            return
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                skipped = entry.name in self.skip_folders or path in without
                if not skipped and not _ignores(rules, f"{path}/"):
                    yield from self._below(path, wanted, rules, without, into)
            elif (wanted.match(entry.name) or self._leaves(entry)) and not _ignores(rules, path):
                yield path

    def _ignored(self, folder: str, into: Into) -> list[IgnoreRules]:
        path = os.path.join(self.root, folder, ".gitignore")
        if not os.path.isfile(path):
            return []
        into(f"{folder}/.gitignore".lstrip("/"))
        return [_spec(read_bytes(path, ".gitignore").decode("utf-8", "replace").splitlines(), folder)]

    def _leaves(self, entry: os.DirEntry[str]) -> bool:
        if not (entry.is_symlink() and entry.is_dir()):
            return False
        top = os.path.realpath(self.root)
        return os.path.commonpath((top, os.path.realpath(entry.path))) != top


def is_included(path: str, include: Sequence[str], skip_folders: Sequence[str]) -> bool:
    """Tell whether a path has a memory file's name and lies in no folder that is left alone."""
    from fnmatch import fnmatchcase

    *folders, name = path.split("/")
    return not set(folders) & set(skip_folders) and any(fnmatchcase(name, pattern) for pattern in include)


def is_excluded(path: str, exclude: Sequence[str]) -> bool:
    """Return True if the .gitignore patterns of the settings leave a path out."""
    return bool(exclude) and _ignores([_spec(exclude, "")], path)


def _spec(lines: Sequence[str], folder: str) -> IgnoreRules:
    from pathspec import GitIgnoreSpec  # a tenth of a start-up; most folders have no .gitignore

    return IgnoreRules(GitIgnoreSpec.from_lines(lines), folder)


def _ignores(rules: list[IgnoreRules], path: str) -> bool:
    """Tell whether a path is left out; as in git, the deepest .gitignore that speaks of it decides."""
    for rule in reversed(rules):
        inside = path[len(rule.folder) :].lstrip("/") if rule.folder else path
        verdict = rule.spec.check_file(inside).include
        if verdict is not None:
            return verdict
    return False


_RESTED = 2_000_000_000  # nanoseconds since the last change after which any clock must have ticked
Look = tuple[int, int, int]


def read_folder(path: str) -> Look | None:
    """Give what changes when a folder or a file does; None where there is none."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def is_unchanged(seen: Look | None, now: int) -> bool:
    """Tell whether what looked so had not been changed for so long that the next change must look different."""
    return seen is not None and now - max(seen[:2]) > _RESTED


class FolderListing:
    """The files of one walk."""

    def __init__(self, walk: FileWalk, keep: Callable[[str], bool]) -> None:
        """Bind to a walk; `keep` says of a path whether it counts."""
        self._walk, self._keep = walk, keep
        self._without: Collection[str] = ()
        self._names: Sequence[str] = ()
        self._seen: dict[str, Look | None] = {"": None}  # never so

    def names(self, without: Collection[str] = ()) -> Sequence[str]:
        """Give the files, as `Walk.files` does, without those below some folders."""
        above = os.path.join(self._walk.root, "")
        if without != self._without or any(read_folder(above + path) != seen for path, seen in self._seen.items()):
            now, looks = time.time_ns(), {}

            def into(path: str) -> None:
                seen = read_folder(above + path)
                looks[path] = seen if is_unchanged(seen, now) else None

            self._names = [path for path in self._walk.files(without=without, into=into) if self._keep(path)]
            self._seen, self._without = looks, without
        return self._names
