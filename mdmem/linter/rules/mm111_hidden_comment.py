"""MM111: an HTML comment, or other text, that a reader of the rendered page does not see."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.formats.template import Schemas, Template
from mdmem.linter.detect.hidden_text import ACTIVE, hidden_text
from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.linter.suppressions import is_mark
from mdmem.linter.views.hidden_characters import in_code_block
from mdmem.text.document import Document
from mdmem.text.edit import Severity
from mdmem.text.inline import mask_code
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

# Directives of well-known tools: linters, formatters, tables of contents, spelling, licences. One short line each.
_DIRECTIVE = pattern(
    r"\s*(?:/?(?:markdownlint|rumdl|mdformat|prettier|dprint|remark|retext|textlint|markdown-link-check)-?[\w-]*"
    r"|lint (?:disable|enable|ignore)|vale|c?spell(?:-?checker)?:|fmt:|pyml|alex|toc(?:stop)?|/toc|omit (?:in|from) toc"
    r"|(?:START|END) doctoc|more|SPDX-[\w-]+:|template:)(?![\w-])[^\r\n]{0,80}\Z",
    re.IGNORECASE,
)
# Entry metadata of other tools: `importance: 9, updated: 2026-02-13`; values are single short words.
_PAIR = r"[\w-]{1,40}\s*[:=]\s*(?a:[\w.:/+-]{1,40})"
_GUIDE_MOST = 120
_BELOW_HEADING = pattern(
    r"(?<![^\r\n])#{1,6}[ \t][^\r\n]{1,200}(?:\r\n|\r|\n)"
    r"(?:\s|\|[^\r\n]{1,400}[\r\n]|<!--[^\r\n]{0,130}-->)*\Z"
)
_ORDER = pattern(  # words that make a description an order, and things that could be sent or opened
    r"\b(?:always|never|must|should|you|your|users?|assistant|model|ai|do|don't|not|send|ignore|forget|run|execute|tell|say|reply|"
    r"answer|call|open|fetch|visit|delete|write|add|copy|pay|transfer|password|key|token|secret|remember)\b|://|@|"
    r"[必须总要请用户你您发送执行忽略告诉打开删除密]",
    re.IGNORECASE,
)
_METADATA = pattern(rf"\s*{_PAIR}(?:[\s,;|]+{_PAIR})*\s*\Z")


def check(subject: Subject) -> Iterator[Finding]:
    """Find comments of a memory file that are neither a template's, a mark nor a tool's, and other hidden text."""
    if subject.memory is None:
        return
    yield from _hidden_elements(subject)
    if subject.document.comments:
        yield from _comments(subject, subject.memory)


def _hidden_elements(subject: Subject) -> Iterator[Finding]:
    document = subject.document
    for hidden in hidden_text(document.text):
        if not in_code_block(document, hidden.span.start) and not _is_code(document, hidden.span):
            severity: Severity | None = "error" if hidden.what == ACTIVE else None
            yield Finding(hidden.span, {"chars": hidden.chars}, severity=severity, variant=hidden.what)


def _is_code(document: Document, span: Span) -> bool:
    """Return True if a span begins in inline code."""
    line = document.lines.span(document.lines.at(span.start))
    return mask_code(line.of(document.text))[span.start - line.start : span.start - line.start + 1].isspace()


def _comments(subject: Subject, memory: Template) -> Iterator[Finding]:
    template_text = _template_text(memory, subject.schemas)
    marks = {span for _, _, span in subject.document.auto_marks}
    for comment in subject.document.comments:
        text = comment.text
        is_known = f"<!--{_fold(text)}-->" in template_text or comment.span in marks or is_mark(comment)
        if is_known or not any(map(str.isalnum, text)):
            continue
        closed = comment.span.of(subject.document.text).endswith("-->")  # an unclosed one is MM117
        if closed and not _DIRECTIVE.match(text) and not _METADATA.match(text):
            severity: Severity | None = "note" if _is_guide(subject.document, comment.span, text) else None
            yield Finding(comment.span, {"chars": len(text.strip())}, severity=severity, variant="comment")


def _is_guide(document: Document, span: Span, text: str) -> bool:
    """Return True if a comment only describes a section: short, directly below its heading, and no order."""
    if len(text) > _GUIDE_MOST or not text.isprintable() or _ORDER.search(text):
        return False
    return _BELOW_HEADING.search(document.text, max(0, span.start - 4 * _GUIDE_MOST), span.start) is not None


def _template_text(own: Template, schemas: Schemas) -> str:
    """Return the text of the kind's templates in all languages, in which comments are looked up.

    `guides` are comments of other programs' templates, whose files are used as they are.
    """
    guides = (f"<!--{_fold(text)}-->" for text in own.parts.get("guides", ()))
    texts = (_fold(template.document.text) for template in (own, *schemas.languages(own.kind).values()))
    return "\n".join((*texts, *guides))


def _fold(text: str) -> str:
    return "".join(text.split())


RULE = Rule(
    "MM111",
    "hidden-comment",
    "warning",
    check,
)
