"""MM604: a session lacks one of its parts."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.template import fold
from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.document import Document


def check(subject: Subject) -> Iterator[Finding]:
    """Find missing parts of a session in our form that has ended; the older dialects have parts of their own."""
    if subject.memory is None or subject.memory.kind != "session":
        return
    there = {heading.spec.name for heading in subject.outline if heading.spec}
    required = [spec.name for spec in subject.memory.sections if spec.required]
    missing = [name for name in required if name not in there]
    titles = {fold(heading.section.title) for heading in subject.outline}
    ours = any(fold(name) in titles for name in required)
    if missing and ours and not _running(subject.document):
        place = subject.document.sections[0].heading
        yield Finding(place, {"names": ", ".join(missing)})


def _running(document: Document) -> bool:
    """Tell whether the front matter says that the session has begun and not that it has ended."""
    values = document.front_matter.values if document.front_matter else {}
    return "started" in values and not values.get("ended")


RULE = Rule(
    "MM604",
    "session-parts",
    "warning",
    check,
)
