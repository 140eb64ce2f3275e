"""MM504: a tag of chat templates that names the speaker, which a model may read as a new turn."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.detect.decoded_views import DecodedView
from mdmem.linter.detect.locations import detected_spans, quoted
from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.pattern import pattern

_ROLE = r"(?:system|assistant|user|human|developer|tool|ipython|model)"
_ANGLE = pattern(
    r"<(?:[|｜][a-z_][\w▁ -]{1,40}[|｜]>"
    r"|(?=<)<sys>>|</sys>>"
    r"|/?(?:system|system-reminder|system_prompt|system_message|assistant|function_calls?|tool_calls?|tool_response|"
    r"tool_result|function_results|antml:\w{1,20}|invoke|start_of_turn|end_of_turn|bos|eos)(?:\sname=[^<>\n]{1,60})?>)",
    re.IGNORECASE,
)
_END = pattern(r"</s>(?=\s{0,3}(?:<s>|\[INST|\Z|[\r\n]))", re.IGNORECASE)
_SQUARE = pattern(r"\[/?INST\]|\[/?SYSTEM_PROMPT\]|\[TOOL_CALLS\]")
_HEADING = pattern(rf"###\s{{1,3}}(?:{_ROLE}|instruction|response)\s?:", re.IGNORECASE)
_TURN = pattern(
    r"^[ \t>]{0,8}(?:[-*+]\s{1,3})?(?P<bold>\*\*)?(?P<who>Human|Assistant)(?:\*\*)?:(?:\*\*)?[ ](?=\S{1,60}\s+\S)",
    re.MULTILINE,
)
_TRANSCRIPTS = ("session", "daily", "archive", "artifact", "attachment")  # kinds that contain conversations


def detect(view: DecodedView) -> Iterator[tuple[str, int, int]]:
    """Find role tags in one view of the text."""
    text = view.text
    if text.count("<") > text.count("<!--"):
        yield from (("tag", *match.span()) for match in _ANGLE.finditer(text))
    if "</s>" in text:
        for match in _END.finditer(text):
            line = text.rfind("\n", 0, match.start()) + 1
            # not text that is struck through
            if "<s>" not in text[max(line, match.start() - 400) : match.start()].lower():
                yield "tag", *match.span()
    if "INST]" in text or "SYSTEM_PROMPT]" in text or "[TOOL_" in text:
        yield from (("tag", *match.span()) for match in _SQUARE.finditer(text))
    if "### " in text:
        for match in _HEADING.finditer(text):
            if not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip():
                yield "heading", *match.span()
    if "Human:" in text or "Assistant:" in text:
        both = (
            "Human:" in text and "Assistant:" in text
        )  # a bold name alone is the label of a form: `**Human:** Mia Chen`
        for match in _TURN.finditer(text):
            if both or not match["bold"]:
                yield "turn", *match.span("who")


def check(subject: Subject) -> Iterator[Finding]:
    """Find tags; outside memory only those in plain prose, as a warning; headings and turns only in memory."""
    template = subject.template
    for match in detected_spans(subject, detect):
        if template is not None:
            if match.kind == "tag" or template.kind not in _TRANSCRIPTS:
                yield Finding(match.span)
        elif match.kind == "tag" and not quoted(subject, match.span):
            yield Finding(match.span, severity="warning")


RULE = Rule(
    "MM504",
    "role-tag",
    "error",
    check,
    scope="raw",
)
