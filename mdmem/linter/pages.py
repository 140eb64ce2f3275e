"""Reads the pages of the rules, which are beside their modules."""

from __future__ import annotations

import os

import mdmem.linter.rules
from mdmem.linter.rule import Rule
from mdmem.store.files import read_bytes


def rule_page(rule: Rule) -> str:
    """Return the page of a rule, in English."""
    name = f"{rule.code.lower()}_{rule.name.replace('-', '_')}.md"
    return read_bytes(os.path.join(mdmem.linter.rules.__path__[0], name), name).decode()
