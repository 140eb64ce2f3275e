"""Shipped templates and settings parsed once a process: most tests begin with an empty cache."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from mdmem.formats import template_reader
from mdmem.settings import reader as settings_reader

_PARSERS = ((template_reader, "read_header"), (template_reader, "read_template"), (settings_reader, "parse_toml"))


def parse_once(replace: Callable[[object, str, object], None]) -> None:
    """Let each parser return what it made of the same bytes before; `replace` is `setattr` or a patch's."""
    for module, name in _PARSERS:
        replace(module, name, lru_cache(maxsize=256)(getattr(module, name)))
