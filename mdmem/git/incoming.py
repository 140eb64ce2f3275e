"""Merges the remote's commits into ours, in git's object store: which file becomes what. Touches no file.

Git compares the trees and finds what was renamed. A text that both sides changed is merged here, entry by entry: git
would merge it by lines, and a driver can only answer with marks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.edits import remove
from mdmem.entries.tombstones import PATH, STRUCK, Tombstones
from mdmem.errors import RefusedError
from mdmem.formats.paths import is_closed, user_of, within_user
from mdmem.git.checkout import Checkout, is_of_memory, named, stop
from mdmem.git.merge_file import merge_in_order
from mdmem.git.snapshot import ChangedBlob, changed_between, tree_with
from mdmem.messages.catalog import say
from mdmem.store.git.program import run
from mdmem.store.git.staged_files import object_contents
from mdmem.text.document import Document, parse
from mdmem.text.edit import apply_edits
from mdmem.text.encodings import refusal

_STAGES = (1, 2, 3)  # of a file in git's index: the common version, ours, theirs
_SESSIONS = ("sessions/", ".sessions/")


class SeenCollision(NamedTuple):
    """A text that both sides changed differently: the file takes theirs, ours goes to the inbox."""

    path: str  # in the memory
    ours: str
    theirs: str
    section: str = ""  # in which ours stands


class IncomingFile(NamedTuple):
    """One file that the remote's commits change here."""

    before: bytes | None  # as our last commit has it
    after: bytes | None
    program: bool | None = None  # whether it becomes executable; None if it stays as it is


class MergedCommits(NamedTuple):
    """Both sides' commits as one tree."""

    tree: str
    files: Mapping[str, IncomingFile]  # by the path in the memory
    collisions: Sequence[SeenCollision]


class FileSides(NamedTuple):
    """A file's versions; None where there is none."""

    base: bytes | None
    ours: bytes | None
    theirs: bytes | None


def merge_commits(config: WorkspaceConfig, at: Checkout, theirs: str) -> MergedCommits:
    """Return what our last commit and one of the remote make together.

    Raises:
        GitError: the histories have nothing in common, or the remote brings in what sync does not write.
    """
    base = _common_commit(at, theirs)
    if not base:
        stop(config, "sync.unrelated")
    _check_incoming(config, at, changed_between(at, base, theirs))
    tree, stages = _merge_trees(at, theirs)
    both = {**_changed_by_both(at, base, theirs), **stages}
    contents, collisions = dict[str, bytes | None](), list[SeenCollision]()
    for path, sides in _read_sides(at, both):
        data, found = merge_sides(config, path.removeprefix(at.prefix), sides)
        contents[path] = data
        collisions += found
    contents |= _without_forgotten(at, theirs, tree, contents)
    if contents:
        tree = tree_with(at, tree, contents)
    return MergedCommits(tree, _files(at, tree), collisions)


def _common_commit(at: Checkout, theirs: str) -> str:
    """Return the last commit that both have; of several the same one, whoever merges; empty if there is none."""
    shown = run(at.top, "merge-base", "--all", at.head, theirs, accept=(0, 1)).output
    return min(os.fsdecode(shown).split(), default="")


def merge_sides(config: WorkspaceConfig, path: str, sides: FileSides) -> tuple[bytes | None, Sequence[SeenCollision]]:
    """Return the merged bytes of a file that both sides changed, and the collisions.

    The machine of either side makes the same bytes; only of a collision the file takes theirs, which was there first. A
    file that one side removed and the other changed stays, as changed. Of two files that are no text, one stays; the
    other one is in the history.
    """
    base, ours, theirs = sides
    if ours is None or theirs is None or ours == theirs:
        return (theirs if ours is None else ours), ()
    if any(_is_binary(path, one) for one in (base or b"", ours, theirs)):
        return max(ours, theirs), ()
    old, own, other = (parse(one) for one in (base or b"", ours, theirs))
    merged = merge_in_order(os.path.join(config.root, path), old, own, other, lambda one: one.theirs)
    if merged is None:
        return theirs, [SeenCollision(path, own.text, other.text)]
    collisions = [SeenCollision(path, one.ours, one.theirs, _section_of(own, one.ours)) for one in merged.conflicts]
    return merged.text.encode("utf-8", "surrogateescape"), collisions


def _section_of(document: Document, text: str) -> str:
    """Return the title of the section that holds an entry; empty if there is none."""
    return next((one.title for one in document.sections if any(entry.text in text for entry in one.entries)), "")


def _is_binary(path: str, data: bytes) -> bool:
    return b"\0" in data or refusal(path, data) is not None


