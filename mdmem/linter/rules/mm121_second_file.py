"""MM121: a memory under an older name, beside the file that is read instead of it."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Look up the file with the first name of the kind beside a file with an older name."""
    template = subject.memory
    if template is None and (own := subject.schemas.respelled(subject.path)) and subject.exists(own):
        yield _second(subject, own)
        return
    if template is None or template.policy != "closed" or subject.name == template.files[0]:
        return
    for first in _firsts(subject.path, template.files):
        # on some file systems `fastmemo.md` is FASTMEMO.md itself
        if first.casefold() != subject.path.casefold() and subject.exists(first):
            yield _second(subject, first)
            return


def _second(subject: Subject, first: str) -> Finding:
    stem = subject.name.rpartition(".")[0]
    return Finding(Span(0, 0), {"first": quote(first), "path": quote(subject.path, 80), "stem": quote(stem)})


def _firsts(path: str, files: tuple[str, ...]) -> Iterator[str]:
    """Yield the paths with the kind's first name beside a path that has another of its names."""
    parts = path.split("/")
    for name in files[1:]:
        globs = name.split("/")
        if len(globs) <= len(parts) and all(map(fnmatchcase, parts[-len(globs) :], globs)):
            yield "/".join((*parts[: -len(globs)], files[0]))


RULE = Rule(
    "MM121",
    "second-file",
    "warning",
    check,
    scope="file",
)
