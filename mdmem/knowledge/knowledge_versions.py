"""Add a piece, save it as a version, compare versions, and go back to one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.inbox.proposals import propose
from mdmem.entries.model import Outcome
from mdmem.errors import RefusedError, TargetError, UsageError
from mdmem.formats.knowledge.piece_functions import inputs_of, is_input
from mdmem.formats.paths import KNOWLEDGE as FOLDER
from mdmem.formats.session_edits import set_values
from mdmem.formats.template import Template
from mdmem.history.evidence import find_evidence
from mdmem.knowledge.edits import steps_edits
from mdmem.knowledge.read import (
    KIND,
    list_versions,
    open_piece,
    path_of,
    saved_text,
    unwrapped,
    version_names,
    version_path,
)
from mdmem.messages.catalog import say
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits, smallest
from mdmem.text.merge import Conflict, merge
from mdmem.text.spans import Span
from mdmem.text.yaml.post import FrontValue, front_line, new_file

_SIGNS = frozenset("/\\:@#,() \t")  # they end a name in `piece:function@version`


class NewPiece(NamedTuple):
    """What a new piece says."""

    name: str
    description: str
    steps: Sequence[str]
    inputs: Sequence[str] = ()  # each `name` or `name = value`
    outputs: str = ""
    preconditions: str = ""


def add_piece(commit: ChangeRequest, new: NewPiece) -> Outcome:
    """Make a new piece; see `Workspace.knowledge.add`."""
    name = _checked(commit, new.name)
    declared = [one.partition("=")[0].strip() for one in new.inputs]
    new = new._replace(inputs=[*new.inputs, *(one for one in inputs_of(new.steps) if one not in declared)])
    if not new.description.strip():
        commit.access.stop(UsageError, "knowledge.no-description")
    for one in new.inputs:
        if not is_input(one):
            commit.access.stop(UsageError, "knowledge.input", input=one[:60])
    path = commit.path(f"{FOLDER}/{name}.md")
    if commit.exists(path_of(commit.config, name)):
        commit.access.stop(RefusedError, "knowledge.exists", path)
    commit.new(path)
    template = commit.config.schemas.required(KIND)
    text = _new_text(template, new._replace(name=name))
    commit.run(lambda files: {path: smallest(_text(files[path]), text)}, propose=propose)
    return commit.outcome(say(commit.lang, "knowledge.added", path=path), path)


def _new_text(template: Template, new: NewPiece) -> str:
    """Return the text of a new piece: that of the template below its name, with the steps."""
    blank = parse(template.text.encode("utf-8", "surrogateescape"))
    values = {"name": new.name, "description": " ".join(new.description.split())}
    body = blank.text[blank.front_matter.span.end :] if blank.front_matter else blank.text
    text = _titled(new_file(values, body.lstrip("\n")), new.name)
    interface = {"inputs": ", ".join(new.inputs), "outputs": new.outputs, "needs": new.preconditions}
    if not new.steps and not any(interface.values()):
        return text
    document = parse(text.encode("utf-8", "surrogateescape"))
    return apply_edits(text, steps_edits(document, template, interface, new.steps))


def _titled(text: str, title: str) -> str:
    """Return a text whose first heading is a title."""
    document = parse(text.encode("utf-8", "surrogateescape"))
    heading = next((one.title_span for one in document.sections if one.level == 1), None)
    return apply_edits(text, [Edit(heading, title)]) if heading else text


def save_version(commit: ChangeRequest, name: str, version: str, note: str, source: str) -> Outcome:
    """Save the text of a piece as a version; see `Workspace.knowledge.save`."""
    piece = open_piece(commit.config, name).piece
    path = commit.path(piece.path)
    known = version_names(commit.config, piece.name)
    version = _checked(commit, version or _next_number(known))
    if source:
        _require_evidence(commit, source)
    saved = commit.path(version_path(piece.name, version))
    if version not in known:
        commit.new(saved)

    def change(files: DraftFiles) -> Edits:
        document, old = commit.document(files, path), files[saved]
        if document.front_matter is None:
            commit.access.stop(RefusedError, "knowledge.no-front-matter", path)
        edits = _set(document, {"version": version})
        text = apply_edits(document.text, edits)
        if old is not None:
            if unwrapped(old.text) != text:
                commit.access.stop(RefusedError, "knowledge.version-taken", saved, version=version)
            return {}
        head = {"saved": f"{dt.datetime.now().astimezone():%Y-%m-%d %H:%M:%S}", "note": note, "source": source}
        return {path: edits, saved: (Edit(Span(0, 0), _wrapped(text, head, document.lines.ending)),)}

    commit.run(change, propose=propose, paths=(path, saved))
    return commit.outcome(say(commit.lang, "knowledge.saved", name=piece.name, version=version, path=saved), saved)


def go_back(commit: ChangeRequest, name: str, version: str) -> Outcome:
    """Take a piece back to a version; see `Workspace.knowledge.back`."""
    piece = open_piece(commit.config, name).piece
    path = commit.path(piece.path)
    wanted = version or _former(commit.config, piece.name, piece.version)
    saved_text(commit.config, piece.name, wanted)  # the error about an unknown version
    conflicts: tuple[Conflict, ...] = ()
    kept = ""

    def change(files: DraftFiles) -> Edits:
        nonlocal conflicts, kept
        document = commit.document(files, path)
        target = _saved(files, commit.path(version_path(piece.name, wanted)))
        assert target is not None
        base = _base(commit, files, document, piece.name)
        is_reset = base.text == target.text != document.text  # what was added to this version is what is not wanted
        edits, conflicts = taken_back(document, document if is_reset else base, target)
        if not (conflicts or is_reset):
            return {path: edits}
        kept = _next_number(version_names(commit.config, piece.name))
        aside = commit.path(version_path(piece.name, kept))
        note = say(commit.lang, "knowledge.note-before-back", version=wanted)
        head = {"saved": f"{dt.datetime.now().astimezone():%Y-%m-%d %H:%M:%S}", "note": note}
        whole = _wrapped(document.text, head, document.lines.ending)
        return {path: edits, aside: smallest(_text(files[aside]), whole)}

    commit.run(change, propose=propose, paths=(path,))
    lines = ", ".join(str(one.line) for one in conflicts)
    told = [say(commit.lang, "knowledge.collided", lines=lines, version=kept)] if conflicts else []
    key = "knowledge.reset" if kept and not conflicts else "knowledge.back"
    return commit.outcome(say(commit.lang, key, name=piece.name, version=wanted, kept=kept), path, *told)


def taken_back(now: Document, base: Document, target: Document) -> tuple[tuple[Edit, ...], tuple[Conflict, ...]]:
    """Return the edits that make a text the target, with what was added to it since the base.

    Where both changed the same thing, the target holds; the conflicts tell what of the text is left out.
    """
    merged = merge(base, now, target)
    text = apply_edits(target.text, merged.edits)
    return smallest(now.text, text), tuple(one for one in merged.conflicts if one.ours != one.theirs)


def _base(commit: ChangeRequest, files: DraftFiles, document: Document, name: str) -> Document:
    """Return the version that a text began with; without one the text itself, of which nothing was added since."""
    front = document.front_matter
    version = str((front.values if front else {}).get("version") or "")
    if version in version_names(commit.config, name):
        found = _saved(files, commit.path(version_path(name, version)))
        if found is not None:
            return found
    return document


def _saved(files: DraftFiles, path: str) -> Document | None:
    found = files[path]
    return parse(unwrapped(found.text).encode("utf-8", "surrogateescape")) if found else None


def _former(config: WorkspaceConfig, name: str, current: str) -> str:
    """Return the version before the current one; the newest one if the text began with none.

    Raises:
        TargetError: there is none before it; `candidates` are the saved ones.
    """
    names = [one.name for one in list_versions(config, name)]
    if current not in names:
        return names[-1] if names else ""
    if current == names[0]:
        facts = {"name": name, "version": current, "names": ", ".join(names)}
        hint = say(config.lang, "knowledge.no-former.hint", **facts)
        raise TargetError(say(config.lang, "knowledge.no-former", **facts), hint=hint, candidates=tuple(names))
    return names[names.index(current) - 1]


def version_diff(config: WorkspaceConfig, name: str, first: str, second: str) -> str:
    """Return the unified diff of two versions of a piece, or of one and its text; see `Workspace.knowledge.diff`."""
    own = open_piece(config, name)
    first = first or own.piece.version or (version_names(config, own.piece.name) or ("",))[-1]
    old = saved_text(config, own.piece.name, first)
    new = saved_text(config, own.piece.name, second) if second else own.document.text
    names = (f"{own.piece.name}@{first}", f"{own.piece.name}@{second}" if second else own.piece.path)
    lines = unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), *names, n=1)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _checked(commit: ChangeRequest, name: str) -> str:
    """Return a name of a piece or a version, if it is one word."""
    name = name.strip().removesuffix(".md")
    if not name or not name.isprintable() or set(name) & _SIGNS or name.startswith("."):
        commit.access.stop(UsageError, "knowledge.name", name=name[:60])
    commit.fit(name)
    return name


def _require_evidence(commit: ChangeRequest, source: str) -> None:
    evidence = find_evidence(commit.config, source, commit.access.actor)
    if evidence.missing:
        commit.access.stop(RefusedError, "knowledge.no-evidence", why=evidence.missing)


def _next_number(known: Sequence[str]) -> str:
    numbers = [int(one) for one in known if one.isascii() and one.isdecimal()]
    return str(max(numbers, default=0) + 1)


def _set(document: Document, values: Mapping[str, FrontValue]) -> tuple[Edit, ...]:
    """Return the edits that set keys of the front matter; those that have the value already stay as they are."""
    front = document.front_matter
    old = front.values if front else {}
    return set_values(document, {key: value for key, value in values.items() if old.get(key) != value})


def _wrapped(text: str, head: Mapping[str, FrontValue], ending: str) -> str:
    """Return the text of a version file: front matter that tells when and why, and below it the piece as it was."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = ["---", *(front_line(key, value) for key, value in head.items() if value), "---", ""]
    return mark + ending.join(lines) + text.removeprefix(mark)


def _text(document: Document | None) -> str:
    return document.text if document else ""
