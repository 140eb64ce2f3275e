"""The tools for entries and sections: `memory_add`, `memory_edit`, `memory_read`, `memory_check`, `memory_search`."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.attachments.handed_over import AttachmentPlaces
from mdmem.entries.edits import find_section
from mdmem.entries.kind_files import files_of
from mdmem.errors import TargetError
from mdmem.facade import Facade
from mdmem.facts.outdated_hits import newest_first
from mdmem.formats.template import SectionSpec
from mdmem.messages.catalog import say
from mdmem.search.candidates import ARCHIVE
from mdmem.search.service import SearchFilter, SearchHit, search
from mdmem.sessions.confided_lines import ConfidedLines
from mdmem.sessions.running import outputs_of, running_sessions
from mdmem.text.document import parse
from mdmem.tools import model
from mdmem.tools.client import ToolClient, likely_base
from mdmem.tools.memory_paths import existing_path, memory_path, require_memory
from mdmem.tools.model import ToolReply
from mdmem.tools.text_files import read, refuse_mask


def memory_add(
    host: Facade,
    client: ToolClient,
    path: str,
    content: str,
    section: str | None = None,
    fields: Mapping[str, str] | None = None,
    *,
    important: bool = False,
    again: bool = False,
) -> ToolReply:
    """Add an entry at the end of a section (F007)."""
    inside = memory_path(host.config, path)
    by = {"actor": client.actor, "reason": "memory_add"}
    outcome = host.add(inside, [content], section=section, fields=fields, important=important, again=again, **by)
    return model.reply_from_outcome(outcome)


def memory_remember(
    host: Facade,
    client: ToolClient,
    content: str,
    kind: str | None = None,
    *,
    important: bool = False,
    again: bool = False,
) -> ToolReply:
    """Add an entry to the file and section of its kind."""
    by = {"actor": client.actor, "reason": "memory_remember"}
    done = host.remember(content, kind=kind, important=important, again=again, **by)
    return model.reply_from_outcome(done)


def memory_edit(
    host: Facade, client: ToolClient, path: str, section: str, content: str, *, confirm: int = 0
) -> ToolReply:
    """Replace the entries of a section (F034)."""
    inside, by = existing_path(host.config, path), {"actor": client.actor, "reason": "memory_edit"}
    refuse_mask(host, inside, content)
    base = client.base(inside)
    if base is None:
        base = likely_base(host, inside, content, section)
    outcome = host.replace_section(inside, section, content, expect=base, confirm=confirm, **by)
    return model.reply_from_outcome(outcome)


def memory_read(host: Facade, client: ToolClient, path: str, section: str | None = None) -> ToolReply:
    """Return the text of a file, or of one section with its heading."""
    if section is None:
        return read(host, client, path)
    reply = read(host, client, existing_path(host.config, path))
    document = parse(reply.text.encode("utf-8", "surrogateescape"))
    template = host.config.schemas.match(reply.path, document)
    try:
        match = find_section(document, template, section)
    except TargetError as error:
        hint = say(host.lang, "pen.sections.hint", names=", ".join(error.candidates))
        message = say(host.lang, "pen.which-section", path=reply.path)
        return model.reply_from_error(error, message)._replace(path=reply.path, hint=hint)
    if isinstance(match, SectionSpec):  # the template has the section, the file does not have it yet
        return reply._replace(message=_read(host, reply.path, match.name, 0), text="")
    text = document.text[match.heading.start : match.body.end]
    return reply._replace(message=_read(host, reply.path, match.title, len(match.entries)), text=text)


def _read(host: Facade, path: str, section: str, entries: int) -> str:
    return say(host.lang, "tool.section", path=path, section=section, entries=entries)


def memory_check(host: Facade, client: ToolClient, path: str | None = None) -> ToolReply:  # noqa: ARG001 - the common signature
    """Return the errors and warnings of a file, a folder or the whole workspace."""
    require_memory(host.config)
    lang = host.lang
    files = () if path is None else _paths_to_check(host, path)
    findings = tuple(model.without_notes(host.lint(files).diagnostics))
    inside = files[0] if len(files) == 1 else ""
    if not findings:
        return ToolReply("done", say(lang, "tool.clean"), path=inside)
    errors = sum(one.severity == "error" for one in findings)
    message = say(lang, "tool.found", errors=errors, warnings=len(findings) - errors)
    return ToolReply("findings", message, findings=findings, path=inside)


def _paths_to_check(host: Facade, path: str) -> tuple[str, ...]:
    """Return the files or the folder to check; the path of the workspace itself is empty."""
    several = files_of(host.config, path)
    paths = several if len(several) > 1 else (existing_path(host.config, path, folder=True),)
    return tuple(filter(None, paths))


def memory_search(
    host: Facade,
    client: ToolClient,  # noqa: ARG001 - the common signature
    query: str,
    limit: int | None = None,
    since: str | None = None,
    until: str | None = None,
) -> ToolReply:
    """Return entries and other text, one line each: path, line, date, heading, text.

    What is said in a session that still runs is left out: its own model has it before it, others do not need it.
    """
    require_memory(host.config)
    lang, running = host.lang, running_sessions(host.config)
    given = SearchFilter(since=since, until=until, without=running)
    hits = _hits(host, query, limit, given)
    if any(hit.kind == "artifact" for hit in hits) and (stored := outputs_of(host.config, running)):
        hits = _hits(host, query, limit, given._replace(without=(*running, *stored)))
    warning = host.index.warning(query)
    if not hits:
        return ToolReply("done", say(lang, "tool.no-hits", query=query[:80]), warning or say(lang, "tool.no-hits.hint"))
    places = AttachmentPlaces(host.config)
    text = "\n".join(f"{_line(one)}{_beside(places, one)}" for one in hits)
    files = places.files(one.path for one in hits)
    return ToolReply("done", say(lang, "tool.hits", count=len(hits)), warning, text=text, files=files)


def _hits(host: Facade, query: str, limit: int | None, given: SearchFilter) -> tuple[SearchHit, ...]:
    found = newest_first(host.config, search(host.config, host.index.words, query, limit, given, host.index.near))
    is_private = ConfidedLines(host.config)
    return tuple(hit for hit in found if not is_private(hit.path, hit.line - 1))


def _beside(places: AttachmentPlaces, hit: SearchHit) -> str:
    """Return where the file of an attachment is, for a line about its record."""
    told = places.told(hit.path)
    return f" ({told})" if told else ""


def _line(hit: SearchHit) -> str:
    details = " · ".join(part for part in (hit.date, hit.section, hit.kind if hit.kind == ARCHIVE else "") if part)
    now = f" ({hit.now})" if hit.now else ""
    return f"{hit.path}:{hit.line}{f' ({details})' if details else ''}: {' '.join(hit.text.split())}{now}"
