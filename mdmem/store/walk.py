"""Finds the workspace above a path and the memory files below a folder."""

# `re`, `fnmatch` and `pathspec` are imported only if a folder is walked: they take a tenth of a start-up. Git is asked
# only in a linked worktree without a memory.
from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mdmem.errors import UnreadableFileError, WorkspaceNotFoundError
from mdmem.store.files import is_outside, read_snapshot

if TYPE_CHECKING:
    import re

    from pathspec import GitIgnoreSpec

SETTINGS_FILE = "mdmem.toml"
STATE_FOLDER = ".mdmem"
AGENTS_FOLDER = f"{STATE_FOLDER}/agents"  # what agents were given, and where they are connected
_MOST_IGNORE_BYTES = 1_000_000  # of a .gitignore; a larger one, and a link that leads out, ignores nothing
_MARKERS = (SETTINGS_FILE, STATE_FOLDER)
# a folder with one of these is a workspace even without a marker
_FILES = (
    "MEMORY.md",
    "FASTMEMO.md",
    "fastmemo.txt",
    "fastmemo.jsonl",
    "memory/fastmemo.jsonl",
)


def find_root(start: str) -> str | None:
    """Return the workspace of a path: the nearest folder with a marker, else with a memory file, else None."""
    folder = os.path.abspath(start)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    with_file = None
    while True:
        if is_marked(folder):
            return folder
        if with_file is None and _has_memory_file(folder):
            with_file = folder
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):  # never above a repository
            return with_file or _in_main_worktree(folder, start)
        folder = parent


def _in_main_worktree(folder: str, start: str) -> str | None:
    """Return the workspace of the main worktree that a linked one, which has none, takes part in.

    A worktree is made for a while and deleted with all that is not committed; a memory of its own would go with it.
    """
    if not os.path.isfile(os.path.join(folder, ".git")):
        return None
    from mdmem.store.git.repository import main_worktree

    main = main_worktree(folder)
    return find_root(os.path.join(main, os.path.relpath(os.path.abspath(start), folder))) if main else None


def holds_memory(folder: str) -> bool:
    """Return whether a folder has a marker of a workspace, or a memory file."""
    return is_marked(folder) or _has_memory_file(folder)


def _has_memory_file(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in _FILES)


def is_marked(folder: str) -> bool:
    """Return True if a folder is a workspace by its settings or state, and not only by a memory file."""
    return any(os.path.lexists(os.path.join(folder, marker)) for marker in _MARKERS)


def need_root(start: str, otherwise: str = "") -> str:
    """Return the workspace of a path; `otherwise` is a hint on what works without one.

    Raises:
        WorkspaceNotFoundError: neither the folder nor one above it is a workspace.
    """
    root = find_root(start)
    if root is None:
        raise WorkspaceNotFoundError(
            "no memory folder here or above", hint="`mdmem init` creates one{otherwise}", facts={"otherwise": otherwise}
        )
    return root


def need_folder(root: str) -> None:
    """Check that the root of a workspace is a folder.

    Raises:
        WorkspaceNotFoundError: it is none.
        UnreadableFileError: the system does not tell what it is.
    """
    try:
        is_folder = stat.S_ISDIR(os.stat(root).st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        is_folder = False
    except OSError as error:
        raise no_access(error) from error
    if not is_folder:
        raise WorkspaceNotFoundError(
            "there is no folder `{name}`", hint="check its path; `mdmem init {name}` makes a memory",
            facts={"name": os.path.basename(root)},
        )  # fmt: skip


def no_access(error: OSError) -> UnreadableFileError:
    """Return the error for a root that is there and cannot be opened."""
    return UnreadableFileError("the memory folder cannot be opened: {reason}", facts={"reason": error.strerror})


Visit = Callable[[str], None]


def _ignore(_: str) -> None:
    pass


def _every(_: str) -> bool:
    return True


class IgnoreRules(NamedTuple):
    """The patterns of one .gitignore, and the folder to which they are relative."""

    spec: GitIgnoreSpec
    folder: str


class FileWalk(NamedTuple):
    """Which files a walk finds and which folders it skips."""

    root: str
    include: Sequence[str]  # names, as shell patterns
    exclude: Sequence[str]  # .gitignore patterns, relative to the root
    skip_folders: Sequence[str]
    keep: Callable[[str], bool] = _every  # which of the files are found
    linked: Sequence[str] = ()  # places outside; a link of the root that leads to or below one is followed

    def files(self, below: str = "", without: Collection[str] = (), visit: Visit = _ignore) -> Iterator[str]:
        """Yield the memory files below a folder, sorted, as POSIX paths from the root, except those below `without`.

        Symbolic links to folders are not followed, unless they lead to a place in `linked`. A link that leaves the
        root, `below` too, and a folder that cannot be read, are yielded themselves, so that they are checked. `visit`
        is called with each folder and each .gitignore before it is read.
        """
        if below and leads_out(self.root, os.path.join(self.root, below), self.linked):
            yield below
            return
        import re
        from fnmatch import translate

        names = re.compile("|".join(translate(pattern) for pattern in self.include))
        rules = [_spec(self.exclude, "")] if self.exclude else []
        folder = ""
        for part in ("", *below.split("/")) if below else ("",):
            folder = f"{folder}/{part}".strip("/")
            if folder != below:
                rules += self._ignored(folder, visit)
        yield from self._below(below, names, rules, without, visit)

    def _below(
        self, folder: str, names: re.Pattern[str], rules: list[IgnoreRules], without: Collection[str], visit: Visit
    ) -> Iterator[str]:
        visit(f"{folder}/." if os.path.islink(os.path.join(self.root, folder)) else folder)
        rules = [*rules, *self._ignored(folder, visit)]
        try:
            with os.scandir(os.path.join(self.root, folder)) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except FileNotFoundError:
            return
        except OSError:
            yield folder or "."
            return
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False) or self._is_followed(entry):
                skipped = entry.name in self.skip_folders or path in without
                if not skipped and not _ignores(rules, f"{path}/"):
                    yield from self._below(path, names, rules, without, visit)
            elif (names.match(entry.name) or self._leaves(entry)) and not _ignores(rules, path) and self.keep(path):
                yield path

    def _ignored(self, folder: str, visit: Visit) -> list[IgnoreRules]:
        path = os.path.join(self.root, folder, ".gitignore")
        if not os.path.isfile(path):
            return []
        visit(f"{folder}/.gitignore".lstrip("/"))
        data = read_snapshot(path, self.root, _MOST_IGNORE_BYTES, self.linked).data
        return [_spec(data.decode("utf-8", "replace").splitlines(), folder)]

    def outward_links(self, linked: Sequence[str] = ()) -> list[str]:
        """Return the links that lead out of the root, except to a place in `linked`: what is there is not searched."""
        found = ((path, os.path.join(self.root, path)) for path in self.files())
        return [path for path, whole in found if os.path.islink(whole) and leads_out(self.root, whole, linked)]

    def _leaves(self, entry: os.DirEntry[str]) -> bool:
        return entry.is_symlink() and entry.is_dir() and leads_out(self.root, entry.path)

    def _is_followed(self, entry: os.DirEntry[str]) -> bool:
        """Return whether an entry is a link to a folder in a place that may be read, and no such link is above it."""
        if not self.linked or not self._leaves(entry) or leads_out(self.root, entry.path, self.linked):
            return False
        return not is_outside(os.path.dirname(entry.path), self.root)


