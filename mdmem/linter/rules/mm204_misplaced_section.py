"""MM204: a section out of the template's order, at another heading level, or inside another section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdmem.formats.template import fold
from mdmem.linter.rule import Finding, Heading, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find the smallest set of sections that would have to move."""
    template = subject.memory
    if template is None:
        return
    if not (template.ordered or template.policy == "closed"):
        yield from _too_deep(subject)
        return
    order = {spec.name: index for index, spec in enumerate(template.sections)}
    first: dict[str, Heading] = {}
    for heading in subject.outline:
        if heading.spec:
            first.setdefault(heading.spec.name, heading)
    headings = list(first.values())
    ordered_indexes = _longest_rising([order[name] for name in first]) if template.ordered else range(len(headings))
    names = ", ".join(order)
    for index, heading in enumerate(headings):
        spec, above = heading.spec, heading.above
        if spec and (
            index not in ordered_indexes or heading.section.level != spec.level or (above and above.level >= spec.level)
        ):
            facts = {"section": spec.name, "mark": "#" * spec.level, "names": names}
            yield Finding(heading.section.heading, facts)


def _too_deep(subject: Subject) -> Iterator[Finding]:
    """Find sections of an open file below their level; inside a heading of its own, a file may have any."""
    if subject.memory is None or subject.memory.policy != "open":
        return
    sections = subject.document.sections
    right = {one.spec.name for one in subject.outline if one.spec and one.section.level == one.spec.level}
    for heading in subject.outline:
        spec, section = heading.spec, heading.section
        if not spec or section.level <= spec.level or spec.name in right or fold(section.title) != fold(spec.name):
            continue
        if heading.above or section.parent is None or sections[section.parent].level < spec.level:
            facts = {"section": spec.name, "mark": "#" * spec.level}
            yield Finding(section.heading, facts, severity="note", variant="deep")


def _longest_rising(numbers: Sequence[int]) -> frozenset[int]:
    """Return the indexes of a longest rising run; quadratic, because sections are few."""
    best: list[tuple[int, ...]] = [()]
    for index, number in enumerate(numbers):
        best.append(max(((*run, index) for run in best if not run or numbers[run[-1]] < number), key=len))
    longest = max(best, key=len)
    return frozenset(longest)


RULE = Rule(
    "MM204",
    "misplaced-section",
    "warning",
    check,
)
