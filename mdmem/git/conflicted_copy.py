"""`mdmem resolve`: merges a copy that a sync program left beside a file with its original, and removes the copy.

It does the same with both sides of the conflicts that git left in a file.

The history knows versions by their digests. From the version in which both began, the merge is a three-way one; where
none is known, it is a union by entry. Both files change in one transaction, so that an undo brings the copy back.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from mdmem.config.inbox_sections import OVERFLOW
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits import remove
from mdmem.entries.inbox.proposals import InboxDraft, add_proposal, hunks, target_label
from mdmem.entries.model import Outcome
from mdmem.errors import TargetError, UsageError
from mdmem.formats.limits import section_fills, size
from mdmem.formats.template import Template
from mdmem.git.marked_conflict import marked_sides
from mdmem.git.merge_file import merge_memory
from mdmem.history.read import open_history
from mdmem.linter.detect.conflicted_copies import original_of
from mdmem.messages.catalog import say
from mdmem.store.history.versions import EDITOR, VersionStore, fingerprint
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, Entry, parse
from mdmem.text.edit import apply_edits, smallest
from mdmem.text.merge import Conflict
from mdmem.text.merge.common_base import common_base


class _Versions(NamedTuple):
    """What is merged."""

    live: Document  # the file as it is
    base: Document
    kept: Document  # whose text stays where both sides changed the same words
    other: Document
    is_known: bool  # whether both began with the base


def resolve(config: WorkspaceConfig, path: str, *, actor: str, reason: str, dry_run: bool) -> Outcome:
    """Merge a conflicted copy with its original, or both sides of git's marks; see `Workspace.resolve`."""
    commit = ChangeRequest(config, f"resolve {path}", actor, reason, confirm=True, whole=True, dry_run=dry_run)
    path = commit.path(path)
    original = commit.path(_original(commit, path))
    words = partial(_words, config.lang, is_copy=path != original)
    conflicts: tuple[Conflict, ...] = ()
    crowded: tuple[tuple[str, Sequence[Entry]], ...] = ()
    is_known = False

    def change(files: DraftFiles) -> Edits:
        nonlocal conflicts, crowded, is_known
        one = _of_marks(commit, files, path) if path == original else _of_copy(commit, files, path, original)
        is_known = one.is_known
        merged = merge_memory(os.path.join(config.root, original), one.base, one.other, one.kept, _kept)
        if merged is None:
            commit.access.stop(TargetError, "resolve.apart", path, original=original)
        conflicts = tuple(clash for clash in merged.conflicts if clash.ours and clash.theirs)
        after = parse(merged.text.encode("utf-8", "surrogateescape"))
        crowded = tuple(_crowded(one.kept, after, commit.template(original, after)))
        text = apply_edits(after.text, remove(after, [entry for _, some in crowded for entry in some]).edits)
        waiting = _Waiting(text, conflicts, crowded, words("proposal", path=original))
        # with marks there is one file, which stays
        return {path: None, original: smallest(one.live.text, text), **_into_inbox(commit, files, original, waiting)}

    commit.run(change, paths=(path, original))
    hints = [words("three-way" if is_known else "union")]
    if conflicts:
        hints.append(words("conflicts", count=len(conflicts)))
    if crowded:
        hints.append(words("crowded", count=sum(len(some) for _, some in crowded)))
    return commit.outcome(words("done", path=path, original=original), original, *hints)


def _words(lang: str, name: str, /, *, is_copy: bool, **facts: object) -> str:
    key = name if is_copy else f"marks-{name}"
    return say(lang, f"resolve.{key}", **facts)


def _of_copy(commit: ChangeRequest, files: DraftFiles, path: str, original: str) -> _Versions:
    """Return the versions of a file and its conflicted copy."""
    copy, live = commit.document(files, path), commit.document(files, original)
    with open_history(commit.config) as history:
        known = common_version(history, original, copy.to_bytes(), live.to_bytes())
    return _Versions(live, _base(known, copy, live), live, copy, known is not None)


def _of_marks(commit: ChangeRequest, files: DraftFiles, path: str) -> _Versions:
    """Return the versions of a file in which git left conflicts; raises UsageError if it has none."""
    live = commit.document(files, path)
    sides = marked_sides(live)
    if sides is None:
        commit.access.stop(UsageError, "resolve.no-copy", path)
    base = sides.base if sides.base is not None else _base(None, sides.theirs, sides.ours)
    return _Versions(live, base, sides.ours, sides.theirs, sides.base is not None)


def _original(commit: ChangeRequest, path: str) -> str:
    """Return the path of the original, or that of a file that is no copy; raises TargetError where there is none."""
    config = commit.config

    def exists(name: str) -> bool:
        return os.path.lexists(os.path.join(config.root, name))

    original = original_of(path, is_memory=config.template(path) is not None, exists=exists)
    if not exists(path):
        commit.access.missing(path)
    if not original:
        return path  # that git may have left marks in
    if not exists(original):
        commit.access.stop(TargetError, "resolve.no-original", path, original=original)
    return original


