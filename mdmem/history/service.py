"""The namespace of the history: log, diff, undo, recovery, and whether mdmem's own folder is sound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn, TypeAlias

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import PERSONS, AccessPolicy
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.model import Outcome, diff
from mdmem.entries.tombstones import PATH
from mdmem.errors import ConflictError, MdmemError, TargetError
from mdmem.messages.catalog import say
from mdmem.messages.errors import in_language
from mdmem.store.capabilities import abilities
from mdmem.store.history.versions import EDITOR, FORGET, PRUNE, Transaction, VersionStore, WrittenFile
from mdmem.store.journal import ASIDE, Journal
from mdmem.store.root import Root, read
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, smallest
from mdmem.text.merge import merge

if TYPE_CHECKING:
    from mdmem.history.provenance import Provenance

_LISTED = 20  # damaged versions that are named; more would bury the advice


CheckState: TypeAlias = Literal["good", "weaker", "bad"]


class History:
    """The namespace `Workspace.history`: the changes that mdmem made, and what brings them back or explains them."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    def log(self, path: str | None = None, *, limit: int | None = None) -> tuple[Transaction, ...]:
        """Return the changes that mdmem made, newest first.

        Args:
            path: only those of this file, POSIX from the root.
            limit: at most so many.
        """
        return log(self._config, path, limit)

    def diff(self, name: str | None = None) -> str:
        """Return what a change did, or what has become of files since mdmem wrote them, as a unified diff.

        Args:
            name: the id of a change, its beginning or its end; a file's path; None for every file.

        Raises:
            TargetError: there is neither such a change nor such a file in the history.
        """
        return show_diff(self._config, name)

    def undo(self, name: str | None = None, *, dry_run: bool = False, actor: str = "user", reason: str = "") -> Outcome:
        """Take a change back by another one; what was written since stays.

        Args:
            name: its id; None for the newest that stands, for an agent the newest of its own. Taking back a taking
                back does the change again.

        Raises:
            ConflictError: the same place was changed since.
            TargetError: there is no such change, or its versions are no longer kept.

        >>> Workspace("workspace").history.undo(dry_run=True).message
        """
        return undo(self._config, name, actor=actor, reason=reason, dry_run=dry_run)

    def recover(self) -> tuple[Transaction, ...]:
        """Finish what crashed processes left half done, and bring home saves that came too late.

        Every write does so for the files that it touches; this does it for all.
        """
        return recover(self._config)

    def doctor(self) -> tuple[DoctorCheck, ...]:
        """Check what the pen can promise on this file system, and whether settings, history and journal are sound.

        Reads the whole history; writes a probe into the state folder and removes it.
        """
        return doctor(self._config)

    def why(self, name: str, *, actor: str = "user") -> Provenance:
        """Trace an entry of any memory file to its evidence: who wrote it when and why, from what (G066).

        Args:
            name: its `^id`, its key, or a piece of its text.
            actor: who asks.

        Raises:
            TargetError: no entry is meant, or more than one; `candidates` are those.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").history.why("原始文件一个字节也不动").evidence[0].said
        """
        from mdmem.history.provenance import why  # reads sessions and tool runs, which the history does not need

        return why(self._config, name, actor)


class DoctorCheck(NamedTuple):
    """One thing that was looked at."""

    name: str
    state: CheckState  # weaker: a promise that does not hold here
    message: str
    hint: str = ""


def doctor(config: WorkspaceConfig) -> tuple[DoctorCheck, ...]:
    """Look at everything that the pen stands on; see `Workspace.history.doctor`."""
    checks = [_settings(config)]
    with Root(config.root) as root:
        for name, there in abilities(root)._asdict().items():
            state: CheckState = "good" if there else "bad" if name == "locks" else "weaker"
            checks.append(_check(config, f"can-{name}", state))
        history = VersionStore(root, config.settings.store.lock_seconds)
        damaged = history.check()
        sizes = [history.size(digest) for digest in history.objects()]
        journal = Journal(root)
        left, aside = len(journal.pending()), len(journal.aside())
    store = config.settings.store
    facts = {"count": len(sizes), "bytes": sum(sizes), "days": store.keep_days, "most": store.keep_bytes}
    checks.append(_check(config, "history", "good", **facts))
    checks += [_check(config, f"damaged-{one.what}", "bad", item=one.name) for one in damaged[:_LISTED]]
    if left:
        checks.append(_check(config, "unfinished", "bad", count=left))
    if aside:
        checks.append(_check(config, "aside", "bad", count=aside, folder=ASIDE))
    return tuple(checks)


