"""The lines of patterns: what makes two of them the same, their sources, and a new piece that holds one. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.formats.template import Template
from mdmem.text.entry import read_entry
from mdmem.text.inline import specials
from mdmem.text.similarity import comparison_key
from mdmem.text.yaml.post import new_file

_SOURCE = "source"


def pattern_key(text: str) -> tuple[str, ...]:
    """Return what makes two lines say the same pattern: their code, or all their words where they have none.

    The words around the code tell an error or a purpose, which differ from session to session.
    """
    parts = read_entry(text)
    body = parts.body.of(text)
    code = tuple(span.of(body).strip("` ") for is_code, span in specials(body) if is_code)
    return code or (comparison_key(body),)


def sources_of(text: str) -> tuple[str, ...]:
    """Return the sources that a line names."""
    return tuple(field.value for field in read_entry(text).fields if field.key == _SOURCE)


def with_sources(text: str, sources: Sequence[str]) -> str:
    """Return a line that names some sources more."""
    known = sources_of(text)
    named = (f"[{_SOURCE}:: {one}]" for one in sources if one not in known)
    ident = read_entry(text).id
    line = text.removesuffix(f"^{ident}").rstrip() if ident else text
    return " ".join((line, *named, *((f"^{ident}",) if ident else ())))


def new_piece(template: Template, name: str, description: str, section: str, line: str) -> str:
    """Return the text of a new piece that holds one line."""
    title = template.name(section) or section
    return new_file({"name": name, "description": description}, f"# {description}\n\n## {title}\n\n- {line}\n")
