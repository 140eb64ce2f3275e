"""MM118: an `allow` mark that covers no finding; the runner decides it when all other rules have spoken."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, RuleText, Subject


def check(_: Subject) -> Iterator[Finding]:
    """Yield nothing: see `mdmem.linter.run.lint_subject`."""
    return iter(())


RULE = Rule(
    "MM118",
    "unused-suppression",
    "warning",
    check,
    en=RuleText("nothing here needs `allow {codes}`", "remove the mark, or correct the code"),
    zh=RuleText("这里没有需要 `allow {codes}` 的问题", "删掉这个标记，或改正代码"),
    scope="runner",
)
