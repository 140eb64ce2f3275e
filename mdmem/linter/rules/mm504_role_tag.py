"""MM504: a tag of chat templates that names the speaker, which a model may read as a new turn."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.locations import detected_spans, is_example, quoted
from mdmem.linter.detect.prompt_injection import find_role_tags
from mdmem.linter.rule import Finding, Rule, Subject

_TRANSCRIPTS = ("session", "daily", "archive", "artifact", "attachment")  # kinds that contain conversations
_PERSONAS = ("soul", "agent")  # kinds that define how the agent speaks, often by an example


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
        elif match.kind == "tag" and not quoted(subject, match.span):
            yield Finding(match.span, severity="warning")


RULE = Rule(
    "MM504",
    "role-tag",
    "error",
    check,
    scope="raw",
)
