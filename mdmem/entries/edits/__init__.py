"""Pure edits: turns an intent (add, replace, remove, tick, overwrite, rename, edit) into `Edit`s of the file's text."""

from __future__ import annotations

from mdmem.entries.edits.add import add as add
from mdmem.entries.edits.content import EditNote as EditNote
from mdmem.entries.edits.content import EditPlan as EditPlan
from mdmem.entries.edits.find import find_entry as find_entry
from mdmem.entries.edits.find import find_section as find_section
from mdmem.entries.edits.placement import rename_section as rename_section
from mdmem.entries.edits.replace_text import exact as exact
from mdmem.entries.edits.rewrite import remove as remove
from mdmem.entries.edits.rewrite import replace as replace
from mdmem.entries.edits.rewrite import replace_section as replace_section
from mdmem.entries.edits.rewrite import tick as tick

__all__ = (
    "EditNote", "EditPlan", "add", "exact", "find_entry", "find_section", "remove", "rename_section", "replace",
    "replace_section", "tick",
)  # fmt: skip
