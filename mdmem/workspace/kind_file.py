"""Which file of a workspace is that of a kind: the one of its template's first name, else one of an older name.

A template lists the names of older formats behind the first; a name may be a pattern of files in one folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase

from mdmem.core.template import Schema


def is_single(template: Schema) -> bool:
    """Return True if a kind is kept in one file."""
    return not _is_pattern(template.files[0])


def kind_file(root: str, template: Schema) -> str:
    """Return the file of a kind that is kept in one: the first that exists, else the one that a new file would be."""
    found = (name for name in file_names(root, template) if os.path.lexists(os.path.join(root, name)))
    return next(found, template.files[0])


def file_names(root: str, template: Schema) -> Iterator[str]:
    """Give the names that a kind's one file may have, in their order; of a pattern those that exist."""
    for name in template.files if is_single(template) else ():
        folder, _, pattern = name.rpartition("/")
        if not _is_pattern(name):
            yield name
        elif not _is_pattern(folder):
            above = os.path.join(root, folder)
            inner = sorted(os.listdir(above)) if os.path.isdir(above) else ()
            yield from (f"{folder}/{one}".lstrip("/") for one in inner if fnmatchcase(one, pattern))


def _is_pattern(name: str) -> bool:
    return not {"*", "?"}.isdisjoint(name)
