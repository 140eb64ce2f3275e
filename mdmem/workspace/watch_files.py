"""Which files a watcher looks at: the memory files of a lint, and the settings and templates that judge them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from mdmem.store.walk import SETTINGS_FILE, Walk, is_included
from mdmem.watch.watcher import Batch, Files
from mdmem.workspace.config import TEMPLATES, Config

_LOCK = ".#"  # how Emacs begins the name of a link that says who edits a file


def watched_files(config: Config) -> Files:
    """Tell which files are watched, as the settings are now."""
    settings = config.settings.lint
    walk = Walk(config.root, settings.include, settings.exclude, settings.skip_folders)

    def listed(folder: str) -> Iterator[str]:
        for path in walk.files(folder):
            if not (is_of_settings(path) or _is_lock(path)):
                yield path
        if not folder:
            yield from _settings(config.root)

    def wanted(path: str) -> bool:
        return is_of_settings(path) or (is_included(path, settings.include, ()) and not _is_lock(path))

    return Files(listed, wanted, frozenset(settings.skip_folders))


def is_settings(batch: Batch) -> bool:
    """Tell whether a batch changes what files are held to."""
    return any(is_of_settings(path) for path in (*batch.changed, *batch.gone))


def _settings(root: str) -> Iterator[str]:
    if os.path.lexists(os.path.join(root, SETTINGS_FILE)):
        yield SETTINGS_FILE
    for folder, _, names in os.walk(os.path.join(root, TEMPLATES)):
        inside = os.path.relpath(folder, root).replace(os.sep, "/")
        yield from (f"{inside}/{name}" for name in names)


def is_of_settings(path: str) -> bool:
    """Return True for the settings and templates that files are held to."""
    return path == SETTINGS_FILE or path.startswith(f"{TEMPLATES}/")


def _is_lock(path: str) -> bool:
    return path.rpartition("/")[2].startswith(_LOCK)