def _merge_trees(at: Checkout, theirs: str) -> tuple[str, dict[str, tuple[str, str, str]]]:
    """Return git's merged tree, and of each file in which git finds a conflict the objects of its versions."""
    options = ("merge-tree", "--write-tree", "-z", "--no-messages")
    tree, *rows = os.fsdecode(run(at.top, *options, at.head, theirs, accept=(0, 1)).output).split("\0")
    found: dict[str, dict[int, str]] = {}
    for row in filter(None, rows):
        fields, _, path = row.partition("\t")
        _, blob, stage = fields.split()
        found.setdefault(path, {})[int(stage)] = blob
    return tree, {path: _three([one.get(stage, "") for stage in _STAGES]) for path, one in found.items()}


def _changed_by_both(at: Checkout, base: str, theirs: str) -> dict[str, tuple[str, str, str]]:
    """Return the objects of the files that both sides have changed under one name."""
    ours = {one.path: one for one in changed_between(at, base, at.head)}
    pairs = ((ours.get(one.path), one) for one in changed_between(at, base, theirs))
    return {
        one.path: (one.old, own.new, one.new)
        for own, one in pairs
        if own and own.new != one.new and not own.is_gone and not one.is_gone
    }


def _three(names: list[str]) -> tuple[str, str, str]:
    base, ours, theirs = names
    return base, ours, theirs


def _read_sides(at: Checkout, files: Mapping[str, tuple[str, str, str]]) -> Iterator[tuple[str, FileSides]]:
    names = dict.fromkeys(name for three in files.values() for name in three if name.strip("0"))
    contents = object_contents(at.top, list(names))
    for path, three in files.items():
        yield path, FileSides(*(contents.get(name) for name in three))


def _check_incoming(config: WorkspaceConfig, at: Checkout, changed: Sequence[ChangedBlob]) -> None:
    """Refuse what the remote may not bring in: links, submodules, our own state, and files that are no memory."""
    if odd := [one.path for one in changed if one.is_odd]:
        stop(config, "sync.incoming-link", path=odd[0])
    if closed := [one.path for one in changed if is_closed(one.path)]:
        raise RefusedError(say(config.lang, "sync.incoming-state"), path=closed[0])
    if others := [one.path for one in changed if not is_of_memory(config, at, one.path)]:
        stop(config, "sync.incoming-others", count=len(others), names=named(others), remote=at.remote)


def _files(at: Checkout, tree: str) -> dict[str, IncomingFile]:
    """Return the files in which a tree differs from our last commit."""
    changed = changed_between(at, at.head, tree)
    names = dict.fromkeys(name for one in changed for name in (one.old, one.new) if name.strip("0"))
    contents = object_contents(at.top, list(names))
    return {
        one.path.removeprefix(at.prefix): IncomingFile(contents.get(one.old), contents.get(one.new), one.program)
        for one in changed
    }


def _without_forgotten(
    at: Checkout, theirs: str, tree: str, merged: Mapping[str, bytes | None]
) -> dict[str, bytes | None]:
    """Return the files of a tree that hold what one side forgot and the other did not know of, without it (law 12).

    A side that has the tombstone and the text as well has it by the word of a person: there it stays.
    """
    changed = changed_between(at, at.head, theirs)
    differing = [one for one in changed if within_user(one.path.removeprefix(at.prefix)) == PATH]
    out: dict[str, bytes | None] = {}
    for one in differing:
        known = object_contents(at.top, [name for name in (one.old, one.new) if name.strip("0")])
        ours, other = (Tombstones(parse(known.get(name, b""))) for name in (one.old, one.new))
        owner = user_of(one.path.removeprefix(at.prefix))
        for side, stones in ((at.head, ours.beyond(other)), (theirs, other.beyond(ours))):
            brought = _texts_beyond(at, side, tree, {**merged, **out}) if stones else {}
            for path, data in brought.items():
                inner = path.removeprefix(at.prefix)
                if owner in ("", user_of(inner)) and (clean := _clean(inner, data, stones)) != data:
                    out[path] = clean
    return out


def _texts_beyond(at: Checkout, side: str, tree: str, merged: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """Return the files of a merged tree that differ from one side: what the other side brought in."""
    changed = [one for one in changed_between(at, side, tree) if not one.is_gone]
    contents = object_contents(at.top, list(dict.fromkeys(one.new for one in changed)))
    found: dict[str, bytes | None] = {**{one.path: contents[one.new] for one in changed}, **merged}
    return {path: data for path, data in found.items() if data}


def _clean(path: str, data: bytes, stones: Tombstones) -> bytes:
    """Return a file without what was forgotten: an entry goes whole, a sentence of a conversation is struck out."""
    if within_user(path) == PATH or _is_binary(path, data):
        return data
    text = data.decode("utf-8")
    if not stones.holds(text):
        return data
    document = parse(data)
    if not within_user(path).startswith(_SESSIONS):
        gone = [entry for entry in document.entries if stones.holds(entry.text)]
        text = apply_edits(text, remove(document, gone).edits) if gone else text
    return stones.strike(text, STRUCK).encode("utf-8")
