"""The namespace of the history: log, diff, undo, recover, why, and what doctor checks in the memory folder."""

# `provenance` is imported when `why` is called: it loads the readers of sessions and tool runs.
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

from mdmem.config.bundle_manifest import installed_files
from mdmem.config.trust_requests import trust_requests
from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import PERSONS, AccessPolicy
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.generated_lines import RENEWED
from mdmem.entries.model import AfterChange, Outcome, as_it_is, diff
from mdmem.entries.read import live_bytes
from mdmem.entries.tombstones import PATH
from mdmem.errors import ConflictError, MdmemError, TargetError
from mdmem.formats.paths import is_foreign, within_user
from mdmem.linter.sources import walk_of
from mdmem.messages.catalog import say
from mdmem.messages.reasons import reason_in
from mdmem.messages.translated_errors import in_language
from mdmem.store.capabilities import abilities
from mdmem.store.history.versions import EDITOR, FORGET, PRUNE, Transaction, VersionStore, WrittenFile
from mdmem.store.journal import ASIDE, Journal
from mdmem.store.root import Root
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, smallest
from mdmem.text.merge import merge

if TYPE_CHECKING:
    from mdmem.history.provenance import Provenance

_REPORTS = {"night", "imports"}  # the kinds of files that only report what a run did
_BEGUN = ("session", True)  # kind of a file, and whether it is new
_LISTED = 20  # damaged versions that are listed; more would hide the advice


CheckState: TypeAlias = Literal["good", "weaker", "bad"]


class History(TypedCalls):
    """The namespace `Workspace.history`: list, show, undo, recover and explain changes."""

    def __init__(self, config: WorkspaceConfig, after: AfterChange = as_it_is) -> None:
        """Bind to a workspace; `after` gets the outcome of each undo."""
        self._config, self._after = config, after

    def log(self, path: str | None = None, *, limit: int | None = None) -> tuple[Transaction, ...]:
        """Return the changes that mdmem made, newest first.

        Args:
            path: only changes of this file, POSIX from the root.
            limit: the maximum number of changes.
        """
        return log(self._config, path, limit)

    def diff(self, name: str | None = None) -> str:
        """Return what a change did, or how files changed since mdmem wrote them, as a unified diff.

        Args:
            name: the id of a change, its beginning or its end; a file's path; None for every file.

        Raises:
            TargetError: the history has neither such a change nor such a file.
        """
        return show_diff(self._config, name)

    def undo(self, name: str | None = None, *, dry_run: bool = False, actor: str = "user", reason: str = "") -> Outcome:
        """Undo a change by a new one; later changes are kept.

        Args:
            name: the id of the change; None for the newest that is not undone, for an agent the newest of its own.
                Undoing an undo applies the change again.

        Raises:
            ConflictError: the same text was changed since.
            TargetError: there is no such change, or its versions are no longer kept.

        >>> Workspace("workspace").history.undo(dry_run=True).message
        """
        return self._after(undo(self._config, name, actor=actor, reason=reason, dry_run=dry_run))

    def recover(self) -> tuple[Transaction, ...]:
        """Complete the changes of crashed processes and merge saves that came too late.

        Every write does this for the files it touches; this does it for all files.
        """
        return recover(self._config)

    def doctor(self) -> tuple[DoctorCheck, ...]:
        """Check what this file system supports, and whether settings, history and journal are intact.

        Reads the whole history; writes a probe into the state folder and removes it.
        """
        return doctor(self._config)

    def why(self, name: str, *, actor: str = "user") -> Provenance:
        """Trace an entry of any memory file to its evidence: who wrote it when and why, from what (G066).

        Args:
            name: its `^id`, its key, or a part of its text.
            actor: who asks.

        Raises:
            TargetError: no entry matches, or more than one; `candidates` lists them.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").history.why("原始文件一个字节也不动").evidence[0].excerpt
        """
        from mdmem.history.provenance import why

        return why(self._config, name, actor)


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """The result of one check."""

    name: str
    state: CheckState  # weaker: a guarantee that this file system does not give
    message: str
    hint: str = ""


