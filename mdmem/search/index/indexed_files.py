"""Opens the index of a workspace and lists its files.

Files in the monthly folders of tool runs never change, so an unchanged folder is not listed again: 100,000 tool runs
would otherwise cost each search a second. A file edited in place there is noticed by the next process or when its
folder changes; until then it answers nothing, because its digest differs.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.formats.artifact import FOLDER
from mdmem.formats.paths import IDENTITY, PROMPTS, is_saved_version, within_user
from mdmem.formats.template import Template
from mdmem.messages.folders import cache_folder
from mdmem.search.index import IndexSource, SearchIndex
from mdmem.search.index.ignored import Ignored, ignored
from mdmem.search.index.shared_refresh import SharedRefresh
from mdmem.store.files import digest, open_waiting, read_snapshot
from mdmem.store.walk import (
    STATE_FOLDER,
    FileStamp,
    FileWalk,
    FolderListing,
    is_unchanged,
    leads_out,
    need_folder,
    read_folder,
)
from mdmem.text.pattern import pattern

_MONTH = pattern(r"\d{4}-\d{2}\Z")
Files = list[tuple[str, os.stat_result]]


class ArtifactMonths:
    """Caches the files of the monthly folders by the folders' times."""

    def __init__(self, above: str) -> None:
        """Bind to a workspace; `above` is its root with a trailing separator."""
        self._above = above
        self._known: dict[str, tuple[FileStamp | None, Files]] = {}

    def folders(self) -> list[str]:
        """Return the folders, POSIX from the root, oldest first."""
        try:
            names = [] if os.path.islink(self._above + FOLDER) else os.listdir(self._above + FOLDER)
        except OSError:
            return []
        return [f"{FOLDER}/{name}" for name in sorted(names) if _MONTH.match(name)]

    def files(
        self, folder: str, find: Callable[[], Iterable[tuple[str, os.stat_result]]]
    ) -> Iterator[tuple[str, os.stat_result]]:
        """Yield a folder's files from the cache if it has not changed, else as `find` returns them."""
        now, seen = time.time_ns(), read_folder(self._above + folder)
        cached = self._known.get(folder)
        if cached is None or cached[0] != seen:
            cached = seen, [] if os.path.islink(self._above + folder) else list(find())
            if is_unchanged(seen, now):
                self._known[folder] = cached
        yield from cached[1]


_NAME = "index.db"
_TOMBSTONES = "archive/forgotten.md"
_WORDS = ("word", "text")  # types of declared fields that are searchable text, such as the predicate of a fact
_HEAD = 65_536  # bytes of an artifact that are read
_COMPILED = "compiled/"  # beside the sources
_REPORTS = ("archive/nights/", "archive/imports.md")
_OURS = ("templates/", f"{PROMPTS}/", f"{IDENTITY}/{PROMPTS}/", *_REPORTS, f"{STATE_FOLDER}/")


def open_index(config: WorkspaceConfig, shared: SharedRefresh | None = None) -> SearchIndex:
    """Return the index of a workspace, not yet opened."""
    return SearchIndex(index_files(config), _source(config), config.settings.search, shared)


def index_files(config: WorkspaceConfig) -> list[str]:
    """Return the possible paths of the index: in the state folder, and in the user's cache folder."""
    places = [os.path.join(config.root, STATE_FOLDER, _NAME)]
    if folder := cache_folder():
        places.append(os.path.join(folder, f"index-{digest(os.path.realpath(config.root))}", _NAME))
    return places


def _source(config: WorkspaceConfig) -> IndexSource:
    settings, linked = config.settings.lint, config.linked
    walk = FileWalk(config.root, settings.include, settings.exclude, settings.skip_folders, linked=linked)
    too_large, outside = set[str](), set[str]()
    seen = partial(_seen, config, too_large, outside)
    months, listing = ArtifactMonths(os.path.join(config.root, "")), FolderListing(walk, _is_wanted)

    def files() -> Iterator[tuple[str, os.stat_result]]:
        too_large.clear()
        outside.clear()
        need_folder(config.root)
        if not config.settings.memory.enabled:
            return
        folders = months.folders()
        yield from seen(listing.names(folders))
        for folder in folders:
            yield from months.files(folder, partial(seen, filter(_is_wanted, walk.files(folder))))

    def read(path: str) -> bytes | None:
        if _is_artifact(path):
            return _head(os.path.join(config.root, path))
        seen = read_snapshot(os.path.join(config.root, path), config.root, config.most_bytes(path), linked)
        return seen.data if seen.type == "regular" and seen.link in ("none", "linked") else None

    def template(path: str) -> Template | None:
        return config.schemas.get(config.schemas.kind(path))

    without = too_large, outside
    return IndexSource(files, read, template, _ignored(config), *without, settings.max_lines, config.index_version)


def _seen(
    config: WorkspaceConfig, too_large: set[str], outside: set[str], paths: Iterable[str]
) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the regular files of some paths; the sets get those that are too large, and the links that lead out."""
    above, most, linked = os.path.join(config.root, ""), config.settings.lint.max_bytes, config.linked
    lstat, regular = os.lstat, stat.S_ISREG  # for every file before every search
    for path in paths:
        try:
            found = lstat(above + path)
            is_outward = stat.S_ISLNK(found.st_mode) and leads_out(config.root, above + path)
            if is_outward and linked and not leads_out(config.root, above + path, linked):
                found = os.stat(above + path)
        except OSError:
            continue
        if not regular(found.st_mode):
            if is_outward:
                outside.add(path)
        elif found.st_size <= most or _is_artifact(path) or found.st_size <= config.most_bytes(path):
            yield path, found
        else:
            too_large.add(path)


def _ignored(config: WorkspaceConfig) -> Callable[[str], Ignored]:
    """Return the function from a file's path to its non-memory text."""

    @cache
    def of_kind(name: str) -> Ignored:
        templates = config.schemas.languages(name).values()
        data = (key for key, kind in config.fields.items() if kind not in _WORDS)
        return ignored(templates, config.settings.search.generated, frozenset(data))

    return lambda path: of_kind(config.schemas.kind(path))


def _is_wanted(path: str) -> bool:
    """Return whether a file is memory: no template, prompt, compiled text, report, old version, state or tombstone."""
    inner = within_user(path)
    is_ours = inner.startswith(_OURS) or f"/{_COMPILED}" in f"/{path}" or is_saved_version(path)
    return (path.isascii() or _is_text(path)) and not is_ours and inner != _TOMBSTONES


def _is_text(path: str) -> bool:
    """Return whether a name is valid Unicode; on Linux it may be any bytes."""
    return not any("\ud800" <= char <= "\udfff" for char in path)


def _is_artifact(path: str) -> bool:
    return within_user(path).startswith(f"{FOLDER}/")


def _head(path: str) -> bytes | None:
    """Read the beginning of an artifact, which holds its summary, however long the output is."""
    try:
        descriptor = open_waiting(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            return os.read(descriptor, _HEAD) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
        finally:
            os.close(descriptor)
    except OSError:
        return None
