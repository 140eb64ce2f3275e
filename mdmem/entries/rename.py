"""Renames a file, and mends the links to it, as one transaction."""

from __future__ import annotations

import os
import posixpath
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits.link_targets import Rename
from mdmem.entries.model import Outcome
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError, RefusedError, TargetError, UnreadableFileError
from mdmem.formats.paths import is_unportable
from mdmem.linter.sources import walk_of
from mdmem.messages.catalog import say
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import parse
from mdmem.text.edit import Edit

_RECORDS = ("archive", "artifact", "session", "night")  # kinds of files that tell what was; their links stay


def rename_file(commit: ChangeRequest, path: str, new: str) -> Outcome:
    """Rename a file; see `Workspace.rename`."""
    path, new = commit.path(path), commit.path(new)
    commit.may_move(path)
    commit.may_move(new)
    _may_be_named(commit, path, new)

    linked = _linked(commit, path, new)

    def change(files: DraftFiles) -> Edits:
        document = commit.document(files, path)
        if files[new] is not None:
            commit.access.stop(TargetError, "pen.exists", new)
        mended = {place: linked.rename.edits(found, place) for place in linked.files if (found := files[place])}
        return {path: None, new: (Edit.insert(0, document.text),), **{one: own for one, own in mended.items() if own}}

    commit.run(change, programs={new: path})
    kind = commit.access.kind(path)
    hints = [say(commit.lang, "pen.kind-left", new=new, path=path)] if kind and kind != commit.access.kind(new) else []
    hints += [say(commit.lang, "pen.links-mended", paths=", ".join(linked.files))] if linked.files else []
    hints += [say(commit.lang, "pen.links-left", paths=", ".join(linked.left))] if linked.left else []
    return commit.outcome(say(commit.lang, "pen.renamed", path=path, new=new), new, *hints)


def _may_be_named(commit: ChangeRequest, path: str, new: str) -> None:
    """Refuse a name that the file may not have; say what holds for a folder, and for a file that is no Markdown."""
    config, access = commit.config, commit.access
    if os.path.isdir(os.path.join(config.root, new)):
        access.stop(TargetError, "pen.mv-folder", new, name=posixpath.join(new, posixpath.basename(path)))
    is_other = all(is_unportable(one, config.settings.pen.create) == "name" for one in (path, new))
    if is_other and not access.template(new):
        access.stop(RefusedError, "pen.mv-other", path)
    commit.new(new)


class _Linked(NamedTuple):
    """The files with links to one that is renamed: those that are mended with it, and those that stay as they are."""

    rename: Rename
    files: tuple[str, ...]
    left: tuple[str, ...]


def _linked(commit: ChangeRequest, path: str, new: str) -> _Linked:
    """Find the links to a file; what was said and what is archived stays as it was, and an agent needs permission."""
    config, stem = commit.config, posixpath.basename(path)
    names = list(walk_of(config).files())
    rename = Rename(path, new, is_unique=sum(posixpath.basename(one) == stem for one in names) == 1)
    files, left = list[str](), list[str]()
    for name in sorted(set(names) - {path, new}):
        if commit.access.kind(name) in _RECORDS:
            continue
        data = _readable(config, name, path)
        if data is None or not rename.edits(parse(data), name):
            continue
        try:
            commit.path(name)
            (left if commit.access.waits(name) else files).append(name)
        except MdmemError:
            left.append(name)
    return _Linked(rename, tuple(files), tuple(left))


def _readable(config: WorkspaceConfig, name: str, path: str) -> bytes | None:
    """Return the bytes of a file that may hold links to another one; None if it holds no text, of which lint tells.

    Raises:
        UnreadableFileError: the system refused it, or to list a folder: a link in it would break without a word.
    """
    try:
        return live_bytes(config, name, config.settings.lint.max_bytes)
    except UnreadableFileError as error:
        if not isinstance(error.__cause__, OSError) and not os.path.isdir(os.path.join(config.root, name)):
            return None
        why = "could not be read, and may hold links to {target}"
        hint = "make it readable, or leave it out with `[lint] exclude`; nothing was changed"
        raise UnreadableFileError(why, path=name, hint=hint, facts={"target": path}) from error
