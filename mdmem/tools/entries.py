"""The tools over entries and sections: `memory_add`, `memory_edit`, `memory_read`, `memory_check`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mdmem.entries.edits import find_section
from mdmem.entries.kind_files import files_of
from mdmem.errors import TargetError
from mdmem.formats.template import SectionSpec
from mdmem.messages.catalog import say
from mdmem.search.candidates import ARCHIVE
from mdmem.text.document import parse
from mdmem.tools import model
from mdmem.tools.memory_paths import existing_path, memory_path, require_memory
from mdmem.tools.model import ToolHost, ToolReply
from mdmem.tools.text_files import read

if TYPE_CHECKING:
    from mdmem.search.service import SearchHit


def memory_add(
    host: ToolHost,
    actor: str,
    path: str,
    content: str,
    section: str | None = None,
    fields: Mapping[str, str] | None = None,
    *,
    important: bool = False,
) -> ToolReply:
    """Add one entry at the end of a section (F007)."""
    inside = memory_path(host.config, path)
    by = {"actor": actor, "reason": "memory_add"}
    outcome = host.add(inside, [content], section=section, fields=fields, important=important, **by)
    return model.reply_from_outcome(outcome)


def memory_remember(
    host: ToolHost, actor: str, content: str, kind: str | None = None, *, important: bool = False
) -> ToolReply:
    """Add one entry where its kind belongs."""
    done = host.remember(content, kind=kind, important=important, actor=actor, reason="memory_remember")
    return model.reply_from_outcome(done)


def memory_edit(host: ToolHost, actor: str, path: str, section: str, content: str, *, confirm: int = 0) -> ToolReply:
    """Put new entries in place of a section's (F034)."""
    inside, by = existing_path(host.config, path), {"actor": actor, "reason": "memory_edit"}
    return model.reply_from_outcome(host.replace_section(inside, section, content, confirm=confirm, **by))


def memory_read(host: ToolHost, actor: str, path: str, section: str | None = None) -> ToolReply:
    """Return a file's text, or that of one section with its heading."""
    if section is None:
        return read(host, actor, path)
    whole = read(host, actor, existing_path(host.config, path))
    document = parse(whole.text.encode("utf-8", "surrogateescape"))
    template = host.config.schemas.match(whole.path, document)
    try:
        found = find_section(document, template, section)
    except TargetError as error:
        hint = say(host.lang, "pen.sections.hint", names=", ".join(error.candidates))
        said = say(host.lang, "pen.which-section", path=whole.path)
        return model.reply_from_error(error, said)._replace(path=whole.path, hint=hint)
    if isinstance(found, SectionSpec):  # the template names it, the file does not have it yet
        return whole._replace(message=_read(host, whole.path, found.name, 0), text="")
    text = document.text[found.heading.start : found.body.end]
    return whole._replace(message=_read(host, whole.path, found.title, len(found.entries)), text=text)


def _read(host: ToolHost, path: str, section: str, entries: int) -> str:
    return say(host.lang, "tool.section", path=path, section=section, entries=entries)


def memory_check(host: ToolHost, actor: str, path: str | None = None) -> ToolReply:  # noqa: ARG001 - every tool is called so
    """Say what is wrong with a file, a folder or all of it, as far as an agent can mend it."""
    require_memory(host.config)
    lang = host.lang
    files = () if path is None else _checked(host, path)
    found = tuple(model.worth_acting(host.lint(files).diagnostics))
    inside = files[0] if len(files) == 1 else ""
    if not found:
        return ToolReply("done", say(lang, "tool.clean"), path=inside)
    errors = sum(one.severity == "error" for one in found)
    message = say(lang, "tool.found", errors=errors, warnings=len(found) - errors)
    return ToolReply("findings", message, findings=found, path=inside)


def _checked(host: ToolHost, path: str) -> tuple[str, ...]:
    """Return the files or the folder to check; the workspace itself is no path."""
    several = files_of(host.config, path)
    found = several if len(several) > 1 else (existing_path(host.config, path, folder=True),)
    return tuple(filter(None, found))


def memory_search(
    host: ToolHost,
    actor: str,  # noqa: ARG001 - every tool is called so
    query: str,
    limit: int | None = None,
    since: str | None = None,
    until: str | None = None,
) -> ToolReply:
    """Find entries and other text, a line for each: place, date, heading, text."""
    require_memory(host.config)
    lang = host.lang
    found = host.search(query, limit, since=since, until=until)
    warning = host.index.warning(query)
    if not found:
        return ToolReply("done", say(lang, "tool.no-hits", query=query[:80]), warning or say(lang, "tool.no-hits.hint"))
    return ToolReply("done", say(lang, "tool.hits", count=len(found)), warning, text="\n".join(map(_line, found)))


def _line(one: SearchHit) -> str:
    about = " · ".join(part for part in (one.date, one.section, one.kind if one.kind == ARCHIVE else "") if part)
    return f"{one.path}:{one.line}{f' ({about})' if about else ''}: {' '.join(one.text.split())}"
