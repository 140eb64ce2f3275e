"""MM202: a section that a kind with fixed sections does not have."""

# `difflib` is imported only for an unknown section.
from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.template import Template
from mdmem.linter.rule import Finding, Rule, Subject, quote

_LIKE = 0.5  # difflib's ratio from which only the closest name is proposed


def check(subject: Subject) -> Iterator[Finding]:
    """Find headings that are neither a name nor an alias of the template; headings inside a section are accepted."""
    if subject.memory is None or subject.memory.policy != "closed":
        return
    unknown: set[int] = set()
    for index, heading in enumerate(subject.outline):
        section = heading.section
        if heading.spec or heading.above or section.level < 2:
            continue
        unknown.add(index)
        if section.parent not in unknown:
            names, retired = _nearest(section.title, subject.memory), subject.memory.is_retired(section.title)
            facts = {"title": quote(section.title), "names": names}
            yield Finding(section.heading, facts, variant="retired" if retired else "unknown")


def _nearest(title: str, template: Template) -> str:
    """Return the name of the section that was probably meant; all names if none is close."""
    from difflib import get_close_matches

    names = [spec.name for spec in template.sections]
    return ", ".join(get_close_matches(title[:80], names, n=1, cutoff=_LIKE) or names)


RULE = Rule(
    "MM202",
    "unknown-section",
    "warning",
    check,
)
