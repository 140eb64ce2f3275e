"""The context pool: the section of surface memory that takes what is left of older rounds (F013, F064)."""

from __future__ import annotations

from contextlib import suppress

from mdmem.core.document import Document, parse
from mdmem.core.record import NamedTuple
from mdmem.errors import ConfigError, TargetError
from mdmem.workspace.access import KEEPER, Access
from mdmem.workspace.config import Config
from mdmem.workspace.kind_file import is_single, kind_file
from mdmem.workspace.read import read_file

_KIND, _SECTION = "fastmemo", "pool"  # the section by an alias that both languages know


class Pool(NamedTuple):
    """Where the pool stands, and what it takes."""

    path: str
    section: str
    names: tuple[str, ...]  # as an answer may call it
    max_chars: int  # of an entry
    lines: int  # entries that one stage becomes
    lang: str
    access: Access


def find_pool(config: Config, lines: int) -> Pool:
    """Find the context pool of a workspace.

    Raises:
        ConfigError: there is no kind of file that has one.
    """
    access = Access(config, KEEPER)
    shipped = config.schemas.get(_KIND)
    path = kind_file(config.root, shipped) if shipped and is_single(shipped) else ""
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