def _kept(conflict: Conflict) -> str:
    """Return what the file says where both changed one entry: the original's text, or the only one that is left."""
    return conflict.theirs or conflict.ours


class _Waiting(NamedTuple):
    """What does not go into the merged file by itself."""

    text: str  # of the merged file
    conflicts: Sequence[Conflict]
    crowded: Sequence[tuple[str, Sequence[Entry]]]  # by section
    why: str  # what the inbox says of them


def _crowded(before: Document, after: Document, template: Template | None) -> Iterator[tuple[str, Sequence[Entry]]]:
    """Yield the entries of the copy for which a section, or the file, has no room: the last ones."""
    if template is None or template.body != "markdown":
        return
    known, moved = {entry.text for entry in before.entries}, set[str]()
    for fill in section_fills(after, template):
        fresh = [one for part in fill.sections for one in part.entries if not one.depth and one.text not in known]
        if fill.over and fresh:
            some = fresh[-max(0, fill.number - (fill.spec.entries.max or 0)) :]
            moved |= {one.text for one in some}
            yield fill.spec.name, some
    most, left = template.file.max_entries, size(after).entries - len(moved)
    fresh = [one for one in after.entries if not one.depth and one.text not in known | moved]
    if most is not None and left > most and fresh:
        yield "", fresh[most - left :]


def _into_inbox(commit: ChangeRequest, files: DraftFiles, path: str, waiting: _Waiting) -> Edits:
    """Return the edits of the inbox: what has no room, and each other text of the copy, for the user's word."""
    changes = [
        hunk for one in waiting.conflicts for hunk in hunks(waiting.text, waiting.text.replace(one.theirs, one.ours, 1))
    ]
    texts = [one.text for _, some in waiting.crowded for one in some]
    if not changes and not texts:
        return {}
    draft = InboxDraft(commit, files, [*texts, *(line for hunk in changes for line in hunk.lines)])
    for section, some in waiting.crowded:
        draft.add([one.text for one in some], OVERFLOW, {"to": target_label(path, section)})
    for hunk in changes:
        add_proposal(commit, draft, path, hunk, waiting.why)
    return draft.edits()


class CommonVersion(NamedTuple):
    """A version of a file from which two others derive."""

    data: bytes
    is_sure: bool  # the history knows one of both, so that it is not only an older version
    earlier: frozenset[str] = frozenset()  # the lines of all versions that the history has


def _base(known: CommonVersion | None, copy: Document, there: Document) -> Document:
    """Return the version from which two are merged."""
    if known and known.is_sure:
        return parse(known.data)
    text = common_base(copy, there, parse(known.data) if known else None, known.earlier if known else ())
    return parse(text.encode("utf-8", "surrogateescape"))


def _rows(data: bytes) -> Iterator[str]:
    """Return the lines of a version, without blanks at their ends."""
    return (line.strip() for line in data.decode("utf-8", "surrogateescape").splitlines() if line.strip())


def _difference(wanted: set[str], known: set[str]) -> tuple[int, int, int]:
    """Return in how many lines a version differs, and how many characters it has too many and too few in these."""
    ours, theirs = (Counter("".join(lines)) for lines in (wanted - known, known - wanted))
    return len(wanted ^ known), (theirs - ours).total(), (ours - theirs).total()


class _ChainLink(NamedTuple):
    """A version of a file in the history."""

    digest: str
    replaced_by_editor: bool = False  # another program wrote what came after it, which need not have begun with it


def common_version(history: VersionStore, path: str, copy: bytes, live: bytes) -> CommonVersion | None:
    """Return the version of a file with which a copy and the live file began; None if the history has none.

    The digests tell which versions came before the one of both that the history knows. Among these it is the one from
    which the other one differs least, by lines, then by the characters that it lacks and has beyond it; of two the
    older one, for what is missing in too new a base would count as removed.
    """
    chain = _chain(history, path)
    digests = [one.digest for one in chain]
    mine, other, is_sure = fingerprint(copy), live, True
    if mine in digests:
        at = digests.index(mine)
        digests = digests[: at if chain[at].replaced_by_editor else at + 1]
    elif fingerprint(live) in digests:
        digests, other = digests[: digests.index(fingerprint(live)) + 1], copy
    else:
        is_sure = False
    wanted = set(_rows(other))
    known = {data: set(_rows(data)) for digest in digests if (data := history.read(digest)) is not None}
    best = min(known, key=lambda data: _difference(wanted, known[data]), default=None)
    return None if best is None else CommonVersion(best, is_sure, frozenset().union(*known.values()))


def _chain(history: VersionStore, path: str) -> list[_ChainLink]:
    """Return the versions of a file that the history knows, from the oldest to the newest, each once."""
    found: dict[str, _ChainLink] = {}
    for transaction in history.log():
        for file in transaction.files:
            if file.path != path:
                continue
            if file.after:
                found.setdefault(file.after, _ChainLink(file.after))
            if file.before:
                found.setdefault(file.before, _ChainLink(file.before, transaction.actor == EDITOR))
    return [*reversed(found.values())]
