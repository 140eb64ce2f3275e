"""The journeys over free text: one exact text for another, and a whole file (X1, X2)."""

from __future__ import annotations

from mdmem.core.document import Document, parse
from mdmem.core.edit import smallest
from mdmem.core.intent import exact
from mdmem.core.template import Template
from mdmem.errors import RefusedError, UsageError
from mdmem.store.draft import Edits, Files
from mdmem.workspace.commit import Commit, seen
from mdmem.workspace.entry import retold
from mdmem.workspace.inbox import propose
from mdmem.workspace.outcome import Outcome
from mdmem.workspace.words import say


def edit_text(commit: Commit, path: str, old: str, new: str, expect: str | None) -> Outcome:
    """Put a new text in the place of an old one; see `Workspace.edit`."""
    path = commit.path(path)
    if not old:
        commit.access.stop(UsageError, "empty-text")
    _require_text(commit, new)

    def change(files: Files) -> Edits:
        document = commit.document(files, path)
        with retold(commit, path, "text"):
            intent = exact(document, old, new)
        commit.note(path, *intent.notes)
        return {path: intent.edits}

    commit.run(change, expect=seen(path, expect), propose=propose)
    return commit.outcome(say(commit.lang, "edited", path=path), path)


def write_file(commit: Commit, path: str, content: str, expect: str | None) -> Outcome:
    """Make a file, or give it another text; see `Workspace.write`."""
    path = commit.path(path)
    _require_text(commit, content)
    if not commit.there(path):
        commit.new(path)
    text = content

    def change(files: Files) -> Edits:
        nonlocal text
        document = files[path]
        if document is None:
            _may_begin(commit, path, content)
        text = _in_hand(document, content)
        return {path: smallest(document.text if document else "", text)}

    commit.run(change, expect=seen(path, expect), propose=propose)
    return commit.outcome(
        say(commit.lang, "wrote", path=path, bytes=len(text.encode("utf-8", "surrogateescape"))), path
    )


def _require_text(commit: Commit, text: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in text):
        commit.access.stop(UsageError, "not-text")


def _may_begin(commit: Commit, path: str, content: str) -> None:
    """Let a file begin where its kind allows it, and never as an empty form: with its first entry, or not at all."""
    template = commit.template(path, parse(content.encode()))
    commit.new(path)
    if template and template.create == "never":
        commit.access.stop(RefusedError, "never-made", path)
    if not content.strip() or (template and template.create == "on-first-write" and _is_form(content, template)):
        commit.access.stop(RefusedError, "no-entry", path)


def _is_form(content: str, template: Template) -> bool:
    """Tell whether a text says nothing but headings, comments and what the template itself says."""
    document = parse(content.encode())
    said = {line.strip() for line in template.text.splitlines()}
    blocks = [block for block in document.blocks if block.kind not in ("heading", "html", "rule")]
    return all(block.span.of(document.text).strip() in said for block in blocks)


def _in_hand(document: Document | None, content: str) -> str:
    """Give a text the byte order mark and the line endings of the file that it replaces, where it has other ones."""
    if document is None or not document.text:
        return content
    mark = "\ufeff" if document.text.startswith("\ufeff") and not content.startswith("\ufeff") else ""
    ending = document.lines.ending
    if ending == "\n" or "\r" in content:
        return mark + content
    return mark + content.replace("\n", ending)
