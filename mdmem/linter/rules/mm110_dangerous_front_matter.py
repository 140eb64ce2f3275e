"""MM110: YAML in front matter that can expand, names code, or contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

if TYPE_CHECKING:
    from mdmem.text.yaml.yaml_source import Node  # loads PyYAML, which a file without front matter does not need

# A month, or a day of one digit: text, a date or a number; base 60 and octal of YAML 1.1.
_DISPUTED = pattern(
    r"\d{4}-(?:0?[1-9]|1[0-2])|\d{4}-(?:\d-\d{1,2}|\d{2}-\d)|[-+]?[1-9]\d*(?::[0-5]?\d)+(?:\.\d*)?|[-+]?0[0-7]+|0o[0-7]+"
)
_KINDS = ("alias", "anchor", "tag", "duplicate")


def check(subject: Subject) -> Iterator[Finding]:
    """Find such YAML; in a file of unknown kind only a duplicate key is an error.

    A value that programs read differently is a warning in a memory."""
    front = subject.document.front_matter
    if front is None or front.yaml.end - front.yaml.start > subject.settings.max_front_matter_chars:
        return
    for problem in front.problems:
        if problem.kind in _KINDS:
            is_warning = subject.memory is None and problem.kind != "duplicate"
            facts = {"name": quote(problem.detail)}
            yield Finding(problem.span, facts, severity="warning" if is_warning else None, variant=problem.kind)
    if subject.memory is not None and front.root is not None:
        for span in _disputed(front.root, subject.document.text):
            facts = {"name": quote(span.of(subject.document.text))}
            yield Finding(span, facts, severity="warning", variant="disputed")


def _disputed(node: Node, text: str) -> Iterator[Span]:
    """Yield the values without quotes that readers of YAML take for different things."""
    if isinstance(node.value, dict | list):
        for child in node.value.values() if isinstance(node.value, dict) else node.value:
            yield from _disputed(child, text)
    elif _DISPUTED.fullmatch(text, *node.span):
        yield node.span


RULE = Rule(
    "MM110",
    "dangerous-front-matter",
    "error",
    check,
)
