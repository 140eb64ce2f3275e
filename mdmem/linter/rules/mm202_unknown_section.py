"""MM202: a section that a kind with fixed sections does not have."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.template import Template
from mdmem.linter.rule import Finding, LocalizedFact, Rule, RuleText, Subject, quote

_ARCHIVE = LocalizedFact(
    "what it holds belongs in archive/; `mdmem compact` moves it there", "内容应归入 archive/；`mdmem compact` 会移过去"
)
_LIKE = 0.5  # difflib's likeness from which a name is worth proposing alone


def check(subject: Subject) -> Iterator[Finding]:
    """Find headings that the template knows neither by name nor by alias; sub-headings belong to what they divide."""
    if subject.memory is None or subject.memory.policy != "closed":
        return
    unknown: set[int] = set()
    for index, heading in enumerate(subject.outline):
        section = heading.section
        if heading.spec or heading.above or section.level < 2:
            continue
        unknown.add(index)
        if section.parent not in unknown:
            names, retired = _nearest(section.title, subject.memory), subject.memory.is_retired(section.title)
            way = _ARCHIVE if retired else LocalizedFact(f"move what it holds to: {names}", f"把内容移到：{names}")
            yield Finding(section.heading, {"title": quote(section.title), "next": way})


def _nearest(title: str, template: Template) -> str:
    """Name the section that was probably meant; all of them where none is like it."""
    from difflib import get_close_matches

    names = [spec.name for spec in template.sections]
    return ", ".join(get_close_matches(title[:80], names, n=1, cutoff=_LIKE) or names)


RULE = Rule(
    "MM202",
    "unknown-section",
    "warning",
    check,
    en=RuleText("«{title}» is no section of this kind of file", "{next.en}"),
    zh=RuleText("这类文件没有「{title}」这个区域", "{next.zh}"),
)
