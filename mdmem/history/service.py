"""The namespace of the history: log, diff, undo, recover, why, and what doctor checks in the memory folder."""

# `provenance` is imported when `why` is called: it loads the readers of sessions and tool runs. So is `undo`, which
# loads what writes.
from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mdmem.config.trust_requests import trust_requests
from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.model import AfterChange, Outcome, as_it_is
from mdmem.errors import MdmemError
from mdmem.history.read import log, show_diff
from mdmem.linter.sources import walk_of
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.store.capabilities import abilities
from mdmem.store.history.versions import Transaction, VersionStore
from mdmem.store.journal import ASIDE, Journal
from mdmem.store.root import Root

if TYPE_CHECKING:
    from mdmem.history.provenance import Provenance

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
        from mdmem.history.undo import undo

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
