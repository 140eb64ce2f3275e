"""MM118: an `allow` mark that covers no finding; the runner decides it when all other rules have spoken."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject


def check(_: Subject) -> Iterator[Finding]:
    """Yield nothing: see `mdmem.linter.run.lint_subject`."""
    return iter(())


RULE = Rule(
    "MM118",
    "unused-suppression",
    "warning",
    check,
    scope="runner",
)