def leads_out(root: str, path: str, linked: Sequence[str] = ()) -> bool:
    """Return whether a link leads to something that exists outside of a folder and of the places `linked`."""
    return os.path.exists(path) and all(is_outside(path, one) for one in (root, *linked))


def is_included(path: str, include: Sequence[str], skip_folders: Sequence[str]) -> bool:
    """Return whether a path has the name of a memory file and is in no skipped folder."""
    from fnmatch import fnmatchcase

    *folders, name = path.split("/")
    return not set(folders) & set(skip_folders) and any(fnmatchcase(name, pattern) for pattern in include)


def is_excluded(path: str, exclude: Sequence[str]) -> bool:
    """Return True if the .gitignore patterns of the settings exclude a path."""
    return bool(exclude) and _ignores([_spec(exclude, "")], path)


def _spec(lines: Sequence[str], folder: str) -> IgnoreRules:
    from pathspec import GitIgnoreSpec

    from mdmem.settings.ignore_pattern import IgnorePattern

    return IgnoreRules(GitIgnoreSpec.from_lines(lines, IgnorePattern), folder)


def _ignores(rules: list[IgnoreRules], path: str) -> bool:
    """Return whether a path is ignored; as in git, the deepest .gitignore with a matching pattern decides."""
    for rule in reversed(rules):
        inside = path[len(rule.folder) :].lstrip("/") if rule.folder else path
        verdict = rule.spec.check_file(inside).include
        if verdict is not None:
            return verdict
    return False


_RESTED = 2_000_000_000  # nanoseconds after which any clock of a file system has ticked
FileStamp = tuple[int, int, int]


def read_folder(path: str) -> FileStamp | None:
    """Return the stamp of a folder or file, which changes with it; None if it is missing."""
    try:
        info = os.lstat(path)
    except OSError:
        return None
    return info.st_mtime_ns, info.st_ctime_ns, info.st_ino


def is_unchanged(seen: FileStamp | None, now: int) -> bool:
    """Return whether something with this stamp had rested so long that its next change gets another stamp."""
    return seen is not None and now - max(seen[:2]) > _RESTED


class FolderListing:
    """The files of one walk, listed again only if a folder or .gitignore has changed."""

    def __init__(self, walk: FileWalk, keep: Callable[[str], bool]) -> None:
        """Bind to a walk; `keep` returns whether a path counts."""
        self._walk, self._keep = walk, keep
        self._without: Collection[str] = ()
        self._names: Sequence[str] = ()
        self._seen: dict[str, FileStamp | None] = {"": None}  # no folder has this stamp

    def names(self, without: Collection[str] = ()) -> Sequence[str]:
        """Return the files, as `FileWalk.files` does, without those below some folders."""
        prefix = os.path.join(self._walk.root, "")
        if without != self._without or any(read_folder(prefix + path) != seen for path, seen in self._seen.items()):
            now, stamps = time.time_ns(), {}

            def visit(path: str) -> None:
                seen = read_folder(prefix + path)
                stamps[path] = seen if is_unchanged(seen, now) else None

            self._names = [path for path in self._walk.files(without=without, visit=visit) if self._keep(path)]
            self._seen, self._without = stamps, without
        return self._names