def recover(config: WorkspaceConfig) -> tuple[Transaction, ...]:
    """Finish what crashed processes left; see `Workspace.history.recover`."""
    return config.pen().recover()


def _settings(config: WorkspaceConfig) -> DoctorCheck:
    try:
        on = config.settings.memory.enabled
        for kind in config.schemas.kinds:
            config.schemas.languages(kind)
    except MdmemError as raised:
        error = in_language(raised, config.spoken)
        return DoctorCheck("settings", "bad", str(error), error.hint)
    return _check(config, "settings" if on else "settings-off", "good")


def _check(config: WorkspaceConfig, name: str, state: CheckState, **facts: object) -> DoctorCheck:
    hint = "" if state == "good" else say(config.lang, f"pen.doctor-{name}.hint", **facts)
    return DoctorCheck(name, state, say(config.lang, f"pen.doctor-{name}", **facts), hint)


_SHOWN = 15  # candidates that a message lists


@contextmanager
def open_history(config: WorkspaceConfig) -> Iterator[VersionStore]:
    """Open the history of a workspace for reading."""
    with Root(config.root) as root:
        yield VersionStore(root, config.settings.store.lock_seconds)


def log(config: WorkspaceConfig, path: str | None, limit: int | None) -> tuple[Transaction, ...]:
    """Return the changes, newest first; see `Workspace.history.log`."""
    with open_history(config) as history:
        found = (one for one in history.log() if path is None or _concerns(one, path))
        return tuple(islice(found, limit))


def _concerns(one: Transaction, path: str) -> bool:
    """Return whether a transaction changed a file, or says why it was left as it is."""
    return any(file.path == path for file in one.files) or (not one.files and path in one.reason)


def show_diff(config: WorkspaceConfig, name: str | None) -> str:
    """Return what a transaction did, or what happened to a file since mdmem wrote it; see `Workspace.history.diff`."""
    with open_history(config) as history:
        if name is None or not matching(history, name):
            return _since(config, history, name)
        kept = {one.path: _both(history, one) for one in _named(config, history, name).files}
    there = {path: versions for path, versions in kept.items() if versions}  # what is gone, nobody can show
    return diff(
        {path: before for path, (before, _) in there.items()}, {path: after for path, (_, after) in there.items()}
    )


def undo(config: WorkspaceConfig, name: str | None, *, actor: str, reason: str, dry_run: bool) -> Outcome:
    """Take a transaction back by another one; see `Workspace.history.undo`."""
    own = "" if actor in PERSONS else actor
    with open_history(config) as history:
        target = _named(config, history, name) if name else _last(config, history, own)
        kept = {one.path: _both(history, one) for one in target.files}
    if not target.files:
        raise TargetError(say(config.lang, "pen.nothing-to-undo"))
    if _forgets(target):
        AccessPolicy(config, actor).stop(TargetError, "pen.undo-forget", id=target.id)
    commit = ChangeRequest(config, f"undo {target.id}", actor, reason, confirm=True, whole=True, dry_run=dry_run)
    commit.undoes = target.id
    if commit.access.is_person:  # what the history has stood there before: a person's own text comes back as it was
        commit.gate.stood = {path: versions[0] for path, versions in kept.items() if versions and versions[0]}
    if gone := next((path for path, versions in kept.items() if versions is None), None):
        _not_kept(commit, target, gone)

    def change(files: DraftFiles) -> Edits:
        there = [(path, versions) for path, versions in kept.items() if versions]
        return {path: _back(commit, path, *versions, files[path]) for path, versions in there}

    commit.run(change)
    message = say(commit.lang, "pen.undone", id=target.id, reason=target.reason)
    return commit.outcome(message, target.files[0].path)


