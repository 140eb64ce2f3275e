"""Words that a search takes for each other: those of `templates/words.toml`, and the user's own from `[recall]`."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.messages.folders import templates_folder
from mdmem.store.files import digest, read_bytes

FILE = "words.toml"


class WordTables(NamedTuple):
    """The tables, each a list of rows; `core.words.related` reads them."""

    classes: tuple[str, ...]
    forms: tuple[str, ...]


def word_tables(config: WorkspaceConfig) -> WordTables:
    """Return the shipped tables with the user's own rows behind them."""
    own = config.settings.recall
    shipped = _shipped(config)
    return WordTables(shipped.classes + own.classes, shipped.forms + own.forms)


@lru_cache(maxsize=1)
def _shipped(config: WorkspaceConfig) -> WordTables:
    name = digest(config.key, FILE)
    known = config.cache.get(name)
    if not isinstance(known, list):  # an unchanged file is not parsed again
        import tomllib

        given = tomllib.loads(read_bytes(os.path.join(templates_folder(), FILE), FILE).decode())
        known = [given[table] for table in WordTables._fields]
        config.cache.put(name, known)
    return WordTables(*map(tuple, known))
