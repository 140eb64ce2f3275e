"""Pure: what a caller means (add, replace, remove, tick, overwrite, rename, edit) becomes Edits of the file's text."""

from __future__ import annotations

from mdmem.core.intent.add import add
from mdmem.core.intent.change import remove, replace, tick
from mdmem.core.intent.exact import exact
from mdmem.core.intent.find import find_entry, find_section
from mdmem.core.intent.note import Intent, Note
from mdmem.core.intent.overwrite import replace_section
from mdmem.core.intent.section import rename_section

__all__ = (
    "Intent", "Note", "add", "exact", "find_entry", "find_section", "remove", "rename_section", "replace",
    "replace_section", "tick",
)  # fmt: skip
