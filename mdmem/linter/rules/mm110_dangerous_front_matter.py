"""MM110: YAML in front matter that can unfold, name code or say two things at once."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, LocalizedFact, Rule, RuleText, Subject, quote

_KINDS = {
    "alias": (LocalizedFact("alias", "别名"), LocalizedFact("write the value out", "请直接写出值")),
    "anchor": (
        LocalizedFact("anchor", "锚点"),
        LocalizedFact("delete it; quote a value that begins with `&`", "请删除；以 `&` 开头的值请加引号"),
    ),
    "tag": (
        LocalizedFact("tag", "类型标签"),
        LocalizedFact("delete it; quote a value that begins with `!`", "请删除；以 `!` 开头的值请加引号"),
    ),
    "duplicate": (LocalizedFact("second key", "重复的键"), LocalizedFact("keep one of the two", "请只保留一个")),
}


def check(subject: Subject) -> Iterator[Finding]:
    """Report each of them; in a file of no known kind only a duplicate key is an error."""
    front = subject.document.front_matter
    if front is None or front.yaml.end - front.yaml.start > subject.settings.max_front_matter_chars:
        return
    for problem in front.problems:
        if problem.kind in _KINDS:
            what, hint = _KINDS[problem.kind]
            mild = subject.memory is None and problem.kind != "duplicate"
            facts = {"what": what, "name": quote(problem.detail), "next": hint}
            yield Finding(problem.span, facts, severity="warning" if mild else None)


RULE = Rule(
    "MM110",
    "dangerous-front-matter",
    "error",
    check,
    en=RuleText("{what.en} `{name}` in front matter: programs read it differently", "{next.en}"),
    zh=RuleText("文件头里有{what.zh} `{name}`：不同程序的理解不一样", "{next.zh}"),
)
