"""Resolve the name of a kind to its files: `memory` is MEMORY.md, `daily` today's file, `facts` every file of facts.

The name of a kind wins over a folder of the same name; `memory/` and a regular file called `memory` stay paths.
"""

from __future__ import annotations

import os

from mdmem.core.artifact import FOLDER
from mdmem.core.template import Template
from mdmem.errors import TargetError
from mdmem.store.walk import Walk
from mdmem.workspace.config import Config
from mdmem.workspace.kind_file import is_single, kind_file
from mdmem.workspace.words import say

_DATE_GLOB = "????-??-??"
_SHOWN = 8  # candidates in a refusal


def kind_of(config: Config, name: str) -> Template | None:
    """Return the template of the kind that a name means; None for a path."""
    if not name.isidentifier() or os.path.isfile(os.path.join(config.root, name)):
        return None
    return config.schemas.get(name.lower())


def files_of(config: Config, name: str) -> tuple[str, ...]:
    """Return the files that a name means: those of its kind, or the path itself."""
    template = kind_of(config, name)
    if template is None:
        return (name,)
    if dated := [glob.replace(_DATE_GLOB, config.day) for glob in template.files if _DATE_GLOB in glob]:
        return (_chosen(config, dated),)
    return (kind_file(config.root, template),) if is_single(template) else _all(config, template.kind)


def file_of(config: Config, name: str) -> str:
    """Return the one file that a name means.

    Raises:
        TargetError: the kind has several files, or none yet; `candidates` are those it has.
    """
    found = files_of(config, name)
    if len(found) == 1:
        return found[0]
    key = "several-files" if found else "no-files"
    facts = {"kind": name, "names": ", ".join(found[:_SHOWN])}
    hint = say(config.lang, f"{key}.hint", **facts)
    raise TargetError(say(config.lang, key, **facts), hint=hint, candidates=found[:_SHOWN])


def _chosen(config: Config, files: list[str]) -> str:
    """Choose among the names of one file: the first that exists, else the first whose folder does, else the first."""
    there = (file for file in files if os.path.lexists(os.path.join(config.root, file)))
    beside = (file for file in files if os.path.isdir(os.path.join(config.root, os.path.dirname(file))))
    return next(there, next(beside, files[0]))


def _all(config: Config, kind: str) -> tuple[str, ...]:
    """List the files of a kind; the folders of tool output are read only for their own kind."""
    settings = config.settings.lint
    skip = settings.skip_folders if kind == "artifact" else (*settings.skip_folders, FOLDER)
    walk = Walk(config.root, settings.include, settings.exclude, skip)
    return tuple(sorted(path for path in walk.files("") if config.schemas.kind(path) == kind))