def doctor(config: WorkspaceConfig) -> tuple[DoctorCheck, ...]:
    """Check settings, file system, history and journal; see `Workspace.history.doctor`."""
    config = copy(config)
    config.lenient = "file"
    checks = [_settings(config), *_held(config)]
    with Root(config.root) as root:
        checks += _abilities(config, root)
        history = VersionStore(root, config.settings.store.lock_seconds)
        damaged = history.check()
        sizes = [history.size(digest) for digest in history.objects()]
        journal = Journal(root)
        unfinished, aside = len(journal.pending()), len(journal.aside())
    store = config.settings.store
    facts = {"count": len(sizes), "bytes": sum(sizes), "days": store.keep_days, "most": store.keep_bytes}
    checks.append(_check(config, "history", "good", **facts))
    checks += [_check(config, f"damaged-{one.what}", "bad", item=one.name) for one in damaged[:_LISTED]]
    if links := walk_of(config).outward_links(config.linked):
        message = say(config.lang, "pen.outside-links", paths=", ".join(links))
        checks.append(DoctorCheck("outside-links", "weaker", message, say(config.lang, "pen.outside-links.hint")))
    if unfinished:
        checks.append(_check(config, "unfinished", "bad", count=unfinished))
    if aside:
        checks.append(_check(config, "aside", "bad", count=aside, folder=ASIDE))
    return tuple(checks)


def recover(config: WorkspaceConfig) -> tuple[Transaction, ...]:
    """Complete the changes of crashed processes; see `Workspace.history.recover`."""
    return config.pen().recover()


def _settings(config: WorkspaceConfig) -> DoctorCheck:
    try:
        on = config.settings.memory.enabled
        for kind in config.schemas.kinds:
            config.schemas.languages(kind)
    except MdmemError as raised:
        error = in_language(raised, config.locale_lang)
        return DoctorCheck("settings", "bad", str(error), error.hint)
    if config.mistakes:
        mistake = in_language(config.mistakes[0], config.lang)
        return DoctorCheck("settings", "bad", str(mistake), mistake.hint)
    asked = trust_requests(config)
    if asked.tables and not asked.trusted:
        names = ", ".join(_keys(asked.tables))
        return _check(config, "settings-wait", "weaker", names=names)
    return _check(config, "settings" if on else "settings-off", "good")


def _held(config: WorkspaceConfig) -> Iterator[DoctorCheck]:
    """Yield what holds for hooks and servers in place of each broken file of settings."""
    config = config.anew()
    config.lenient = "held"
    try:
        on = config.settings.memory.enabled
    except MdmemError:  # a template, which another check tells
        return
    for one in config.held:
        off = "" if on else say(config.lang, "settings.held-off")
        yield DoctorCheck("settings-held", "weaker", one.told(config.lang), off)


def _keys(tables: Mapping[str, Any]) -> list[str]:
    """Return the names of settings, as `table.key`."""
    return [f"{table}.{key}" for table, rows in tables.items() for key in rows]


def _abilities(config: WorkspaceConfig, root: Root) -> list[DoctorCheck]:
    """Return what the file system can do, or that nothing can be written there."""
    try:
        found = abilities(root)
    except MdmemError as error:
        return [_check(config, "can-write", "bad", reason=str(in_language(error, config.lang)))]
    states: dict[str, CheckState] = {
        name: "good" if supported else "bad" if name == "locks" else "weaker"
        for name, supported in found._asdict().items()
    }
    return [_check(config, f"can-{name}", state) for name, state in states.items()]


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
        found = (one for one in visible(config, history) if path is None or _concerns(one, path))
        return tuple(islice(found, limit))


def visible(config: WorkspaceConfig, history: VersionStore) -> Iterator[Transaction]:
    """Yield the changes that a user may see, newest first: none that changed a file of another user."""
    covers = config.whose.covers
    for one in history.log():
        if all(covers(file.path) for file in one.files) and (one.files or not config.user):
            yield one


def _concerns(transaction: Transaction, path: str) -> bool:
    """Return whether a transaction changed a file, or explains why it left the file unchanged."""
    return any(file.path == path for file in transaction.files) or (
        not transaction.files and path in transaction.reason
    )


def show_diff(config: WorkspaceConfig, name: str | None) -> str:
    """Return the diff of a transaction, or of files since mdmem wrote them; see `Workspace.history.diff`."""
    with open_history(config) as history:
        if name is None or not matching(config, history, name):
            return _since(config, history, name)
        versions_of = {one.path: _both(history, one) for one in _named(config, history, name).files}
    available = {path: versions for path, versions in versions_of.items() if versions}  # the others are no longer kept
    return diff(
        {path: before for path, (before, _) in available.items()},
        {path: after for path, (_, after) in available.items()},
    )


