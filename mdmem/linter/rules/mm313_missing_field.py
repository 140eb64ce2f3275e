"""MM313: an entry without a field that its template requires."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.core.placeholders import is_placeholder
from mdmem.linter.rule import Finding, Rule, Subject, Words


def check(subject: Subject) -> Iterator[Finding]:
    """Find outermost entries that lack a required field, or have it without a value."""
    for item in subject.items:
        required = [name for name, rule in item.rule.fields.items() if rule.required]
        if not required or item.entry.depth or not item.entry.text.strip() or is_placeholder(item.entry.text):
            continue
        given = {field.key for field in item.parts.fields if field.value}
        if missing := [name for name in required if name not in given]:
            facts = {"fields": ", ".join(missing), "example": " ".join(f"[{name}:: …]" for name in missing)}
            yield Finding(item.entry.text_span, facts)


RULE = Rule(
    "MM313",
    "missing-field",
    "error",
    check,
    en=Words("this entry lacks: {fields}", "add {example} at its end"),
    zh=Words("这条记忆缺少：{fields}", "请在末尾补上 {example}"),
)
