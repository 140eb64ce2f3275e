"""The context pool: the section of surface memory that takes what is left of older rounds (F013, F064)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from mdmem.core.document import Document, parse
from mdmem.core.entry import read_entry
from mdmem.core.intent.content import content
from mdmem.core.similarity import essence
from mdmem.core.template import EntryRule
from mdmem.errors import ConfigError, TargetError, UsageError
from mdmem.keeper.piece import pieces, plain
from mdmem.keeper.talk import chunks
from mdmem.workspace.access import KEEPER, Access
from mdmem.workspace.config import Config
from mdmem.workspace.read import read_file

_KIND, _SECTION = "fastmemo", "pool"  # the section by an alias that both languages know
_TAG = {"zh": "#规则", "en": "#rule"}  # both are words of `[keeper] rules`: what bears one stays word for word


class Pool(NamedTuple):
    """Where the pool stands, and what it takes."""

    path: str
    section: str
    names: tuple[str, ...]  # as an answer may call it
    max_chars: int  # of an entry
    lines: int  # entries that one stage becomes
    lang: str
    access: Access

    def new_rules(self, document: Document | None, rules: Sequence[str]) -> tuple[str, ...]:
        """Give the rules that the memory does not hold word for word already."""
        entries = document.entries if document else ()
        known = {_says(piece) for entry in entries for piece in pieces(plain(entry.text))}
        return tuple(rule for rule in rules if _says(rule) not in known)

    def marked(self, rules: Sequence[str], source: str) -> list[str]:
        """Write rules as entries of their own; one that is too long becomes several, without losing a word."""
        tag = _TAG[self.lang]
        room = self.max_chars - len(f" {tag} [source:: {source}]") - 1
        return self.sourced([f"{part} {tag}" for rule in rules for part in chunks(rule, room)], source)

    def sourced(self, lines: Sequence[str], source: str) -> list[str]:
        """Write lines as entries that name the rounds they come from."""
        return [_with(line, source) for line in lines]


def find_pool(config: Config, lines: int) -> Pool:
    """Find the context pool of a workspace.

    Raises:
        ConfigError: there is no kind of file that has one.
    """
    access = Access(config, KEEPER)
    shipped = config.schemas.get(_KIND)
    files = [file for file in shipped.files if "*" not in file] if shipped else []
    there = [file for file in files if os.path.lexists(os.path.join(config.root, file))]
    path = (there or files or [""])[0]
    template = (access.template(path, _document(config, path)) if path else None) or shipped
    name = template.name(_SECTION) if template else None
    spec = template.spec(name) if template and name else None
    if template is None or spec is None:
        raise ConfigError("no memory file has a context pool", hint=f"the kind `{_KIND}` has one as shipped")
    names = tuple(alias for alias, section in template.aliases.items() if section == spec.name)
    most = spec.entries.max_chars or len(template.text)
    return Pool(path, spec.name, names, most, lines, template.lang or config.lang, access)


def _document(config: Config, path: str) -> Document | None:
    with suppress(TargetError):
        return parse(read_file(config, path, KEEPER).text.encode())
    return None


def _says(text: str) -> str:
    parts = read_entry(text)
    return essence(parts.body.of(text).strip() or text)


def _with(line: str, source: str) -> str:
    """Give a line with where it comes from; what cannot bear the field goes without."""
    try:
        return content(line, {"source": source}, EntryRule()).text
    except UsageError:
        return content(line, {}, EntryRule()).text
