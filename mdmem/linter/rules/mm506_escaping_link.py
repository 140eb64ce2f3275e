"""MM506: a symbolic link that leaves the workspace."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, RuleText, Subject
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Ask what the file system said: the link was not followed."""
    if subject.facts.link == "outside":
        yield Finding(Span(0, 0))


RULE = Rule(
    "MM506",
    "escaping-link",
    "error",
    check,
    en=RuleText(
        "this symbolic link leads out of the workspace; it was not followed",
        "replace it by a copy of the file, or move the file into the workspace",
    ),
    zh=RuleText("这个符号链接指向工作区之外，没有跟随", "换成文件的副本，或把文件移进工作区"),
    scope="file",
)
