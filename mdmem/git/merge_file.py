"""Merges three versions of one memory file for git: entry by entry, with git's marks where two changes collide.

The order of the sides does not matter: two machines that merge the same two versions make the same bytes. So the side
whose text sorts first gives the order, which for dated entries is the older one.
"""

# What reads settings and facts is imported for a facts file: git calls this once for each file that it merges.
from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mdmem.text.document import Document, parse
from mdmem.text.edit import apply_edits
from mdmem.text.merge import Conflict, ConflictMarks, MergedText, merge_text

_FACTS = "predicate::"  # what stands in each line of a facts file
_COMPILED = "source_digest"  # in the front matter of a file that is generated as a whole
_WHEN = "compiled"


class GitMerge(NamedTuple):
    """The versions of one file that git merges."""

    base: bytes  # empty if both sides added the file
    ours: bytes
    theirs: bytes
    path: str  # of the file, from the current folder

    @property
    def is_text(self) -> bool:
        """Whether all versions are text as git sees it: without NUL."""
        return not any(b"\0" in one for one in self[:3])


def merge_file(three: GitMerge, marks: ConflictMarks) -> MergedText | None:
    """Merge the versions, with marks around what collides; None if they cannot be combined."""
    base, ours, theirs = map(parse, three[:3])
    return merge_in_order(three.path, base, ours, theirs, marks.shown)


def merge_in_order(
    path: str, base: Document, ours: Document, theirs: Document, shown: Callable[[Conflict], str]
) -> MergedText | None:
    """Merge as `merge_memory` does, with the insertions of the side whose text sorts first before the other's.

    So the bytes are the same when the sides are exchanged, but for what `shown` gives.
    """
    if _order(theirs) <= _order(ours):
        return merge_memory(path, base, ours, theirs, shown)
    merged = merge_memory(path, base, theirs, ours, lambda one: shown(_turned(one)))
    return merged and merged._replace(conflicts=tuple(map(_turned, merged.conflicts)))


def _order(side: Document) -> tuple[str, str]:
    return side.text.replace("\r\n", "\n"), side.text


def _turned(one: Conflict) -> Conflict:
    """Return a conflict with its sides exchanged; the line stays that of the side that was merged into."""
    return one._replace(ours=one.theirs, theirs=one.ours)


def merge_memory(
    path: str, base: Document, ours: Document, theirs: Document, shown: Callable[[Conflict], str]
) -> MergedText | None:
    """Merge three versions of a memory file by what it is; None if they cannot be combined.

    In a facts file each property that both sides changed keeps the newer value, and the older one moves below it.

    Args:
        path: of the file, from the current folder.
        base: the version that both sides began with.
        ours: one side.
        theirs: the other side; its insertions come first.
        shown: what stands in the place of a conflict.
    """
    if whole := _newer_compiled(ours, theirs):
        return MergedText(whole.text)
    if not (_FACTS in ours.text and _FACTS in theirs.text):
        return merge_text(base, ours, theirs, shown)
    from mdmem.facts.merged_values import chosen_fields

    merged = merge_text(base, ours, theirs, shown, chosen_fields)
    if merged is None or merged.conflicts:
        return merged
    return merged._replace(text=_with_newer_values(path, merged.text, (ours, theirs)))


def _newer_compiled(ours: Document, theirs: Document) -> Document | None:
    """Return the newer one of two texts that mdmem compiled: each fits its own source, a mixture of both neither."""
    if not all(_COMPILED in side.text and side.front_matter for side in (ours, theirs)):
        return None
    fronts = [side.front_matter.values if side.front_matter else {} for side in (ours, theirs)]
    if not all(_COMPILED in front for front in fronts):
        return None
    return max((ours, theirs), key=lambda side: (_compiled(side), side.text))


def _compiled(side: Document) -> str:
    return str(side.front_matter.values.get(_WHEN, "")) if side.front_matter else ""


def _with_newer_values(path: str, text: str, sides: tuple[Document, Document]) -> str:
    """Return a merged facts file in which each property has one value; as it is, if the workspace cannot tell which."""
    from mdmem.config.workspace_config import WorkspaceConfig
    from mdmem.errors import MdmemError
    from mdmem.facts.merged_values import newer_values
    from mdmem.formats.fact_words import KIND, words_of
    from mdmem.store.walk import find_root

    root = find_root(path)
    document = parse(text.encode("utf-8", "surrogateescape"))
    try:
        config = WorkspaceConfig(root) if root else None
        template = config.schemas.match(path, document) if config else None
        if config is None or template is None or template.kind != KIND:
            return text
        words = words_of(config.schemas.required(KIND), config.settings)
        return apply_edits(text, newer_values(path, document, sides, template, words, config.lang))
    except MdmemError:  # the settings are being merged too; lint tells of two values of one property
        return text
