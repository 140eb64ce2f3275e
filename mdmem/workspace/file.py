"""The journeys over whole files: another name, and away; both are commits, and `undo` takes them back."""

from __future__ import annotations

from mdmem.core.edit import Edit
from mdmem.errors import RefusedError, TargetError
from mdmem.store.draft import Edits, Files
from mdmem.workspace.archive import archive_file
from mdmem.workspace.commit import Commit
from mdmem.workspace.outcome import Outcome
from mdmem.workspace.words import say


def rename_file(commit: Commit, path: str, new: str) -> Outcome:
    """Give a file another name; see `Workspace.rename`."""
    path, new = commit.path(path), commit.path(new)
    _may_move(commit, path)
    _may_move(commit, new)
    commit.new(new)

    def change(files: Files) -> Edits:
        document = commit.document(files, path)
        if files[new] is not None:
            commit.access.stop(TargetError, "exists", new)
        return {path: None, new: (Edit.insert(0, document.text),)}

    commit.run(change)
    return commit.outcome(say(commit.lang, "renamed", path=path, new=new), new)


def delete_file(commit: Commit, path: str) -> Outcome:
    """Take a file away, and what it says into the archive; see `Workspace.delete`."""
    path = commit.path(path)
    _may_move(commit, path)

    def change(files: Files) -> Edits:
        return {path: None, **archive_file(commit, files, path, commit.document(files, path))}

    commit.run(change)
    return commit.outcome(say(commit.lang, "deleted", path=path), path, say(commit.lang, "deleted.hint"))


def _may_move(commit: Commit, path: str) -> None:
    """Leave the archive to the user, and what changes only with the user's word: a proposal would show nothing."""
    archived = commit.access.kind(path) == "archive" and not commit.access.is_person
    if archived or commit.access.waits(path):
        commit.access.stop(RefusedError, "only-user", path)
