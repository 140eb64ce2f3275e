"""The table of what an import reads and how much of it."""

from typing import NamedTuple


class ImportSettings(NamedTuple):
    """The table `[imports]`."""

    batch: int
    facts: int
    skip_folders: tuple[str, ...]
    members: int
    zip_bytes: int
    ratio: int
    small_bytes: int
    list: int
