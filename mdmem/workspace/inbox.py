"""What waits in inbox.md: entries that found no room, and changes that need somebody's word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mdmem.core.blake import blake2b
from mdmem.core.document import Document, Entry, parse
from mdmem.core.edit import Edit, apply_edits, smallest
from mdmem.core.entry import read_entry
from mdmem.core.intent import Note, add
from mdmem.core.key import entry_key
from mdmem.core.record import NamedTuple
from mdmem.core.similarity import essence
from mdmem.core.template import Template
from mdmem.errors import ConfigError, RefusedError
from mdmem.store.draft import Edits, Files
from mdmem.workspace.commit import Commit, Waiting, texts_of
from mdmem.workspace.config import Config
from mdmem.workspace.hunk import Hunk, fenced, hunks, read_hunk
from mdmem.workspace.words import say

# aliases that the shipped templates of both languages know
OVERFLOW, PROPOSALS = "overflow", "proposals"


class Item(NamedTuple):
    """One thing that waits."""

    key: str  # names it for accept and reject
    text: str  # what would be written, or who wants to change what
    to: str  # FILE or FILE#section
    by: str  # who proposes it; empty for an entry that found no room
    change: str  # the lines of a diff, for a change that is no new entry
    ticked: bool  # its checkbox is ticked: the user agrees

    @property
    def path(self) -> str:
        """The file that it belongs to."""
        return self.to.partition("#")[0]

    @property
    def section(self) -> str:
        """The section that it belongs to; empty where none was named."""
        return self.to.partition("#")[2]


def inbox_path(config: Config) -> str:
    """Give the inbox's path, as its template names it."""
    return inbox_template(config).files[0]


def inbox_template(config: Config) -> Template:
    """Give the template of the inbox; raises ConfigError where somebody has taken it away."""
    template = config.schemas.get("inbox")
    if template is None:
        raise ConfigError("there is no template of the kind `inbox`", hint="full sections and proposals need one")
    return template


def items(document: Document) -> Iterator[tuple[Entry, Item]]:
    """Read what waits: every outermost entry of the inbox that says where it belongs."""
    for entry in document.entries:
        parts = entry.parts
        to, by = parts.field("to"), parts.field("by")
        if entry.depth or to is None:
            continue
        hunk = read_hunk(document, entry)
        mark = parts.checkbox if by else None  # an overflowing entry's box is its own
        text = _bare(entry.text, mark.end if mark else 0)
        text = text.removesuffix(f"^{parts.id}").rstrip() if hunk else text
        change = "\n".join(hunk.lines) if hunk else ""
        key = parts.id or entry_key(entry.text)
        yield entry, Item(key, text, to.value, by.value if by else "", change, bool(mark and parts.done))


def put(
    commit: Commit,
    files: Files,
    texts: Sequence[str],
    where: str,
    to: str,
    by: str = "",
    fields: Mapping[str, str] = {},
) -> Edits:
    """Make the edits that let entries wait; one that waits there already is not added again."""
    path = inbox_path(commit.config)
    document = files[path]
    template = commit.template(path, document) or inbox_template(commit.config)
    said = [(essence(item.text), item.to) for _, item in items(document)] if document else []
    new = [text for text in texts if (essence(_bare(text, 0)), to) not in said]
    if len(new) < len(texts):
        commit.note(path, Note("waits-already", {"inbox": path}))
    named = {**fields, "to": to} | ({"by": by} if by else {})
    marked = [f"[ ] {text}" if by else text for text in new]
    return {path: add(document, template, marked, section=where, fields=named).edits} if marked else {}


def belongs(path: str, section: str) -> str:
    """Name where an entry belongs: FILE or FILE#section."""
    return f"{path}#{section}" if section else path


