"""Sync: commit, fetch, merge, write, push. Git carries the commits; the pen writes every memory file.

Each step can be cut off at any moment. The memory is written before the branch points to the merged commit; a note in
the state folder names the change of the log that writes it, and the next sync finishes the merge if it was made.
"""

# What merges, writes and lints is imported where there is something to do: most syncs find nothing.
from __future__ import annotations

import datetime as dt
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import ConflictError, LockedError, MdmemError, PushRejectedError
from mdmem.git.authors import SYNC, actors_of, newest_transaction
from mdmem.git.checkout import Checkout, find_checkout, is_of_memory, named, stop
from mdmem.git.snapshot import changed_between, changed_files, commit_files, move_branch, new_commit, restore_index
from mdmem.git.sync_state import STATE, BegunMerge, SyncRecord, SyncResult, counted, read_record, write_record
from mdmem.messages.catalog import say
from mdmem.store import locks
from mdmem.store.git.program import run, talk
from mdmem.store.history.versions import TAKEN_IN, VersionStore, new_id
from mdmem.store.root import Root
from mdmem.store.walk import STATE_FOLDER
from mdmem.text.edit import Diagnostic

SyncProgress = Callable[[int, int, str], object]  # (steps done, all steps, the step)
_STEPS = ("commit", "fetch", "merge", "push")
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def sync(
    config: WorkspaceConfig, *, push: bool = True, dry_run: bool = False, progress: SyncProgress | None = None
) -> SyncResult:
    """Bring a memory and its remote to the same state; see `Workspace.sync`."""
    at = find_checkout(config)
    work = _Sync(config, push=push, progress=progress)
    if dry_run:
        return work.plan(at)
    if not os.path.exists(os.path.join(config.root, STATE_FOLDER, ".gitignore")):
        config.pen().begin()
    try:
        with Root(config.root) as root, locks.locked(root, [STATE], config.settings.store.lock_seconds):
            result = work.run(at)
    except LockedError as error:
        raise LockedError(say(config.lang, "sync.busy"), hint=say(config.lang, "sync.busy.hint")) from error
    except MdmemError as error:
        write_record(config, read_record(config)._replace(trouble=error.message))
        raise
    return result