def _not_kept(commit: ChangeRequest, target: Transaction, path: str) -> NoReturn:
    """Say why a change cannot be taken back: its versions were forgotten later, or are too old."""
    with open_history(commit.config) as history:
        later = takewhile(lambda one: one.id != target.id, history.log())
        forgetting = next((one for one in later if _forgets(one)), None)
    if forgetting:
        commit.access.stop(TargetError, "pen.not-kept-forgotten", path, id=target.id, day=forgetting.time[:10])
    commit.access.stop(TargetError, "pen.not-kept", path, id=target.id)


def _forgets(one: Transaction) -> bool:
    """Return True for a forgetting."""
    return one.reason == FORGET and any(file.path == PATH for file in one.files)


def _back(
    commit: ChangeRequest, path: str, before: Document | None, after: Document | None, now: Document | None
) -> Sequence[Edit] | None:
    """Return the edits that take a file back; what was written since stays."""
    text = now.text if now else None
    if text == (before.text if before else None):
        return ()
    if text == (after.text if after else None):
        return None if before is None else smallest(text or "", before.text)
    merged = merge(after, before, now) if before and after and now else None
    if merged is None or merged.conflicts:
        message, hint = say(commit.lang, "pen.undo-conflict", path=path), say(commit.lang, "pen.undo-conflict.hint")
        raise ConflictError(message, hint=hint, ours=before.text if before else "", theirs=text or "")
    return merged.edits


def _last(config: WorkspaceConfig, history: VersionStore, actor: str) -> Transaction:
    """Find the newest transaction that stands, neither taken back nor a taking back: of one actor, else of mdmem's."""
    gone: set[str] = set()
    for one in history.log():
        if one.id in gone:
            continue
        own = one.actor == actor if actor else one.actor != EDITOR
        if one.files and not one.undoes and one.reason != PRUNE and own:
            return one
        gone.add(one.undoes)
    raise TargetError(say(config.lang, "pen.nothing-to-undo"))


def _named(config: WorkspaceConfig, history: VersionStore, name: str) -> Transaction:
    found = matching(history, name)
    if len(found) == 1:
        return found[0]
    candidates = tuple(one.id for one in (found or history.log()))[:_SHOWN]
    message, hint = say(config.lang, "pen.no-transaction", id=name), say(config.lang, "pen.no-transaction.hint")
    raise TargetError(message, hint=hint, candidates=candidates)


def matching(history: VersionStore, name: str) -> list[Transaction]:
    """Find the transactions whose id begins with a name, or whose last part is it."""
    return [one for one in history.log() if one.id.startswith(name) or one.id.endswith(f"-{name}")]


def _since(config: WorkspaceConfig, history: VersionStore, path: str | None) -> str:
    """Return what changed in files since mdmem wrote them last."""
    last: dict[str, WrittenFile] = {}
    for transaction in history.log():
        for one in transaction.files:
            last.setdefault(one.path, one)
    if path is not None and path not in last:
        message, hint = say(config.lang, "pen.no-transaction", id=path), say(config.lang, "pen.no-transaction.hint")
        raise TargetError(message, hint=hint, candidates=tuple(sorted(last))[:_SHOWN])
    wanted = {path: last[path]} if path is not None else last
    before = {name: _version(history, one.after) for name, one in wanted.items()}
    return diff(before, {name: _live(config, name) for name in wanted})


def _live(config: WorkspaceConfig, path: str) -> Document | None:
    with Root(config.root) as root:
        try:
            version = read(root.place(path))
        except FileNotFoundError:
            return None
    return parse(version.data) if version else None


def _both(history: VersionStore, one: WrittenFile) -> tuple[Document | None, Document | None] | None:
    """Return a file before and after; None where a version is no longer kept."""
    before, after = _version(history, one.before), _version(history, one.after)
    return None if (one.before and before is None) or (one.after and after is None) else (before, after)


def _version(history: VersionStore, digest: str | None) -> Document | None:
    data = history.read(digest) if digest else None
    return None if data is None else parse(data)