def overflow(commit: Commit, files: Files, path: str, section: str, full: Note) -> Edits:
    """Let the entries that a section has no room for wait, and remember to say so (law 7)."""
    inbox, texts = inbox_path(commit.config), texts_of(full)
    name = inbox_template(commit.config).name(OVERFLOW) or OVERFLOW
    where = full.facts["section"] or section or path
    facts = {"section": where, "max": full.facts["max"], "count": len(texts), "inbox": inbox, "waiting": name}
    commit.waiting = Waiting(inbox, "overflow", facts)
    return put(commit, files, texts, OVERFLOW, belongs(path, section))


def propose(commit: Commit, files: Files, edits: Edits) -> Edits:
    """Let the changes of files that need somebody's word wait as diffs in the inbox; the others go on."""
    out = {path: own for path, own in edits.items() if not commit.access.waits(path)}
    return _propose(commit, files, edits, out) if len(out) < len(edits) else edits


def propose_all(commit: Commit, files: Files, edits: Edits) -> Edits:
    """Let all changes wait as diffs in the inbox, whoever makes them."""
    return _propose(commit, files, edits, {}) if edits else edits


def _propose(
    commit: Commit, files: Files, edits: Edits, out: dict[str, Sequence[Edit] | None]
) -> Edits:  # fmt: skip
    """Write the changes that are not in `out` as proposals."""
    inbox = inbox_path(commit.config)
    first = files[inbox]
    document = first
    for path in sorted(edits.keys() - out.keys()):
        own, before = edits[path], files[path]
        if own is None:
            commit.access.stop(RefusedError, "only-user", path)
        commit.gate.examine(path, before, own)
        old = before.text if before else ""
        for hunk in hunks(old, apply_edits(old, own)):
            document = _with_proposal(commit, document, path, hunk)
            commit.waiting = waiting(commit, path)
    if document is not None and (first is None or document.text != first.text):
        out[inbox] = smallest(first.text if first else "", document.text)
    return out


def waiting(commit: Commit, path: str) -> Waiting:
    """Say that a file's change waits, and for whom."""
    inbox = inbox_path(commit.config)
    template = commit.template(path, None)
    key = "proposed" if template and template.confirm == "user" else "proposed-agent"
    name = inbox_template(commit.config).name(PROPOSALS) or PROPOSALS
    return Waiting(inbox, key, {"path": path, "inbox": inbox, "waiting": name})


def _with_proposal(commit: Commit, document: Document | None, path: str, hunk: Hunk) -> Document:
    """Give the inbox with one more proposal; one that waits already is not proposed again."""
    most = commit.config.settings.lint.max_code_lines
    if len(hunk.lines) > most:
        commit.access.stop(RefusedError, "long-proposal", path, lines=len(hunk.lines), max=most)
    name = blake2b("\n".join((path, *hunk.lines)).encode("utf-8", "surrogateescape"), digest_size=3).hexdigest()
    if document and any(entry.parts.id == name for entry in document.entries):
        return document
    day, actor = commit.config.day, commit.access.actor
    said = say(commit.lang, "proposal", actor=actor, path=path, day=day)
    template = commit.template(inbox_path(commit.config), document) or inbox_template(commit.config)
    fields = {"to": path, "by": actor}
    (edit,) = add(document, template, [f"[ ] {said} ^{name}"], section=PROPOSALS, fields=fields).edits
    line = next(line for line in edit.new.split("\n") if line.rstrip("\r").endswith(f"^{name}")).rstrip("\r")
    block = fenced(hunk, line.index("[ ] ")).replace("\n", parse(edit.new.encode()).lines.ending)
    new = edit._replace(new=edit.new.replace(line, line + block, 1))
    old = document.text if document else ""
    return parse(apply_edits(old, [new]).encode("utf-8", "surrogateescape"))


def _bare(text: str, start: int) -> str:
    """Give an entry's text without the fields that only say where it belongs and who proposes it."""
    fields = [field.span for field in read_entry(text).fields if field.key in ("to", "by")]
    for span in reversed(fields):
        begin = len(text[: span.start].rstrip(" "))
        text = text[:begin] + text[span.end :]
    return text[start:].strip()
