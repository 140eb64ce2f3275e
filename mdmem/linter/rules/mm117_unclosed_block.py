"""MM117: a code fence or comment that never ends and takes in what follows."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

# from the second level on, for `# …` is a comment in most code
_HEADING = pattern(r"(?<![^\r\n])[ ]{0,3}#{2,6}[ \t]+\S")


def check(subject: Subject) -> Iterator[Finding]:
    """Find both; one that swallows a memory file's headings hides memories, and is an error."""
    document = subject.document
    for block in document.fences:
        if block.kind == "fence" and not block.closed and not block.depth and not block.quoted:
            if subject.memory is None and not document.text[document.lines.span(block.line).end :].strip():
                continue  # nothing follows that could be swallowed; what is appended to a memory would be
            yield _finding(subject, block.span, block.line, "fence")
    for comment in document.comments:
        if not comment.span.of(document.text).endswith("-->"):
            yield _finding(subject, comment.span, document.lines.at(comment.span.start), "comment")


def _finding(subject: Subject, span: Span, line: int, variant: str) -> Finding:
    swallows = subject.memory is not None and _HEADING.search(subject.document.text, *span)
    own = Span(span.start, subject.document.lines.span(line).end)
    return Finding(own, severity="error" if swallows else None, variant=variant)


RULE = Rule(
    "MM117",
    "unclosed-block",
    "warning",
    check,
)
