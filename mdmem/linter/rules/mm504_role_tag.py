"""MM504: a tag of chat templates that names the speaker, which a model may read as a new turn."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.detect.locations import detected_spans, is_example, quoted
from mdmem.linter.detect.prompt_injection import find_role_tags
from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_TRANSCRIPTS = ("session", "daily", "archive", "artifact", "attachment")  # kinds that contain conversations
_PERSONAS = ("soul", "agent")  # kinds that define how the agent speaks, often by an example

_TOKEN = pattern(r"\s(?:tokens?|tags?|markers?|delimiters?)\b", re.IGNORECASE)


def check(subject: Subject) -> Iterator[Finding]:
    """Find tags; outside memory only those in plain prose, as a warning; headings and turns only in memory.

    A turn in a code block or a quotation of a persona is an example of a conversation, and a note.
    """
    template = subject.template
    for match in detected_spans(subject, find_role_tags):
        if template is not None:
            if match.kind == "tag" or template.kind not in _TRANSCRIPTS:
                is_shown = match.kind == "turn" and template.kind in _PERSONAS and is_example(subject, match.span)
                yield Finding(match.span, severity="note" if is_shown else None)
        elif match.kind == "tag" and not (quoted(subject, match.span) or _named(subject.document.text, match.span)):
            yield Finding(match.span, severity="warning")


def _named(text: str, span: Span) -> bool:
    """Return True if a document speaks of the tag: «support for the <|end|> token»."""
    return _TOKEN.match(text, span.end) is not None


RULE = Rule(
    "MM504",
    "role-tag",
    "error",
    check,
    scope="raw",
)
