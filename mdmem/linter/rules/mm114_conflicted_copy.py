"""MM114: a copy that a sync tool, git or an editor left beside a memory file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

# Additions that only copies have in their names; without it, the name is the original's.
_SURE = (
    pattern(r" \([^()]*(?:conflicted copy|case conflict)[^()]*\)", re.IGNORECASE),
    pattern(r" ?[(（][^()（）]*(?:冲突|衝突)的?(?:副本|文件|檔案)[^()（）]*[)）]"),
    # ownCloud, Seafile, Mergin
    pattern(r" \((?:Conflict [^()]{1,80}|SFConflict [^()]{1,120}|edit conflict, [^()]{1,80})\)", re.IGNORECASE),
    pattern(r"_conflict-[^/]{1,60}-\d{8}-\d{6}"),
    pattern(r"\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?"),
    pattern(r"_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+(?=\.)"),
    pattern(r"-(?:DESKTOP|LAPTOP)-[A-Z0-9]{5,}(?=\.)"),
    pattern(r"(?:\.orig|~)\Z"),
)
_NUMBERED = pattern(r" (?:\(\d{1,2}\)|\d{1,2})(?=\.[^.]+\Z)")  # `MEMORY (1).md`, `MEMORY 2.md`: may be intended


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the name with the names of the templates."""
    original = _original(subject)
    if original and subject.schemas.match(original) is not None:
        yield Finding(Span(0, 0), {"original": quote(original.rpartition("/")[2])})


def _original(subject: Subject) -> str:
    """Return the path of which this file seems to be a copy; empty if none."""
    folder, slash, name = subject.path.rpartition("/")
    if name.removesuffix(".md").isalnum():  # these additions contain spaces and signs
        return ""
    for shape in _SURE:
        if shape.search(name):
            return folder + slash + shape.sub("", name)
    numbered = _NUMBERED.sub("", name)
    path = folder + slash + numbered
    return path if numbered != name and subject.template is None and subject.exists(path) else ""


RULE = Rule(
    "MM114",
    "conflicted-copy",
    "warning",
    check,
    scope="file",
)
