"""Reads the pages of the rules, which lie beside their modules."""

from __future__ import annotations

import os

import mdmem.linter.rules
from mdmem.linter.rule import Rule
from mdmem.store.files import read_bytes

_CHINESE = "pages_zh.md"


def rule_page(rule: Rule) -> str:
    """Return the page of a rule, in English."""
    return _read(mdmem.linter.rules.__path__[0], f"{rule.code.lower()}_{rule.name.replace('-', '_')}.md")


def rule_pages_zh() -> str:
    """Return what the pages say in Chinese, without their examples: a heading for each rule, then three paragraphs."""
    return _read(mdmem.linter.__path__[0], _CHINESE)


def _read(folder: str, name: str) -> str:
    return read_bytes(os.path.join(folder, name), name).decode()