def undo(config: WorkspaceConfig, name: str | None, *, actor: str, reason: str, dry_run: bool) -> Outcome:
    """Undo a transaction by a new one; see `Workspace.history.undo`."""
    own = "" if actor in PERSONS else actor
    with open_history(config) as history:
        target = _named(config, history, name, "pen.no-change") if name else _last(config, history, own)
        versions_of = {one.path: _both(history, one) for one in target.files}
    if not target.files:
        raise TargetError(say(config.lang, "pen.nothing-to-undo"))
    if _forgets(target):
        AccessPolicy(config, actor).stop(TargetError, "pen.undo-forget", id=target.id)
    commit = ChangeRequest(config, f"undo {target.id}", actor, reason, confirm=True, whole=True, dry_run=dry_run)
    commit.undoes = target.id
    if commit.access.is_person:  # own earlier text is not new
        commit.gate.as_they_came = installed_files([one.path for one in target.files])
        commit.gate.earlier_versions = {
            path: versions[0] for path, versions in versions_of.items() if versions and versions[0]
        }
    if missing := next((path for path, versions in versions_of.items() if versions is None), None):
        _not_kept(commit, target, missing)

    def change(files: DraftFiles) -> Edits:
        there = [(path, versions) for path, versions in versions_of.items() if versions]
        return {path: _back(commit, path, *versions, files[path]) for path, versions in there}

    marked = [one for one in target.files if one.before is not None and one.was_program != one.is_program]
    try:
        commit.run(change, programs={one.path: one.was_program for one in marked})
    except ConflictError as error:
        if not name:  # the caller does not know which change is meant
            _name_another(commit, target, error, own)
        raise
    message = say(commit.lang, "pen.undone", id=target.id, reason=reason_in(commit.lang, target.reason))
    return commit.outcome(message, target.files[0].path)


def _name_another(commit: ChangeRequest, target: Transaction, error: ConflictError, actor: str) -> None:
    """Say in an error which change it is about, and which one before it may be undone instead."""
    with open_history(commit.config) as history:
        others = (one for one in _undoable(commit.config, history, actor) if one.id != target.id)
        other = next((one for one in others if one.time <= target.time), None)
    if other:
        reason = reason_in(commit.lang, target.reason)
        facts = {"id": target.id, "reason": reason, "why": error.message, "next": other.id}
        error.message = say(commit.lang, "pen.undo-newest", **facts)
        error.hint = say(commit.lang, "pen.undo-newest.hint", **facts)


def _not_kept(commit: ChangeRequest, target: Transaction, path: str) -> NoReturn:
    """Raise TargetError for a change whose versions were forgotten later, or are too old."""
    with open_history(commit.config) as history:
        later = takewhile(lambda one: one.id != target.id, history.log())
        forgetting = next((one for one in later if _forgets(one)), None)
    if forgetting:
        commit.access.stop(TargetError, "pen.not-kept-forgotten", path, id=target.id, day=forgetting.time[:10])
    commit.access.stop(TargetError, "pen.not-kept", path, id=target.id)


def _forgets(transaction: Transaction) -> bool:
    """Return True for the transaction of a `forget`."""
    return transaction.reason == FORGET and any(within_user(file.path) == PATH for file in transaction.files)


def _back(
    commit: ChangeRequest, path: str, before: Document | None, after: Document | None, now: Document | None
) -> Sequence[Edit] | None:
    """Return the edits that undo a change of one file and keep later changes."""
    text = now.text if now else None
    if text == (before.text if before else None):
        return ()
    if text == (after.text if after else None):
        if before is not None and now is None and not before.text:
            return (Edit.replace(0, 0, ""),)  # an edit that makes the empty file again
        return None if before is None else smallest(text or "", before.text)
    if now is None and after is not None:  # not this change is in the way, but the loss of the file
        commit.access.stop(TargetError, "pen.undo-gone", path)
    if after is None and before is not None:  # the change moved or deleted the file, and its name is taken again
        message = say(commit.lang, "pen.undo-taken", path=path)
        hint = say(commit.lang, "pen.undo-taken.hint", path=path)
        raise ConflictError(message, hint=hint, ours=before.text, theirs=text or "")
    merged = merge(after, before, now) if before and after and now else None
    if merged is None or merged.conflicts:
        message, hint = say(commit.lang, "pen.undo-conflict", path=path), say(commit.lang, "pen.undo-conflict.hint")
        raise ConflictError(message, hint=hint, ours=before.text if before else "", theirs=text or "")
    return merged.edits