class _Sync:
    """One sync: it begins again, a few times, when another machine or a writer here was faster."""

    def __init__(self, config: WorkspaceConfig, *, push: bool, progress: SyncProgress | None) -> None:
        self._config, self._push, self._progress = config, push, progress
        self._settings = config.settings.sync
        self._committed: set[str] = set()
        self._taken: set[str] = set()
        self._known: dict[str, str] = {}  # references to the remote's branch and their commits, before the push

    def run(self, at: Checkout) -> SyncResult:
        """Sync until both sides are the same.

        Raises:
            GitError: something stands in the way, or others were faster each time.
        """
        begun = time.time()
        for attempt in range(self._settings.tries):
            time.sleep(random.uniform(0, attempt * self._settings.wait_ms / 1000))  # noqa: S311 - no secret
            at = self._commit(self._finish(at))
            theirs = self._fetch(at)
            merged = self._merge(at, theirs)
            if merged is None:
                continue
            at = merged
            if stopped := self._stopped(at, theirs):
                return self._end(stopped, at, theirs, begun)
            if self._pushed(at, theirs):
                return self._end(self._result(at, theirs), at, at.head if self._push else theirs, begun)
        return stop(self._config, "sync.faster", count=self._settings.tries)

    def plan(self, at: Checkout) -> SyncResult:
        """Return what a sync would do; it fetches, and changes no file and no branch."""
        files = [path.removeprefix(at.prefix) for path in changed_files(self._config, at)]
        theirs = self._fetch(at)
        ahead, behind = counted(at.top, at.head, theirs)
        taken = changed_between(at, _base(at, theirs), theirs) if behind else []
        facts = {"files": len(files), "ahead": ahead + bool(files), "behind": behind, "remote": at.remote}
        names = tuple(one.path.removeprefix(at.prefix) for one in taken)
        return SyncResult("planned", say(self._config.lang, "sync.planned", **facts), "", tuple(files), names)

    def _commit(self, at: Checkout) -> Checkout:
        self._show("commit")
        record, newest = read_record(self._config), newest_transaction(self._config)
        made = commit_files(self._config, at, record.through)
        if made.head != at.head:
            changed = changed_between(made, at.head, made.head)
            self._committed.update(one.path.removeprefix(at.prefix) for one in changed)
            write_record(self._config, record._replace(through=newest))
        return made

    def _fetch(self, at: Checkout) -> str:
        """Return the last commit of the remote's branch, with its objects here; empty if it has no such branch.

        Raises:
            RemoteError: the remote cannot be reached, or asks for a password.
            GitError: its history was rewritten.
        """
        self._show("fetch")
        seconds = self._settings.seconds
        shown = talk(at.top, "ls-remote", "-q", at.remote, at.upstream, seconds=seconds, ssh=at.ssh).line
        theirs = shown.partition("\t")[0]
        self._known = _known_commits(at)
        synced = self._known.get(at.synced) or self._known.get(at.tracking, "")
        if theirs and theirs not in (at.head, synced):
            talk(at.top, *_FETCH, at.remote, f"+{at.upstream}:{at.fetched}", seconds=seconds, ssh=at.ssh)
            theirs = _commit_of(at, theirs) or _commit_of(at, at.fetched)
        is_here = synced != theirs and bool(synced) and _is_ancestor(at, synced, at.head)
        if is_here and not (theirs and _is_ancestor(at, synced, theirs)):
            stop(self._config, "sync.rewritten", remote=at.remote, branch=at.upstream.removeprefix("refs/heads/"))
        return theirs

    def _merge(self, at: Checkout, theirs: str) -> Checkout | None:
        """Take in the remote's commits; None if the sync begins again: something was committed or written first."""
        if not theirs or theirs == at.head or _is_ancestor(at, theirs, at.head):
            return at
        from mdmem.git.arrival import settle, write_files
        from mdmem.git.incoming import merge_commits

        self._show("merge")
        merged = merge_commits(self._config, at, theirs)
        if settle(self._config, merged):
            return None
        names = actors_of(at, at.head, theirs)
        begun = BegunMerge(at.head, theirs, merged.tree, new_id(dt.datetime.now().astimezone()))
        write_record(self._config, read_record(self._config)._replace(merge=begun))
        actor, reason = names[0] if len(names) == 1 else SYNC, f"{TAKEN_IN} {', '.join(names)}"
        try:
            write_files(self._config, merged.files, actor=actor, reason=reason, name=begun.transaction)
        except ConflictError:
            return None
        self._taken.update(merged.files)
        return self._joined(at, begun)

    def _finish(self, at: Checkout) -> Checkout:
        """Finish the merge of a sync that was killed after the pen had written its files.

        Without it, the files would be committed as ours, and what was merged would be merged a second time.
        """
        begun = read_record(self._config).merge
        if begun is None:
            return at
        self._config.pen().recover()
        with Root(self._config.root) as root:
            is_written = any(one.id == begun.transaction for one in VersionStore(root, 0).log())
        if is_written and not _is_ancestor(at, begun.theirs, at.head):
            # who has committed meanwhile has the merged text in the files: it is committed next
            tree = begun.tree if begun.ours == at.head else _tree_of(at, at.head)
            return self._joined(at, begun._replace(tree=tree))
        write_record(self._config, read_record(self._config)._replace(merge=None))
        return at

    def _joined(self, at: Checkout, merge: BegunMerge) -> Checkout:
        """Let the branch hold both sides' commits."""
        if _is_ancestor(at, at.head, merge.theirs) and merge.tree == _tree_of(at, merge.theirs):
            at = move_branch(at, merge.theirs, "sync: fast-forward")
        else:
            message = say(self._config.lang, "sync.merge", remote=at.remote)
            commit = new_commit(self._config, at, merge.tree, [at.head, merge.theirs], f"{message}\n", SYNC)
            at = move_branch(at, commit, "sync: merge")
        write_record(self._config, read_record(self._config)._replace(merge=None))
        restore_index(at)
        return at

    def _pushed(self, at: Checkout, theirs: str) -> bool:
        """Push what the remote lacks; False if another machine was faster."""
        if at.head != theirs and self._push:
            self._show("push")
            try:
                seconds = self._settings.seconds
                talk(at.top, *_PUSH, at.remote, f"{at.head}:{at.upstream}", seconds=seconds, ssh=at.ssh)
            except PushRejectedError:
                return False
        return True

    def _stopped(self, at: Checkout, theirs: str) -> SyncResult | None:
        """Return the result of a sync whose commits must not be pushed; None if they may."""
        if not self._push or at.head == theirs:
            return None
        from mdmem.git.judged import errors_between

        changed = changed_between(at, theirs, at.head) if theirs else []
        if others := [one.path for one in changed if not is_of_memory(self._config, at, one.path)]:
            return self._refused("sync.stopped-others", (), count=len(others), names=named(others))
        found = tuple(errors_between(self._config, at, theirs or _EMPTY_TREE, at.head))
        return self._refused("sync.stopped-findings", found, count=len(found)) if found else None

    def _refused(self, key: str, found: tuple[Diagnostic, ...], /, **facts: object) -> SyncResult:
        lang = self._config.lang
        message, hint = (say(lang, name, **facts) for name in (key, f"{key}.hint"))
        return SyncResult("stopped", message, hint, findings=found)

    def _result(self, at: Checkout, theirs: str) -> SyncResult:
        lang, waiting = self._config.lang, _waiting(self._config)
        if waiting:
            message, hint = (say(lang, key, count=waiting) for key in ("sync.conflicts", "sync.conflicts.hint"))
            return SyncResult("conflicts", message, hint, waiting=waiting)
        if not self._push and at.head != theirs:
            return SyncResult("kept", say(lang, "sync.kept", count=counted(at.top, at.head, theirs)[0]), "")
        key = "sync.same" if self._committed or self._taken or at.head != theirs else "sync.unchanged"
        facts = {"sent": len(self._committed), "taken": len(self._taken), "remote": at.remote}
        return SyncResult("same", say(lang, key, **facts), "")

    def _end(self, result: SyncResult, at: Checkout, synced: str, begun: float) -> SyncResult:
        """Record how far both sides agree, for the next sync, for `status` and for plain git."""
        if synced:
            names = (name for name in (at.synced, at.tracking) if self._known.get(name) != synced)
            updates = "".join(f"update {name} {synced}\n" for name in names)
            if updates:
                run(at.top, "update-ref", "--stdin", data=updates.encode())
        trouble = result.message if result.status == "stopped" else ""
        write_record(self._config, SyncRecord(begun, newest_transaction(self._config), trouble))
        sent, taken = tuple(sorted(self._committed)), tuple(sorted(self._taken))
        return replace(result, sent=sent, taken=taken)

    def _show(self, step: str) -> None:
        if self._progress:
            self._progress(_STEPS.index(step), len(_STEPS), say(self._config.lang, f"sync.step-{step}"))


