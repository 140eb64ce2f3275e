"""MM205: a section with another name than the template's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.formats.template import fold
from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.edit import Edit
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_CORE = pattern(r"[^\W_].*[^\W_]|[^\W_]", re.DOTALL)  # from the first letter or digit to the last


def check(subject: Subject) -> Iterator[Finding]:
    """Find aliases if sections are fixed; in an open file any name is accepted."""
    if subject.memory is None or subject.memory.policy != "closed":
        return
    for heading in subject.outline:
        spec, section = heading.spec, heading.section
        if spec is None or section.style == "bracket" or fold(section.title) == fold(spec.name):
            continue
        core = _CORE.search(subject.document.text, *section.title_span)
        if core:
            facts = {"title": quote(section.title), "section": spec.name}
            yield Finding(section.heading, facts, (Edit(Span(*core.span()), spec.name),))


RULE = Rule(
    "MM205",
    "section-alias",
    "warning",
    check,
)
