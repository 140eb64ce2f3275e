"""MM505: a link, an image or a sentence that carries data out."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.links import find_links
from mdmem.linter.detect.locations import places, quoted
from mdmem.linter.rule import Finding, Rule, RuleText, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find them; one that is filled in when used is an error; what a document only quotes is nothing."""
    most = subject.settings.max_query_words
    for place in places(subject, lambda view: find_links(view, most)):
        if subject.template is not None or not quoted(subject, place.span):
            yield Finding(place.span, {"kind": place.words}, severity="error" if place.kind == "template" else None)


RULE = Rule(
    "MM505",
    "exfiltration-link",
    "warning",
    check,
    en=RuleText(
        "this may carry data out of the workspace ({kind.en})",
        "delete it, or give the plain address without what is added to it",
    ),
    zh=RuleText("这可能把数据带出工作区（{kind.zh}）", "删掉它，或只写不带附加内容的普通地址"),
    scope="raw",
)
