"""The tools over entries and sections: `memory_add`, `memory_edit`, `memory_read`, `memory_check`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mdmem.core.document import parse
from mdmem.core.intent import find_section
from mdmem.core.template import SectionSpec
from mdmem.errors import TargetError
from mdmem.workspace import words as pen
from mdmem.workspace.kinds import files_of
from mdmem.workspace.tools import reply
from mdmem.workspace.tools.files import read
from mdmem.workspace.tools.place import existing, place, require_memory
from mdmem.workspace.tools.reply import Reply
from mdmem.workspace.tools.words import say

if TYPE_CHECKING:
    from mdmem.workspace import Workspace


def memory_add(
    workspace: Workspace,
    actor: str,
    path: str,
    content: str,
    section: str | None = None,
    fields: Mapping[str, str] | None = None,
) -> Reply:
    """Add one entry at the end of a section (F007)."""
    inside = place(workspace.config, path)
    outcome = workspace.add(inside, [content], section=section, fields=fields, actor=actor, reason="memory_add")
    return reply.of(outcome)


def memory_remember(workspace: Workspace, actor: str, content: str, kind: str | None = None) -> Reply:
    """Add one entry where its kind belongs."""
    return reply.of(workspace.remember(content, kind=kind, actor=actor, reason="memory_remember"))


def memory_edit(
    workspace: Workspace, actor: str, path: str, section: str, content: str, *, confirm: bool = False
) -> Reply:
    """Put new entries in place of a section's (F034)."""
    inside, by = existing(workspace.config, path), {"actor": actor, "reason": "memory_edit"}
    return reply.of(workspace.replace_section(inside, section, content, confirm=confirm, **by))


def memory_read(workspace: Workspace, actor: str, path: str, section: str | None = None) -> Reply:
    """Give a file's text, or that of one section with its heading."""
    if section is None:
        return read(workspace, actor, path)
    whole = read(workspace, actor, existing(workspace.config, path))
    document = parse(whole.text.encode("utf-8", "surrogateescape"))
    template = workspace.config.schemas.match(whole.path, document)
    try:
        found = find_section(document, template, section)
    except TargetError as error:
        hint = pen.say(workspace.lang, "sections.hint", names=", ".join(error.candidates))
        said = pen.say(workspace.lang, "which-section", path=whole.path)
        return reply.failed(error, said)._replace(path=whole.path, hint=hint)
    if isinstance(found, SectionSpec):  # the template names it, the file does not have it yet
        return whole._replace(message=_read(workspace, whole.path, found.name, 0), text="")
    text = document.text[found.heading.start : found.body.end]
    return whole._replace(message=_read(workspace, whole.path, found.title, len(found.entries)), text=text)


def _read(workspace: Workspace, path: str, section: str, entries: int) -> str:
    return say(workspace.lang, "section", path=path, section=section, entries=entries)


def memory_check(workspace: Workspace, actor: str, path: str | None = None) -> Reply:  # noqa: ARG001 - every tool is called so
    """Say what is wrong with a file, a folder or all of it, as far as an agent can mend it."""
    require_memory(workspace.config)
    lang = workspace.lang
    files = () if path is None else _checked(workspace, path)
    found = tuple(reply.worth_acting(workspace.lint(files).diagnostics))
    inside = files[0] if len(files) == 1 else ""
    if not found:
        return Reply("done", say(lang, "clean"), path=inside)
    errors = sum(one.severity == "error" for one in found)
    message = say(lang, "found", errors=errors, warnings=len(found) - errors)
    return Reply("findings", message, findings=found, path=inside)


def _checked(workspace: Workspace, path: str) -> tuple[str, ...]:
    """Return the files or the folder to check; the workspace itself is no path."""
    several = files_of(workspace.config, path)
    found = several if len(several) > 1 else (existing(workspace.config, path, folder=True),)
    return tuple(filter(None, found))
