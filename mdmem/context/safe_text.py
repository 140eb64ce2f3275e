"""Leaves out of a text for a model what gives orders to it, but not what a person has accepted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError
from mdmem.linter.sources import walk_of
from mdmem.linter.suppressions import read_suppressions
from mdmem.linter.unsafe_lines import ORDERS, bare, without_orders
from mdmem.text.document import Document, parse
from mdmem.text.inline import comments, mask


class SafeText(NamedTuple):
    """A text for a model, and how many lines were left out of it."""

    text: str
    left: int


def safe_text(config: WorkspaceConfig, text: str) -> SafeText:
    """Return a text without the lines that give orders to a model, unless a mark `allow` stands at them in a file.

    The files are read only if there is such a line.
    """
    safe = without_orders(text)
    if safe == text:
        return SafeText(text, 0)
    safe = without_orders(text, frozenset(_accepted(config)))
    return SafeText(safe, _lines(text) - _lines(safe))


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.split("\n"))


def _accepted(config: WorkspaceConfig) -> Iterator[str]:
    """Yield the lines of memory files at which a person allows orders, as they look in a pack."""
    for path in walk_of(config).files():
        with suppress(MdmemError):  # a file that cannot be read is a finding of lint
            data = live_bytes(config, path, config.settings.lint.max_bytes)
            if data and b"mdmem:" in data:
                yield from _allowed_lines(parse(data))


def _allowed_lines(document: Document) -> Iterator[str]:
    for one in read_suppressions(document):
        if any(one.allows(code, name) for code, name in ORDERS):
            for number in range(one.first, min(one.last + 1, len(document.lines))):
                text = document.lines.text(number)
                yield bare(mask(text, comments(text), ""))
