"""The inbox: entries without room and proposed changes, each with its target; a change is shown as a diff.

A proposed change is a ```diff block below its entry: removed lines, added lines, and context. The block itself is
applied when the user accepts, so nothing is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from hashlib import blake2b
from itertools import islice

from mdmem.config.inbox_sections import OVERFLOW, PROPOSALS
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest, PendingConfirmation, note_texts
from mdmem.entries.edits import EditNote, add, remove
from mdmem.entries.inbox.items import (
    Hunk,
    InboxItem,
    bare_text,
    full_files,
    hunk_of,
    inbox_files,
    inbox_path,
    inbox_template,
    items,
)
from mdmem.entries.inbox.waiting_corrections import read_corrections
from mdmem.entries.read import live_bytes
from mdmem.errors import RefusedError, TargetError
from mdmem.messages.catalog import say
from mdmem.store.history.versions import VersionStore
from mdmem.store.root import Root
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, Entry, parse
from mdmem.text.edit import Edit, apply_edits, smallest
from mdmem.text.entry import read_entry
from mdmem.text.similarity import comparison_key
from mdmem.text.spans import Lines

_FIELDS = 256  # bytes of an entry's fields, its bullet and its fence
_AROUND = (1, 2, 4, 8)  # lines of context; the smallest number that makes the location unique is used


def earlier_proposals(config: WorkspaceConfig, most: int) -> frozenset[str]:
    """Return the comparison keys of the texts that stood in the inbox before or after its newest changes.

    Args:
        config: the workspace.
        most: the number of changes to look at.
    """
    return frozenset(
        comparison_key(read_entry(entry.text).body.of(entry.text))
        for document in _earlier_inboxes(config, most)
        for entry in document.entries
    )


def earlier_corrections(config: WorkspaceConfig, most: int) -> frozenset[tuple[str, ...]]:
    """Return the corrections that are in the inbox, or were in it before or after its newest changes.

    Each is the path of a line, the comparison key of its text, the fact that says what holds now, and the key of that.
    """
    return frozenset(
        (*line, one.fact, comparison_key(one.now))
        for document in _known_inboxes(config, most)
        for _, line, one in read_corrections(document)
    )


def earlier_items(config: WorkspaceConfig, most: int) -> tuple[InboxItem, ...]:
    """Return the items that wait in the inbox, or waited in it before or after its newest changes."""
    return tuple(item for document in _known_inboxes(config, most) for _, item in items(document))


def _known_inboxes(config: WorkspaceConfig, most: int) -> list[Document]:
    """Return the inbox as it is, and as it was before and after its newest changes."""
    now = [parse(data) for path in inbox_files(config) if (data := live_bytes(config, path))]
    return [*now, *_earlier_inboxes(config, most)]


def _earlier_inboxes(config: WorkspaceConfig, most: int) -> list[Document]:
    """Return the versions of the inbox before and after its newest changes."""
    with Root(config.root) as root:
        store, places = VersionStore(root, 0), {root.resolve(path) for path in inbox_files(config)}
        files = (file for one in store.log() for file in one.files if file.path in places)
        digests = {digest for file in islice(files, most) for digest in (file.before, file.after) if digest}
        return [parse(data) for data in map(store.read, digests) if data]


def hunks(before: str, after: str) -> list[Hunk]:
    """Split a change into hunks that can be applied one by one."""
    old, new = _split(before), _split(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    found: list[Hunk] = []
    for around in (*_AROUND, len(old)):
        found = [_hunk(old, new, group) for group in matcher.get_grouped_opcodes(around)]
        if all(len(_places(old, one.old)) == 1 for one in found):
            break
    return found


def apply(document: Document, hunk: Hunk) -> Edit:
    """Return the edit that applies a hunk, with the file's own line endings.

    Raises:
        TargetError: its lines no longer occur, or occur more than once.
    """
    lines, text = document.lines, document.text
    rows = _split(text)
    found = _places(rows, hunk.old)
    if len(found) != 1:
        raise TargetError("the lines of the proposal must occur exactly once in the file", count=len(found))
    first, last = found[0], found[0] + len(hunk.old) - 1
    if not hunk.old:
        return Edit.insert(document.start, "".join(f"{row}{lines.ending}" for row in hunk.new))
    span = lines.full(first, last)
    new = "".join(f"{row}{lines.ending}" for row in hunk.new)
    return Edit(span, new if text[: span.end].endswith(("\n", "\r")) else new.removesuffix(lines.ending))


def fenced(hunk: Hunk, indent: int) -> str:
    """Return a hunk as a fenced block below an entry whose text begins at column `indent`."""
    longest = max(map(len, re.findall("`+", "\n".join(hunk.lines))), default=0)
    fence = "`" * max(3, longest + 1)
    return "".join(f"\n{' ' * indent}{line}" for line in (f"{fence}diff", *hunk.lines, fence))


def _places(rows: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the lines at which `wanted` occurs in a file; no lines at all match only an empty file."""
    if not wanted:
        return [0] if not any(rows) else []
    last = len(rows) - len(wanted)
    same = [at for at in range(last + 1) if list(rows[at : at + len(wanted)]) == list(wanted)]
    if same:
        return same
    bare = [row.rstrip() for row in wanted]  # an editor may have trimmed lines of the inbox
    return [at for at in range(last + 1) if [row.rstrip() for row in rows[at : at + len(wanted)]] == bare]


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[tuple[str, int, int, int, int]]) -> Hunk:
    rows: list[str] = []
    for kind, begin, end, new_begin, new_end in group:
        if kind == "equal":
            rows += [f" {line}" for line in old[begin:end]]
        else:
            rows += [f"-{line}" for line in old[begin:end]] + [f"+{line}" for line in new[new_begin:new_end]]
    return hunk_of(rows)


