"""MM604: a session without one of its parts."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.template import fold
from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.document import Document


def check(subject: Subject) -> Iterator[Finding]:
    """Find missing parts of a session that has ended, in mdmem's own form; older formats have other parts."""
    if subject.memory is None or subject.memory.kind != "session":
        return
    present = {heading.spec.name for heading in subject.outline if heading.spec}
    required = [spec.name for spec in subject.memory.sections if spec.required]
    missing = [name for name in required if name not in present]
    titles = {fold(heading.section.title) for heading in subject.outline}
    is_own_form = any(fold(name) in titles for name in required)
    if missing and is_own_form and not _running(subject.document):
        span = subject.document.sections[0].heading
        yield Finding(span, {"names": ", ".join(missing)})


def _running(document: Document) -> bool:
    """Return whether the front matter has a start of the session and no end."""
    values = document.front_matter.values if document.front_matter else {}
    return "started" in values and not values.get("ended")


RULE = Rule(
    "MM604",
    "session-parts",
    "warning",
    check,
)
