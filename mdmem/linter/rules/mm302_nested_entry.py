"""MM302: an entry below an entry, where the template allows none."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find nested items; two markers on one line are reported by MM303."""
    line = -1
    for item in subject.items:
        entry = item.entry
        if entry.depth and not item.rule.nested and entry.line != line:
            yield Finding(entry.marker)
        line = entry.line


RULE = Rule(
    "MM302",
    "nested-entry",
    "warning",
    check,
)
