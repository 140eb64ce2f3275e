"""MM118: an `allow` mark that covers no finding. The runner reports it after all other rules."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject


def check(_: Subject) -> Iterator[Finding]:
    """Return nothing; see `mdmem.linter.runner.lint_subject`."""
    return iter(())


RULE = Rule(
    "MM118",
    "unused-suppression",
    "warning",
    check,
    scope="runner",
)
