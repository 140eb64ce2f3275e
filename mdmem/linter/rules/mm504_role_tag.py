"""MM504: a tag that chat templates use to say who speaks, which a model may take for a new turn."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.detect.decoded_views import DecodedView
from mdmem.linter.detect.locations import places, quoted
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
_TRANSCRIPTS = ("session", "daily", "archive", "artifact", "attachment")  # kinds that hold what was said


def detect(view: DecodedView) -> Iterator[tuple[str, int, int]]:
    """Find role tags in one look at the text."""
    text = view.text
    if text.count("<") > text.count("<!--"):
        yield from (("tag", *match.span()) for match in _ANGLE.finditer(text))
    if "</s>" in text:
        for match in _END.finditer(text):
            line = text.rfind("\n", 0, match.start()) + 1
            if "<s>" not in text[max(line, match.start() - 400) : match.start()].lower():  # no struck-out text
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
    """Find tags; outside memory only those in plain prose, and as a warning; headings and turns in memory only."""
    template = subject.template
    for place in places(subject, detect):
        if template is not None:
            if place.kind == "tag" or template.kind not in _TRANSCRIPTS:
                yield Finding(place.span)
        elif place.kind == "tag" and not quoted(subject, place.span):
            yield Finding(place.span, severity="warning")


RULE = Rule(
    "MM504",
    "role-tag",
    "error",
    check,
    scope="raw",
)
