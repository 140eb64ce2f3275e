"""What the index of a workspace sees: its memory files, as a lint would find them, and what they are held to."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

from mdmem.core.artifact import FOLDER as ARTIFACTS
from mdmem.core.template import Template
from mdmem.index import Index, Source
from mdmem.index.ignored import Ignored, ignored
from mdmem.store.cache import cache_folder, digest
from mdmem.store.files import look
from mdmem.store.listing import Listing
from mdmem.store.walk import STATE_FOLDER, Walk
from mdmem.workspace.config import Config
from mdmem.workspace.index_months import Months

_NAME = "index.db"
_TOMBSTONES = "archive/forgotten.md"
_WORDS = ("word", "text")  # types of declared fields that say what an entry is about, as a fact's predicate does
_HEAD = 65_536  # bytes of an artifact that are read
_OURS = ("templates/", "prompts/", f"{STATE_FOLDER}/")


def index_of(config: Config) -> Index:
    """Give the index of a workspace, not yet opened."""
    return Index(index_places(config), _source(config), config.settings.search)


def index_places(config: Config) -> list[str]:
    """Tell where the index may lie: in the state folder, or in the user's cache where that cannot be written."""
    places = [os.path.join(config.root, STATE_FOLDER, _NAME)]
    if folder := cache_folder():
        places.append(os.path.join(folder, f"index-{digest(os.path.realpath(config.root))}", _NAME))
    return places


def _source(config: Config) -> Source:
    settings = config.settings.lint
    walk = Walk(config.root, settings.include, settings.exclude, settings.skip_folders)
    above, too_large = os.path.join(config.root, ""), set[str]()

    def seen(paths: Iterable[str]) -> Iterator[tuple[str, os.stat_result]]:
        most, lstat, regular = settings.max_bytes, os.lstat, stat.S_ISREG  # for every file before every search
        for path in paths:
            try:
                found = lstat(above + path)
            except OSError:
                continue
            if not regular(found.st_mode):
                continue
            if found.st_size <= most or _is_artifact(path):
                yield path, found
            else:
                too_large.add(path)

    months, listing = Months(above), Listing(walk, _is_wanted)

    def files() -> Iterator[tuple[str, os.stat_result]]:
        too_large.clear()
        if not config.settings.memory.enabled:
            return
        folders = months.folders()
        yield from seen(listing.names(folders))
        for folder in folders:
            yield from months.files(folder, partial(seen, filter(_is_wanted, walk.files(folder))))

    def read(path: str) -> bytes | None:
        if _is_artifact(path):
            return _head(os.path.join(config.root, path))
        seen = look(os.path.join(config.root, path), config.root, settings.max_bytes)
        return seen.data if seen.type == "regular" and seen.link == "none" else None

    def template(path: str) -> Template | None:
        return config.schemas.get(config.schemas.kind(path))

    return Source(files, read, template, _ignored(config), too_large, settings.max_lines, config.index_version)


def _ignored(config: Config) -> Callable[[str], Ignored]:
    """Return what tells, by a file's path, what of it is no memory."""

    @cache
    def of_kind(name: str) -> Ignored:
        templates = config.schemas.languages(name).values()
        data = (key for key, kind in config.fields.items() if kind not in _WORDS)
        return ignored(templates, config.settings.search.generated, frozenset(data))

    return lambda path: of_kind(config.schemas.kind(path))


def _is_wanted(path: str) -> bool:
    """Tell whether a file is memory, and not what we are told by or what was forgotten."""
    return (path.isascii() or _is_text(path)) and not path.startswith(_OURS) and path != _TOMBSTONES


def _is_text(path: str) -> bool:
    """Tell whether a name is text; on Linux it may be any bytes."""
    return not any("\ud800" <= char <= "\udfff" for char in path)


def _is_artifact(path: str) -> bool:
    return path.startswith(f"{ARTIFACTS}/")


def _head(path: str) -> bytes | None:
    """Read the beginning of an artifact, where its summary stands, however long the output below is."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path, flags)
        try:
            return os.read(descriptor, _HEAD) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
        finally:
            os.close(descriptor)
    except OSError:
        return None