def _last(config: WorkspaceConfig, history: VersionStore, actor: str) -> Transaction:
    """Return the newest transaction that an undo without an id takes back."""
    found = next(_undoable(config, history, actor), None)
    if found is None:
        raise TargetError(say(config.lang, "pen.nothing-to-undo"))
    return found


def _undoable(config: WorkspaceConfig, history: VersionStore, actor: str) -> Iterator[Transaction]:
    """Yield the transactions that are neither undone nor an undo: of one actor, else any that mdmem made.

    What only reports a night or an import is passed over: the caller wants back what it changed. So is the beginning of
    a conversation: to undo it would be to remove what was said since. So is `init`, which writes the settings too, and
    what only shows another change, which is written anew when that one is undone.
    """
    undone: set[str] = set()
    for transaction in visible(config, history):
        if transaction.id in undone:
            continue
        own = transaction.actor == actor if actor else transaction.actor != EDITOR
        kinds = {(config.schemas.kind(one.path), one.before is None) for one in transaction.files}
        reports = transaction.actor not in PERSONS and {kind for kind, _ in kinds} <= _REPORTS
        if (
            transaction.files
            and not transaction.reason.startswith(RENEWED)
            and own
            and not reports
            and kinds != {_BEGUN}
            and not transaction.undoes
            and transaction.reason != PRUNE
            and (_forgets(transaction) or not any(is_foreign(one.path) for one in transaction.files))
        ):
            yield transaction
        undone.add(transaction.undoes)


def _named(config: WorkspaceConfig, history: VersionStore, name: str, unknown: str = "") -> Transaction:
    """Return the transaction of an id, or of a part of it that only it has; `unknown` says that there is none."""
    found = matching(config, history, name)
    if len(found) == 1:
        return found[0]
    paths = [] if found else [file.path for change in visible(config, history) for file in change.files]
    if path := next((one for one in paths if name in (one, config.schemas.kind(one))), ""):
        AccessPolicy(config, "user").stop(TargetError, "pen.undo-file", path)
    key = "pen.many-transactions" if found or not unknown else unknown
    candidates = tuple(one.id for one in (found or visible(config, history)))[:_SHOWN]
    raise TargetError(
        say(config.lang, key, id=name, count=len(found)), hint=say(config.lang, f"{key}.hint"), candidates=candidates
    )


def matching(config: WorkspaceConfig, history: VersionStore, name: str) -> list[Transaction]:
    """Return the transactions whose id begins with a name or ends with it after a hyphen."""
    return [one for one in visible(config, history) if one.id.startswith(name) or one.id.endswith(f"-{name}")]


def _since(config: WorkspaceConfig, history: VersionStore, path: str | None) -> str:
    """Return the diff of files since mdmem last wrote them."""
    last: dict[str, WrittenFile] = {}
    for transaction in visible(config, history):
        for written in transaction.files:
            last.setdefault(written.path, written)
    if path is not None and path not in last:
        message, hint = say(config.lang, "pen.no-transaction", id=path), say(config.lang, "pen.no-transaction.hint")
        raise TargetError(message, hint=hint, candidates=tuple(sorted(last))[:_SHOWN])
    wanted = {path: last[path]} if path is not None else last
    before = {name: _version(history, written.after) for name, written in wanted.items()}
    return diff(before, {name: _live(config, name) for name in wanted})


def _live(config: WorkspaceConfig, path: str) -> Document | None:
    data = live_bytes(config, path)
    return None if data is None else parse(data)


def _both(history: VersionStore, written: WrittenFile) -> tuple[Document | None, Document | None] | None:
    """Return a file before and after; None if a version is no longer kept."""
    before, after = _version(history, written.before), _version(history, written.after)
    return None if (written.before and before is None) or (written.after and after is None) else (before, after)


def _version(history: VersionStore, digest: str | None) -> Document | None:
    data = history.read(digest) if digest else None
    return None if data is None else parse(data)
