"""Watches a workspace: changed files are linted, pending ones reported, and the keeper runs in idle moments."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import LockedError, MdmemError, UnreadableFileError
from mdmem.facts.hand_edits import correct_hand_edits
from mdmem.instructions.service import refreshed_notes
from mdmem.keeper.busy import active_leases
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.night.progress import is_due, start_time
from mdmem.search.index.indexed_files import open_index
from mdmem.store.locks import locked
from mdmem.store.root import Root
from mdmem.store.walk import SETTINGS_FILE, STATE_FOLDER
from mdmem.watch.board import Keep, KeeperThread, WatchState, is_settings, watched_files
from mdmem.watch.events import IdleGate
from mdmem.watch.index_updates import IndexKeeper
from mdmem.watch.model import Notice, notice
from mdmem.watch.saved_versions import VersionKeeper, Versions
from mdmem.watch.syncs import SyncClock, keep_synced
from mdmem.watch.watcher import Watcher, wait_for

_BUILDING_SECONDS = 1  # seconds to wait for a change while index and first versions are made
_SETTLED_SECONDS = 1  # without changes, before the instruction files of agents are written anew
_LOCK = f"{STATE_FOLDER}/watch"  # not a file; the name of the lock of watchers


def watch(
    config: WorkspaceConfig, *, once: bool, poll: bool, keep: Keep, night: Keep | None = None
) -> Iterator[Notice]:  # fmt: skip
    """Watch a workspace, or lint it once; see `Workspace.watch`. Without `night` there is no night run."""
    config.schemas  # noqa: B018 - wrong settings are reported at the start
    start_time(config)
    loop = _WatchLoop(config, keep, night)
    with _alone(config):
        yield from loop.once() if once else loop.round(poll=poll)
    while not once:
        if wait_for(config.root, config.settings.watch.poll_ms / 1000):
            yield notice(config.lang, "watch.back")
        try:
            with _alone(config):
                yield from loop.round(poll=poll)
        except UnreadableFileError:  # gone again, or not accessible now
            time.sleep(config.settings.watch.poll_ms / 1000)


@contextmanager
def _alone(config: WorkspaceConfig) -> Iterator[None]:
    """Hold the lock of the only watcher of a workspace.

    Raises:
        LockedError: another watcher runs.
        UnreadableFileError: the folder cannot be opened.
    """
    with Root(config.root) as root:
        lock = locked(root, [_LOCK], 0)
        try:
            lock.__enter__()
        except LockedError as error:
            raise LockedError(say(config.lang, "watch.taken"), hint=say(config.lang, "watch.taken.hint")) from error
        try:
            yield
        finally:
            lock.__exit__(None, None, None)


class _WatchLoop:
    """A watcher from start to end, which continues when the folder disappears and comes back."""

    def __init__(self, config: WorkspaceConfig, keep: Keep, night: Keep | None) -> None:
        self._state, self._keep, self._night = WatchState(config), keep, night
        numbers = config.settings.watch
        self._gate = IdleGate(numbers.quiet, numbers.poll_ms / 1000)
        self._due = True  # the keeper has not run since the last change
        self._work: KeeperThread | None = None
        self._stale = True  # the instruction files of agents were not written since the last change
        self._syncs = SyncClock()

    @property
    def _config(self) -> WorkspaceConfig:
        return self._state.config

    def round(self, *, poll: bool) -> Iterator[Notice]:
        """Watch until the folder is gone or the settings change."""
        with self._watcher(poll=poll) as watcher:
            self._gate.touched(time.monotonic())  # earlier writes are not known
            yield from self._state.all("polling" if watcher.polling else "events")
            yield from self._too_short()
            with IndexKeeper(self._own_config()) as index, self._versions() as versions:
                yield from self._until_gone(watcher, index, versions)

    def _until_gone(self, watcher: Watcher, index: IndexKeeper, versions: VersionKeeper | None) -> Iterator[Notice]:
        while True:
            # the files that these two write cause events too
            watcher.is_flooded = index.is_busy or (versions is not None and versions.is_sweeping)
            batch = watcher.wait(_BUILDING_SECONDS if watcher.is_flooded else self._pause())
            if batch is None:
                yield notice(self._config.lang, "watch.lost", "warning")
                return
            if any(batch):
                self._gate.touched(time.monotonic())
                self._due = True
            if is_settings(batch):
                yield notice(self._config.lang, "watch.settings")
                return
            if any(batch) and versions:
                versions.touched((*batch.changed, *batch.gone))
            yield from self._state.changed(batch)
            if any(batch):
                index.refresh()
                self._stale = True
            elif self._stale:
                yield from self._settled()
            yield from self._keeper()

    def once(self) -> Iterator[Notice]:
        """Lint all files; if the folder is idle, run the keeper and wait for it."""
        with self._watcher(poll=True):
            yield from self._state.all()
            yield from self._too_short()
        with suppress(MdmemError):  # the state reports unreadable files; a search refreshes again
            open_index(self._config).refresh()
        if self._keeps_versions():
            for _ in Versions(self._own_config()).sweep():
                pass
        yield from self._settled()
        if not (self._wanted() or self._is_night()):
            return
        lang, names = self._config.lang, ", ".join(lease.name for lease in active_leases(self._config))
        if names:
            yield notice(lang, "watch.busy", names=names)
        elif self._gate.wait(time.monotonic(), busy=False):
            yield notice(lang, "watch.fresh")
        else:
            for wanted, start in ((self._wanted, self._start_keeper), (self._is_night, self._start_night)):
                if wanted():
                    yield from start()
                    yield from self._finished()

    def _settled(self) -> Iterator[Notice]:
        """Do what follows from changes that have settled: propose corrections, and write instruction files anew."""
        if self._config.settings.memory.enabled:
            for one in self._own_config().everyone():
                with suppress(MdmemError):  # proposed again after the next change
                    done = correct_hand_edits(one)
                    if done.status == "done":
                        yield Notice("corrections", done.message, "note", done.path)
        yield from self._instructions()

    def _instructions(self) -> Iterator[Notice]:
        """Write the blocks in the instruction files of agents anew."""
        self._stale, lang = False, self._config.lang
        for one in refreshed_notes(self._own_config()):
            path = one.file.path
            if one.error:
                yield notice(lang, "watch.file-failed", "warning", path, why=in_language(one.error, lang))
            else:
                yield notice(lang, "watch.file", path=path)

    def _too_short(self) -> Iterator[Notice]:
        """Warn if the quiet time of the settings is shorter than the least one."""
        set_, used = self._config.settings.watch.quiet_seconds, self._config.settings.watch.quiet
        if set_ < used and self._config.settings.watch.keep:
            yield notice(self._config.lang, "watch.too-short", "warning", SETTINGS_FILE, set=set_, used=used)

    def _own_config(self) -> WorkspaceConfig:
        """Return a configuration for another thread."""
        return self._config.anew()

    def _keeps_versions(self) -> bool:
        settings = self._config.settings
        return settings.watch.versions and settings.memory.enabled

    @contextmanager
    def _versions(self) -> Iterator[VersionKeeper | None]:
        """Keep versions during a block, if the settings ask for it."""
        keeper = VersionKeeper(self._own_config()) if self._keeps_versions() else None
        try:
            yield keeper
        finally:
            if keeper:
                keeper.stop()

    @contextmanager
    def _watcher(self, *, poll: bool) -> Iterator[Watcher]:
        config = self._config
        with Watcher(config.root, watched_files(config), config.settings.watch, poll=poll) as watcher:
            self._gate.touched(time.monotonic() - max(0.0, time.time() - watcher.newest))
            yield watcher

    def _wanted(self) -> bool:
        """Return whether there is work for the keeper, and the settings allow it."""
        settings = self._config.settings
        allowed = settings.watch.keep and settings.memory.enabled
        return allowed and self._due and bool(self._state.pending)

    def _is_night(self) -> bool:
        """Return whether the night run is due."""
        return self._night is not None and is_due(self._config, dt.datetime.now().astimezone())

    def _pause(self) -> float:
        """Return how long to wait for changes before anything else can be due."""
        numbers = self._config.settings.watch
        if self._work:
            return numbers.poll_ms / 1000
        if self._stale:
            return _SETTLED_SECONDS
        wait = self._syncs.wait(self._config)
        rescan = numbers.rescan_seconds if wait is None else min(numbers.rescan_seconds, wait)
        if not (self._wanted() or self._is_night()):
            return rescan
        return min(rescan, self._gate.wait(time.monotonic(), busy=bool(active_leases(self._config))))

    def _keeper(self) -> Iterator[Notice]:
        """Report the result of a finished keeper, or start the keeper if the folder is idle."""
        if self._work:
            if not self._work.is_alive():
                work, self._work = self._work, None
                yield from self._report(work)
        elif self._syncs.wait(self._config) == 0:
            self._syncs.begin()
            self._work = KeeperThread(keep_synced, self._own_config())
        elif self._wanted() and self._is_open():
            yield from self._start_keeper()
        elif self._is_night() and self._is_open():
            yield from self._start_night()

    def _is_open(self) -> bool:
        return not self._gate.wait(time.monotonic(), busy=bool(active_leases(self._config)))

    def _finished(self) -> Iterator[Notice]:
        """Wait for the work that was started, and report its result."""
        if self._work:
            self._work.join()
            work, self._work = self._work, None
            yield from self._report(work)

    def _start_night(self) -> Iterator[Notice]:
        if self._night:
            yield notice(self._config.lang, "watch.night")
            self._work = KeeperThread(self._night, self._own_config())

    def _start_keeper(self) -> Iterator[Notice]:
        yield notice(self._config.lang, "watch.keeping")
        self._due = False
        self._work = KeeperThread(self._keep, self._own_config())

    def _report(self, work: KeeperThread) -> Iterator[Notice]:
        lang, again = self._config.lang, work.result.again
        if work.failed:
            yield notice(lang, "watch.failed", "warning", why=work.failed)
            again = self._config.settings.watch.rescan_seconds
        yield from work.result.notices
        if again is not None:
            self._due = True
            self._gate.rest(time.monotonic() + again)
