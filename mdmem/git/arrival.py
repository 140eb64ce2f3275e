"""Writes the changes of the remote's commits into the memory with the pen, and collisions into the inbox.

The pen holds the locks, keeps the versions, and merges what an agent or an editor wrote in between. What one rule
refuses, as a secret, is refused here too: then nothing is changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from mdmem.config.inbox_sections import OVERFLOW, PROPOSALS
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits import remove
from mdmem.entries.inbox.items import hunk_of, inbox_files, items
from mdmem.entries.inbox.proposals import InboxDraft, add_proposal, inbox_edits, target_label
from mdmem.entries.read import live_bytes
from mdmem.errors import ConflictError, RefusedError
from mdmem.formats.limits import section_fills, size
from mdmem.formats.paths import user_of
from mdmem.formats.template import Template
from mdmem.git.authors import SYNC, machine_name
from mdmem.git.incoming import IncomingFile, MergedCommits, SeenCollision
from mdmem.git.judged import is_unsafe, new_errors
from mdmem.git.merge_file import merge_memory
from mdmem.messages.catalog import say
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, Entry, parse
from mdmem.text.edit import Edit, smallest
from mdmem.text.similarity import comparison_key


def write_files(
    config: WorkspaceConfig, files: Mapping[str, IncomingFile], *, actor: str, reason: str, name: str
) -> None:
    """Write the files as one change; what was written here since our last commit is merged.

    Args:
        config: the workspace.
        files: what becomes of each.
        actor: who made the changes, for the log.
        reason: why, for the log.
        name: the id of the transaction.

    Raises:
        ConflictError: it was, and it touches the same text: commit it and merge again.
        RefusedError: a file holds what no file may hold.
    """
    for path, one in files.items():
        if worst := next(filter(is_unsafe, new_errors(config, path, one.before, one.after)), None):
            message = say(config.lang, "sync.unsafe", message=worst.message, code=worst.code)
            raise RefusedError(message, hint=say(config.lang, "sync.unsafe.hint"), path=path, line=worst.line)

    def change(drafts: DraftFiles) -> Edits:
        return {path: _edits(config, path, drafts[path], one) for path, one in sorted(files.items())}

    programs = {path: one.program for path, one in files.items() if one.program is not None}
    pen = config.pen()
    pen.commit(change, actor=actor, reason=reason, name=name, paths=sorted(files), programs=programs, any_size=True)


def settle(config: WorkspaceConfig, merged: MergedCommits) -> int:
    """Put collisions, and entries for which the merged file has no room, into the inbox; return how many are new.

    Ours leave their file only once they stand in the inbox: the caller commits that and merges again.
    """
    return sum(
        _settle(config, user, merged, [one for one in merged.collisions if user_of(one.path) == user])
        for user in sorted({user_of(path) for path in (*merged.files, *(one.path for one in merged.collisions))})
    )


def waiting_collisions(config: WorkspaceConfig) -> int:
    """Return how many collisions wait in the inbox."""
    found = (parse(data) for path in inbox_files(config) if (data := live_bytes(config, path)))
    return sum(item.by.startswith(f"{SYNC}@") for document in found for _, item in items(document))


def _settle(config: WorkspaceConfig, user: str, merged: MergedCommits, collisions: Sequence[SeenCollision]) -> int:
    request, new = _request(config, user), 0
    crowded = {
        path: _beyond_caps(request, path, one)
        for path, one in merged.files.items()
        if user_of(path) == user and one.before and one.after
    }

    def change(drafts: DraftFiles) -> Edits:
        nonlocal new
        draft = InboxDraft(request, drafts, (one.ours for one in collisions))
        known = len(draft.waiting)
        for one in collisions:
            _propose(request, draft, one)
        new = len(draft.waiting) - known
        return draft.edits()

    if collisions:
        request.run(change)
    for path, texts in crowded.items():
        for section, own in texts:
            new += len(own)
            _move_to_inbox(config, user, path, section, own)
    return new


def _request(config: WorkspaceConfig, user: str) -> ChangeRequest:
    return ChangeRequest(config.of(user), SYNC, SYNC, "", confirm=True)


def _edits(config: WorkspaceConfig, path: str, live: Document | None, one: IncomingFile) -> Sequence[Edit] | None:
    """Return the edits of a file; what was written here since our last commit is merged as commits are."""
    data = live.to_bytes() if live else None
    after = one.after
    if data not in (one.before, after):
        if live is None or after is None:
            raise _late(path)
        merged = merge_memory(
            os.path.join(config.root, path), parse(one.before or b""), live, parse(after), lambda clash: clash.theirs
        )
        if merged is None or merged.conflicts:
            raise _late(path)
        after = merged.text.encode("utf-8", "surrogateescape")
    if after is None:
        return None
    return smallest(live.text if live else "", after.decode("utf-8", "surrogateescape"))


def _late(path: str) -> ConflictError:
    return ConflictError(
        "changed since you read it, and both changes affect the same text",
        hint="read it again, then repeat the change on the current text",
        path=path,
    )


def _propose(request: ChangeRequest, draft: InboxDraft, one: SeenCollision) -> None:
    """Add a collision as a proposal: accepting it takes our text, rejecting it leaves theirs.

    A long one is shown in parts, without the lines that both sides have.
    """
    theirs, ours = one.theirs.splitlines(), one.ours.splitlines()
    machine, most = machine_name(request.config), request.config.settings.lint.max_code_lines
    key = "both" if ours and theirs else "removed-there" if ours else "removed-here"
    sentence = say(request.lang, f"sync.collision-{key}", path=one.path, machine=machine, day=request.config.day)
    fields = {"to": target_label(one.path, "" if theirs else one.section), "by": f"{SYNC}@{machine}"}
    if not theirs and len(ours) == 1 and (entry := next(iter(parse(one.ours.encode()).entries), None)):
        waiting = [(comparison_key(item.text), item.to) for item in draft.waiting]
        if (comparison_key(entry.text), fields["to"]) not in waiting:
            draft.add([f"[ ] {entry.text}"], PROPOSALS, fields)
        return
    rows = [*(f"-{line}" for line in theirs), *(f"+{line}" for line in ours)]
    if len(rows) > most:
        rows = [row for row in rows if row[1:] not in (theirs if row[0] == "+" else ours)]
    for at in range(0, len(rows), most):
        add_proposal(request, draft, one.path, hunk_of(rows[at : at + most]), sentence, fields)


def _beyond_caps(request: ChangeRequest, path: str, one: IncomingFile) -> list[tuple[str, list[str]]]:
    """Return the entries of ours, by section, for which a merged file has no room: the last ones that theirs lacks."""
    before, after = parse(one.before or b""), parse(one.after or b"")
    template = request.template(path, after)
    if template is None or template.body != "markdown":
        return []
    return [(name, texts) for name, texts in _crowded(before, after, template) if texts]


def _crowded(before: Document, after: Document, template: Template) -> Iterator[tuple[str, list[str]]]:
    """Yield each section that only both sides together have filled beyond its cap, with the entries of ours to move."""
    for old, new in zip(section_fills(before, template), section_fills(after, template), strict=True):
        if new.over and not old.over:
            own = [entry.text for part in old.sections for entry in part.entries if not entry.depth]
            yield old.spec.name, own[-(new.number - (new.spec.entries.max or 0)) :]
    most = template.file.max_entries
    if most is not None and size(after).entries > most >= size(before).entries:
        own = [entry.text for entry in before.entries if not entry.depth]
        yield "", own[-(size(after).entries - most) :]


def _move_to_inbox(config: WorkspaceConfig, user: str, path: str, section: str, texts: Sequence[str]) -> None:
    """Move entries of a file to the inbox, where they wait for room."""
    request = _request(config, user)

    def change(drafts: DraftFiles) -> Edits:
        document = drafts[path]
        gone: list[Entry] = [entry for entry in document.entries if entry.text in texts] if document else []
        if document is None or not gone:
            return {}
        moved = [entry.text for entry in gone]
        return {
            **inbox_edits(request, drafts, moved, OVERFLOW, target_label(path, section)),
            path: remove(document, gone).edits,
        }

    request.run(change)