def _waiting(config: WorkspaceConfig) -> int:
    """Return how many collisions wait in the inboxes; most hold none, which is seen without reading entries."""
    mark = f"[by:: {SYNC}@".encode()
    users = [one for one in config.everyone() if any(mark in data for data in _inboxes(one))]
    if not users:
        return 0
    from mdmem.git.arrival import waiting_collisions

    return sum(map(waiting_collisions, users))


def _inboxes(config: WorkspaceConfig) -> Iterator[bytes]:
    from mdmem.entries.inbox.items import inbox_files

    for path in inbox_files(config):
        with suppress(OSError), open(os.path.join(config.root, path), "rb") as file:
            yield file.read()


_PUSH = ("push", "-q", "--no-follow-tags", "--recurse-submodules=no")
_FETCH = ("fetch", "-q", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "--refmap=")


def _known_commits(at: Checkout) -> dict[str, str]:
    """Return the commits of the references that tell how far both sides agreed."""
    shown = run(at.top, "for-each-ref", "--format=%(refname) %(objectname)", at.synced, at.tracking).output
    return dict(line.split(" ", 1) for line in os.fsdecode(shown).splitlines())


def _commit_of(at: Checkout, name: str) -> str:
    """Return the commit that a name stands for; empty if there is none."""
    return run(at.top, "rev-parse", "-q", "--verify", f"{name}^{{commit}}", accept=(0, 1)).line if name else ""


def _tree_of(at: Checkout, commit: str) -> str:
    return run(at.top, "rev-parse", f"{commit}^{{tree}}").line


def _base(at: Checkout, theirs: str) -> str:
    return run(at.top, "merge-base", at.head, theirs, accept=(0, 1)).line or _EMPTY_TREE


def _is_ancestor(at: Checkout, one: str, other: str) -> bool:
    """Return whether a commit holds another one; the object of `one` may be gone."""
    return one == other or run(at.top, "merge-base", "--is-ancestor", one, other, accept=(0, 1)).code == 0
