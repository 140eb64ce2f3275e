"""MM313: an entry without a required field, or front matter without a required key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mdmem.formats.placeholders import is_placeholder
from mdmem.formats.template import FieldRule, Template
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find outermost entries and front matter without a required field, or with an empty one."""
    for item in subject.items:
        if item.entry.depth or not any(rule.required for rule in item.rule.fields.values()):
            continue
        if not item.entry.text.strip() or is_placeholder(item.entry.text):
            continue
        present = {field.key for field in item.parts.fields if field.value}
        if missing := _missing(item.rule.fields, present):
            fields = " ".join(f"[{name}:: …]" for name in missing)
            facts = {"fields": ", ".join(missing), "example": fields}
            yield Finding(item.entry.text_span, facts, variant="entry")
    if subject.template:
        yield from _front(subject, subject.template)


def _front(subject: Subject, template: Template) -> Iterator[Finding]:
    """Check the keys of front matter; if it still has the values of the template, nothing is missing yet."""
    front = subject.front if any(rule.required for rule in template.front_matter.values()) else None
    if front is None:
        return
    own = template.document.front_matter
    defaults = own.values if own else {}
    present = {key for key, value in front.values.items() if key in template.front_matter and value is not None}
    if all(front.values[key] == defaults.get(key) for key in present):
        return
    if missing := _missing(template.front_matter, present):
        keys = " ".join(f"`{name}: …`" for name in missing)
        facts = {"fields": ", ".join(missing), "example": keys}
        # a warning, because keys may be filled in one by one
        yield Finding(front.span, facts, severity="warning", variant="front-matter")


def _missing(rules: Mapping[str, FieldRule], present: Collection[str]) -> list[str]:
    required = [(name, rule) for name, rule in rules.items() if rule.required and name not in present]
    return [
        " / ".join((name, *rule.unless)) for name, rule in required if not any(key in present for key in rule.unless)
    ]


RULE = Rule(
    "MM313",
    "missing-field",
    "error",
    check,
)