def _split(text: str) -> list[str]:
    lines = Lines(text)
    return [lines.text(line) for line in range(len(lines))] if text else []


class InboxDraft:
    """The inbox as a change will leave it; a file without room is moved aside whole, and an empty one follows it."""

    def __init__(self, commit: ChangeRequest, files: DraftFiles, texts: Iterable[str]) -> None:
        """Bind to a change that will add texts."""
        config = commit.config
        self.path = inbox_path(config)
        found = {path: one for path in inbox_files(config) if (one := files[path])}
        self.document = self._first = found.pop(self.path, None)
        self._full: dict[str, tuple[Document | None, Document]] = {path: (one, one) for path, one in found.items()}
        self._aside = ""
        added = sum(len(text.encode("utf-8", "surrogateescape")) + _FIELDS for text in texts)
        if self._first and len(self._first.to_bytes()) + added > config.settings.lint.max_bytes:
            self._aside = next((path for path in full_files(config) if files[path] is None), "")
            if self._aside:
                self._full[self._aside] = None, self._first
                self.document = None
        self.template = commit.template(self.path, self.document) or inbox_template(config)

        self._keys: set[str] | None = None

    @property
    def waiting(self) -> list[InboxItem]:
        """The items of all its files."""
        now = (self.document, *(after for _, after in self._full.values()))
        return [item for one in now if one for _, item in items(one)]

    @property
    def keys(self) -> set[str]:
        """The keys of the items; read once, and whoever adds an item adds its key."""
        if self._keys is None:
            self._keys = {item.key for item in self.waiting}
        return self._keys

    def add(
        self, texts: Sequence[str], section: str, fields: Mapping[str, str], below: Callable[[Edit], Edit] | None = None
    ) -> None:
        """Add entries to a section; `below` adds to the edit what stands below them."""
        edits = add(self.document, self.template, texts, section=section, fields=fields).edits
        self.document = _edited(self.document, [below(one) for one in edits] if below else edits)

    def drop(self, gone: Callable[[Document], Sequence[Entry]]) -> None:
        """Remove entries, of all its files."""
        self._keys = None
        if self.document:
            self.document = _without(self.document, gone)
        self._full = {path: (before, _without(after, gone)) for path, (before, after) in self._full.items()}

    def edits(self, difference: Callable[[str, str], Sequence[Edit]] = smallest) -> Edits:
        """Return the edits of the files that change."""
        pairs = {self.path: (self._first, self.document), **self._full}
        texts = {path: tuple(one.text if one else "" for one in pair) for path, pair in pairs.items()}
        return {
            path: difference(old, new)
            for path, (old, new) in texts.items()
            if old != new or (pairs[path][0] is None and pairs[path][1] is not None)
        }


def _without(document: Document, gone: Callable[[Document], Sequence[Entry]]) -> Document:
    entries = gone(document)
    return _edited(document, remove(document, entries).edits) if entries else document


def _edited(document: Document | None, edits: Sequence[Edit]) -> Document:
    new = apply_edits(document.text if document else "", edits)
    return parse(new.encode("utf-8", "surrogateescape"))


def inbox_edits(
    commit: ChangeRequest,
    files: DraftFiles,
    texts: Sequence[str],
    where: str,
    to: str,
    by: str = "",
    fields: Mapping[str, str] = {},
) -> Edits:
    """Return the edits that add entries to the inbox; entries already waiting are not added again."""
    draft = InboxDraft(commit, files, texts)
    waiting = [(comparison_key(item.text), item.to) for item in draft.waiting]
    new = [text for text in texts if (comparison_key(bare_text(text, 0)), to) not in waiting]
    if len(new) < len(texts):
        commit.note(draft.path, EditNote("waits-already", {"inbox": draft.path}))
    named = {**fields, "to": to} | ({"by": by} if by else {})
    if new:
        draft.add([f"[ ] {text}" if by else text for text in new], where, named)
    return draft.edits()


