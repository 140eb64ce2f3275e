"""MM607: an attachment whose file is not as large as its record says."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Compare `file_size` with the file that `local_path` names; a missing file is MM315's."""
    if subject.memory is None or subject.memory.kind != "attachment" or subject.size_of is None:
        return
    front = subject.document.front_matter
    values = front.values if front else {}
    path, size = values.get("local_path"), values.get("file_size")
    node = front.node("file_size") if front else None
    if not isinstance(path, str) or not isinstance(size, int) or size < 0 or node is None:
        return
    inside = posixpath.normpath(path)
    if inside.startswith(("/", "../")) or inside in (".", "..") or not inside.isprintable() or ":" in inside:
        return  # what lies outside is not looked at
    found = subject.size_of(inside)
    if found not in (-1, size):
        yield Finding(node.span, {"size": size, "found": found})


RULE = Rule(
    "MM607",
    "attachment-size",
    "warning",
    check,
)
