"""Maps a kind to its files: the first name of its template, else an existing file of an older name.

A template lists the names of older formats after the first; a name may be a pattern of files in one folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import TargetError
from mdmem.formats.artifact import FOLDER
from mdmem.formats.paths import IDENTITY
from mdmem.formats.template import Schema, Template
from mdmem.messages.catalog import say
from mdmem.store.files import names_in
from mdmem.store.walk import FileWalk


def is_single(template: Schema) -> bool:
    """Return True if a kind is kept in one file."""
    return not _is_pattern(template.files[0])


def kind_file(root: str, template: Schema) -> str:
    """Return the file of a single-file kind: the first that exists, else the name for a new file."""
    found = (name for name in file_names(root, template) if os.path.lexists(os.path.join(root, name)))
    return next(found, template.files[0])


def in_identity(root: str, path: str) -> str:
    """Return a path in a folder, or that in `identity/` where only this one has the folder."""
    folder, placed = path.partition("/")[0], f"{IDENTITY}/{path}"
    if not path:
        return path
    is_there = os.path.lexists(os.path.join(root, folder)) or not os.path.lexists(os.path.join(root, IDENTITY, folder))
    return path if is_there else placed


def file_names(root: str, template: Schema) -> Iterator[str]:
    """Yield the possible names of a single-file kind, in order; for a pattern, the existing files."""
    for name in template.files if is_single(template) else ():
        folder, _, pattern = name.rpartition("/")
        if not _is_pattern(name):
            yield name
        elif not _is_pattern(folder):
            yield from (f"{folder}/{one}".lstrip("/") for one in names_in(root, folder) if fnmatchcase(one, pattern))


def _is_pattern(name: str) -> bool:
    return not {"*", "?"}.isdisjoint(name)


_DATE_GLOB = "????-??-??"
_SHOWN = 8  # candidates in an error


def kind_of(config: WorkspaceConfig, name: str) -> Template | None:
    """Return the template of the kind with this name; None for a path."""
    if not name.isidentifier() or os.path.isfile(os.path.join(config.root, name)):
        return None
    return config.schemas.get(name.lower())


def files_of(config: WorkspaceConfig, name: str) -> tuple[str, ...]:
    """Return the files that a name refers to: those of its kind, or the path itself."""
    template = kind_of(config, name)
    if template is None:
        own = config.schemas.respelled(name)  # `memory.md` for `MEMORY.md`, unless both are there
        named = own if own and not os.path.lexists(os.path.join(config.root, name)) else name
        return (config.whose.meant(named),)
    if dated := [glob.replace(_DATE_GLOB, config.day) for glob in template.files if _DATE_GLOB in glob]:
        return (_chosen(config, dated),)
    return (kind_file(config.root, template),) if is_single(template) else _all(config, template.kind)


def file_of(config: WorkspaceConfig, name: str) -> str:
    """Return the one file that a name refers to.

    Raises:
        TargetError: the kind has several files, or none yet; `candidates` are the existing ones.
    """
    found = files_of(config, name)
    if len(found) == 1:
        return found[0]
    key = "pen.several-files" if found else "pen.no-files"
    facts = {"kind": name, "names": ", ".join(found[:_SHOWN])}
    hint = say(config.lang, f"{key}.hint", **facts)
    raise TargetError(say(config.lang, key, **facts), hint=hint, candidates=found[:_SHOWN])


def _chosen(config: WorkspaceConfig, files: list[str]) -> str:
    """Return the first file that exists, else the first whose folder exists, else the first."""
    there = (file for file in files if os.path.lexists(os.path.join(config.root, file)))
    beside = (file for file in files if os.path.isdir(os.path.join(config.root, os.path.dirname(file))))
    return next(there, next(beside, files[0]))


def _all(config: WorkspaceConfig, kind: str) -> tuple[str, ...]:
    """Return the files of a kind; the folders of tool outputs are walked only for their own kind."""
    settings = config.settings.lint
    skip = settings.skip_folders if kind == "artifact" else (*settings.skip_folders, FOLDER)
    walk = FileWalk(config.root, settings.include, settings.exclude, skip, config.whose.sees)
    return tuple(sorted(path for path in walk.files("") if config.schemas.kind(path) == kind))
