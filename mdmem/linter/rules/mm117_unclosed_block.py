"""MM117: a code fence or comment without an end, which hides the text that follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.blocks import Block
from mdmem.text.document import Document
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

# only from the second level on, because `# …` is a comment in most code
_HEADING = pattern(r"(?<![^\r\n])[ ]{0,3}#{2,6}[ \t]+\S")
_FENCE = pattern(r"(?<![^\r\n])[ ]{0,3}(?:`{3,}|~{3,})")
_INNER = pattern(r"(?<![^\r\n])[ ]{0,3}(?:`{3,}|~{3,})[\w-]+[ \t]*(?![^\r\n])")  # the first line of a block of code
_MARKDOWN = ("markdown", "md", "mdx")


def check(subject: Subject) -> Iterator[Finding]:
    """Find both; it is an error if headings of a memory file are in such a block."""
    document = subject.document
    for block in document.fences:
        if block.kind == "fence" and not block.closed and not block.depth and not block.quoted:
            if subject.memory is None and (
                not document.text[document.lines.span(block.line).end :].strip() or _opened_in_html(document, block)
            ):
                continue  # nothing follows; text appended to a memory would become part of the block
            outer = _ended_from_inside(document, block)
            variant, facts = ("fence", {}) if outer is None else ("nested", {"line": outer.line + 1})
            yield _finding(subject, block.span, block.line, variant, facts)
    for comment in document.comments:
        if not comment.span.of(document.text).endswith("-->"):
            if subject.memory is None and _ends_later(document, comment.span):
                continue
            yield _finding(subject, comment.span, document.lines.at(comment.span.start), "comment", {})


def _opened_in_html(document: Document, unclosed: Block) -> bool:
    """Return whether the fence closes one that stands directly below a tag: of that, HTML takes the first fence."""
    above = unclosed.span.start
    tags = [one for one in document.blocks if one.kind == "html" and one.span.end <= above]
    return any(_FENCE.search(document.text, *one.span) for one in tags[-1:])


def _ends_later(document: Document, comment: Span) -> bool:
    """Return whether a comment is closed below the blank line that ends the block of the tag around it."""
    text = document.text
    opened = any(
        block.kind == "html" and block.span.start < comment.start <= block.span.end for block in document.blocks
    )
    end, begin = text.find("-->", comment.end), text.find("<!--", comment.end)
    return opened and end >= 0 and (begin < 0 or end < begin)


def _ended_from_inside(document: Document, unclosed: Block) -> Block | None:
    """Return the nearest block of code above in which another one begins; the end of that one closed both."""
    above = [one for one in document.fences if one.span.end <= unclosed.span.start]
    for index in range(len(above) - 1, -1, -1):
        block = above[index]
        if _INNER.search(document.text, block.span.start + 1, block.span.end):
            before = above[index - 1] if index else None
            # a fence without a language may have ended a block inside one of Markdown
            is_inner = before is not None and not block.info.strip() and before.info.strip() in _MARKDOWN
            return before if is_inner else block
    return None


def _finding(subject: Subject, span: Span, line: int, variant: str, facts: Mapping[str, object]) -> Finding:
    hides_heading = subject.memory is not None and _HEADING.search(subject.document.text, *span)
    first_line = Span(span.start, subject.document.lines.span(line).end)
    return Finding(first_line, facts, severity="error" if hides_heading else None, variant=variant)


RULE = Rule(
    "MM117",
    "unclosed-block",
    "warning",
    check,
)