def target_label(path: str, section: str) -> str:
    """Return the target of an entry: FILE or FILE#section."""
    return f"{path}#{section}" if section else path


def overflow_to_inbox(commit: ChangeRequest, files: DraftFiles, path: str, section: str, full: EditNote) -> Edits:
    """Return the edits that put overflowing entries into the inbox, and mark the change as waiting (law 7)."""
    inbox, texts = inbox_path(commit.config), note_texts(full)
    name = inbox_template(commit.config).name(OVERFLOW) or OVERFLOW
    where = full.facts["section"] or section or path
    facts = {"section": where, "max": full.facts["max"], "count": len(texts), "inbox": inbox, "waiting": name}
    commit.waiting = PendingConfirmation(inbox, "pen.overflow", facts)
    return inbox_edits(commit, files, texts, OVERFLOW, target_label(path, section))


def propose(commit: ChangeRequest, files: DraftFiles, edits: Edits) -> Edits:
    """Put the changes of files that need approval into the inbox as diffs; keep the others."""
    out = {path: own for path, own in edits.items() if not commit.access.waits(path)}
    return _propose(commit, files, edits, out) if len(out) < len(edits) else edits


def propose_all(commit: ChangeRequest, files: DraftFiles, edits: Edits) -> Edits:
    """Put all changes into the inbox as diffs, whoever makes them."""
    return _propose(commit, files, edits, {}) if edits else edits


def _propose(
    commit: ChangeRequest, files: DraftFiles, edits: Edits, out: dict[str, Sequence[Edit] | None]
) -> Edits:  # fmt: skip
    """Write the changes that are not in `out` as proposals."""
    found: list[tuple[str, Hunk]] = []
    for path in sorted(edits.keys() - out.keys()):
        own, before = edits[path], files[path]
        if own is None:
            commit.access.stop(RefusedError, "pen.only-user", path)
        commit.gate.examine(path, before, own)
        old = before.text if before else ""
        found += [(path, hunk) for hunk in hunks(old, apply_edits(old, own))]
    draft = InboxDraft(commit, files, ("\n".join(hunk.lines) for _, hunk in found))
    for path, hunk in found:
        sentence = say(commit.lang, "pen.proposal", actor=commit.access.actor, path=path, day=commit.config.day)
        add_proposal(commit, draft, path, hunk, sentence)
        commit.waiting = pending_confirmation(commit, path)
    return {**out, **draft.edits()}


def pending_confirmation(commit: ChangeRequest, path: str) -> PendingConfirmation:
    """Return the message that a file's change waits, and for whom."""
    inbox = inbox_path(commit.config)
    template = commit.template(path, None)
    key = "pen.proposed" if template and template.confirm == "user" else "pen.proposed-agent"
    name = inbox_template(commit.config).name(PROPOSALS) or PROPOSALS
    return PendingConfirmation(inbox, key, {"path": path, "inbox": inbox, "waiting": name})


def add_proposal(
    commit: ChangeRequest, draft: InboxDraft, path: str, hunk: Hunk, sentence: str, more: Mapping[str, str] = {}
) -> None:
    """Add one more proposal to the inbox; a proposal that already waits is not added again.

    Args:
        commit: the change in which it is written.
        draft: the inbox.
        path: the file that it changes.
        hunk: the change.
        sentence: what it is, for the person.
        more: further fields of the item.

    Raises:
        RefusedError: the change has too many lines.
    """
    most = commit.config.settings.lint.max_code_lines
    if len(hunk.lines) > most:
        commit.access.stop(RefusedError, "pen.long-proposal", path, lines=len(hunk.lines), max=most)
    name = blake2b("\n".join((path, *hunk.lines)).encode("utf-8", "surrogateescape"), digest_size=3).hexdigest()
    if name in draft.keys:
        return
    draft.keys.add(name)

    def with_hunk(edit: Edit) -> Edit:
        line = next(line for line in edit.new.split("\n") if line.rstrip("\r").endswith(f"^{name}")).rstrip("\r")
        block = fenced(hunk, line.index("[ ] ")).replace("\n", parse(edit.new.encode()).lines.ending)
        return edit._replace(new=edit.new.replace(line, line + block, 1))

    draft.add([f"[ ] {sentence} ^{name}"], PROPOSALS, {"to": path, "by": commit.access.actor, **more}, with_hunk)
