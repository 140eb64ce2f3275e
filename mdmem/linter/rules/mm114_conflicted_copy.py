"""MM114: a copy that a sync tool, git or an editor left beside a memory file."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.conflicted_copies import original_of
from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the name with the names of the templates."""
    original = original_of(subject.path, is_memory=subject.template is not None, exists=subject.exists)
    if original and subject.schemas.match(original) is not None:
        yield Finding(Span(0, 0), {"original": quote(original.rpartition("/")[2]), "path": subject.path})


RULE = Rule(
    "MM114",
    "conflicted-copy",
    "warning",
    check,
    scope="file",
)
