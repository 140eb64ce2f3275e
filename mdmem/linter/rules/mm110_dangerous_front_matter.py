"""MM110: YAML in front matter that can expand, names code, or contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject, quote

_KINDS = ("alias", "anchor", "tag", "duplicate")


def check(subject: Subject) -> Iterator[Finding]:
    """Find such YAML; in a file of unknown kind only a duplicate key is an error."""
    front = subject.document.front_matter
    if front is None or front.yaml.end - front.yaml.start > subject.settings.max_front_matter_chars:
        return
    for problem in front.problems:
        if problem.kind in _KINDS:
            is_warning = subject.memory is None and problem.kind != "duplicate"
            facts = {"name": quote(problem.detail)}
            yield Finding(problem.span, facts, severity="warning" if is_warning else None, variant=problem.kind)


RULE = Rule(
    "MM110",
    "dangerous-front-matter",
    "error",
    check,
)
