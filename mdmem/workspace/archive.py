"""Where entries go that leave a file: the month's archive, searchable and never packed by itself (law 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdmem.core.document import Document, Entry
from mdmem.core.entry import read_entry
from mdmem.core.intent import Note, add
from mdmem.core.intent.content import content
from mdmem.core.template import EntryRule
from mdmem.errors import UsageError
from mdmem.store.draft import Edits, Files
from mdmem.workspace.commit import Commit
from mdmem.workspace.entry import owner

_STAYS = ("inbox", "archive")  # what leaves these was done with, or was kept already


def archive(
    commit: Commit, files: Files, path: str, document: Document, entries: Sequence[Entry], why: str | Sequence[str]
) -> Edits:
    """Make the edits that keep entries which leave a file; a secret is not carried along, and the caller is told.

    `why` is one word for all of them, or one for each.
    """
    template, config = commit.template(path, document), commit.config
    kept = config.schemas.get("archive")
    if template is None or template.kind in _STAYS or kept is None or not entries:
        return {}
    where = f"archive/{config.day[:7]}.md"
    words = [why] * len(entries) if isinstance(why, str) else why
    lines = [
        line
        for entry, word in zip(entries, words, strict=True)
        for line in _lines(document, path, entry, {"why": word, "archived": config.day, "change": commit.id})
    ]
    fit = [line for line in lines if commit.gate.unfit(where, f"- {line}\n") is None]
    if len(fit) < len(lines):
        commit.note(path, Note("not-archived", {"count": len(lines) - len(fit)}))
    if not fit:
        return {}
    commit.note(where, Note("archived", {"count": len(fit)}))
    old = files[where]
    return {where: add(old, commit.template(where, old) or kept, fit).edits}


def _lines(document: Document, path: str, entry: Entry, fields: dict[str, str]) -> Iterator[str]:
    """Give a line for an entry and each nested one, with where it stood; what stands below one goes into its line."""
    section = owner(document, entry)
    known = {"from": f"{path}#{section.title}" if section else path} | fields
    inside = [one for one in document.entries if entry.span.holds(one.span)]
    whole = any(one.blocks for one in inside)
    texts = [entry.span.of(document.text)] if whole else [one.text for one in inside]
    yield from (_with(text, known) for text in texts if text.strip())


def _with(text: str, fields: dict[str, str]) -> str:
    """Give a text as one line with these fields, but for those that it has or that cannot be written."""
    line = content(text, {}, EntryRule()).text
    for key, value in fields.items():
        if read_entry(line).field(key) is None:
            try:
                line = content(line, {key: value}, EntryRule()).text
            except UsageError:  # a heading with brackets in it names no place that a field could hold
                continue
    return line
