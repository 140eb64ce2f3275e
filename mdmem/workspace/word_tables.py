"""Words that a search takes for each other: those of `templates/words.toml`, and the user's own from `[recall]`."""

from __future__ import annotations

import os
from functools import cache

from mdmem.core.record import NamedTuple
from mdmem.core.settings.recall import RecallSettings
from mdmem.store.bundled import templates_folder
from mdmem.store.files import read_bytes

FILE = "words.toml"


class WordTables(NamedTuple):
    """The tables, each a list of rows; `core.words.related` reads them."""

    classes: tuple[str, ...]
    forms: tuple[str, ...]


def word_tables(settings: RecallSettings) -> WordTables:
    """Return the shipped tables with the user's own rows behind them."""
    shipped = _shipped()
    return WordTables(shipped.classes + settings.classes, shipped.forms + settings.forms)


@cache
def _shipped() -> WordTables:
    import tomllib

    given = tomllib.loads(read_bytes(os.path.join(templates_folder(), FILE), FILE).decode())
    return WordTables(*(tuple(given[name]) for name in WordTables._fields))
