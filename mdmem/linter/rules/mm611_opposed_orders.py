"""MM611: pieces of knowledge give orders of which one forbids what the other demands."""

# `opposed_orders` is imported only for a piece of knowledge.
from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject, quote


def check(subject: Subject) -> Iterator[Finding]:
    """Find orders that contradict an earlier one of the piece, or one of another piece of the same precedence."""
    memory = subject.memory
    if memory is None or memory.kind != "knowledge":
        return
    from mdmem.formats.knowledge.opposed_orders import opposed, read_orders, same_share

    orders = tuple(read_orders(subject.path, subject.document, memory))
    for earlier, later in opposed(orders, same_share(memory)):
        facts = {"text": quote(earlier.text), "line": earlier.line}
        yield Finding(later.entry.text_span, facts)
    entries = {one.line: one for one in subject.document.entries}
    for number, path, line, text in subject.facts.opposed:
        if number in entries:
            facts = {"text": quote(text), "line": line, "path": path}
            yield Finding(entries[number].text_span, facts, variant="other")


RULE = Rule(
    "MM611",
    "opposed-orders",
    "note",
    check,
)
