"""The journey of watching: what changed is judged, what became pending is told, an idle moment is the keeper's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import LockedError, MdmemError, UnreadableFileError
from mdmem.keeper.busy import active_leases
from mdmem.messages.catalog import say
from mdmem.search.index.indexed_files import open_index
from mdmem.store.locks import locked
from mdmem.store.root import Root
from mdmem.store.walk import SETTINGS_FILE, STATE_FOLDER
from mdmem.watch.board import Keep, KeeperThread, WatchState, is_settings, watched_files
from mdmem.watch.events import IdleGate
from mdmem.watch.index_updates import IndexKeeper
from mdmem.watch.model import Notice, notice
from mdmem.watch.saved_versions import VersionKeeper, Versions
from mdmem.watch.watcher import Watcher, wait_for

_BUILDING_SECONDS = 1  # to wait for a change while index and first versions are made
_LOCK = f"{STATE_FOLDER}/watch"  # no file; the name under which watchers meet


def watch(config: WorkspaceConfig, *, once: bool, poll: bool, keep: Keep) -> Iterator[Notice]:
    """Watch a workspace, or look once; see `Workspace.watch`."""
    config.schemas  # noqa: B018 - settings that are wrong from the start are told at once
    journey = _WatchLoop(config, keep)
    with _alone(config):
        yield from journey.once() if once else journey.round(poll=poll)
    while not once:
        if wait_for(config.root, config.settings.watch.poll_ms / 1000):
            yield notice(config.lang, "watch.back")
        try:
            with _alone(config):
                yield from journey.round(poll=poll)
        except UnreadableFileError:  # gone again, or closed to us for now
            time.sleep(config.settings.watch.poll_ms / 1000)


@contextmanager
def _alone(config: WorkspaceConfig) -> Iterator[None]:
    """Be the one watcher of a workspace.

    Raises:
        LockedError: there is one already.
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
    """One watcher from its start to its end, through every coming and going of the folder."""

    def __init__(self, config: WorkspaceConfig, keep: Keep) -> None:
        self._board, self._keep = WatchState(config), keep
        numbers = config.settings.watch
        self._gate = IdleGate(numbers.quiet, numbers.poll_ms / 1000)
        self._due = True  # something may wait for the keeper that it has not been asked about
        self._work: KeeperThread | None = None

    @property
    def _config(self) -> WorkspaceConfig:
        return self._board.config

    def round(self, *, poll: bool) -> Iterator[Notice]:
        """Watch until the folder is gone, or its settings change."""
        with self._watcher(poll=poll) as watcher:
            self._gate.touched(time.monotonic())  # who is at work now is not known yet
            yield from self._board.all("polling" if watcher.polling else "events")
            yield from self._too_short()
            with IndexKeeper(self._own_config()) as index, self._versions() as versions:
                yield from self._until_over(watcher, index, versions)

    def _until_over(self, watcher: Watcher, index: IndexKeeper, versions: VersionKeeper | None) -> Iterator[Notice]:
        while True:
            # what these two write below the folder are events too
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
            yield from self._board.changed(batch)
            if any(batch):
                index.refresh()
            yield from self._keeper()

    def once(self) -> Iterator[Notice]:
        """Judge everything; let the keeper work if all is idle, and wait for it."""
        with self._watcher(poll=True):
            yield from self._board.all()
            yield from self._too_short()
        with suppress(MdmemError):  # what cannot be read now is told of by the board, and tried again by the search
            open_index(self._config).refresh()
        if self._keeps_versions():
            for _ in Versions(self._own_config()).sweep():
                pass
        if not self._wanted():
            return
        lang, names = self._config.lang, ", ".join(mark.name for mark in active_leases(self._config))
        if names:
            yield notice(lang, "watch.busy", names=names)
        elif self._gate.wait(time.monotonic(), busy=False):
            yield notice(lang, "watch.fresh")
        else:
            yield from self._begin()
            if self._work:
                self._work.join()
            yield from self._keeper()

    def _too_short(self) -> Iterator[Notice]:
        """Warn of a quiet time that is shorter than the least."""
        set_, used = self._config.settings.watch.quiet_seconds, self._config.settings.watch.quiet
        if set_ < used and self._config.settings.watch.keep:
            yield notice(self._config.lang, "watch.too-short", "warning", SETTINGS_FILE, set=set_, used=used)

    def _own_config(self) -> WorkspaceConfig:
        """Return a configuration for another thread."""
        return WorkspaceConfig(self._config.root, self._config.lang_given)

    def _keeps_versions(self) -> bool:
        settings = self._config.settings
        return settings.watch.versions and settings.memory.enabled

    @contextmanager
    def _versions(self) -> Iterator[VersionKeeper | None]:
        """Keep versions while a block runs, where the settings say so."""
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
        """Return whether there is work for the keeper, and leave to do it."""
        settings = self._config.settings
        allowed = settings.watch.keep and settings.memory.enabled
        return allowed and self._due and bool(self._board.pending)

    def _pause(self) -> float:
        """Tell how long nothing but a change needs to be waited for."""
        numbers = self._config.settings.watch
        if self._work:
            return numbers.poll_ms / 1000
        if not self._wanted():
            return numbers.look_again_seconds
        return min(
            numbers.look_again_seconds, self._gate.wait(time.monotonic(), busy=bool(active_leases(self._config)))
        )

    def _keeper(self) -> Iterator[Notice]:
        """Tell what the keeper did once it is done; let it begin when its moment has come."""
        if self._work:
            if not self._work.is_alive():
                work, self._work = self._work, None
                yield from self._told(work)
        elif self._wanted() and not self._gate.wait(time.monotonic(), busy=bool(active_leases(self._config))):
            yield from self._begin()

    def _begin(self) -> Iterator[Notice]:
        yield notice(self._config.lang, "watch.keeping")
        self._due = False
        self._work = KeeperThread(self._keep, self._own_config())

    def _told(self, work: KeeperThread) -> Iterator[Notice]:
        lang, again = self._config.lang, work.kept.again
        if work.failed:
            yield notice(lang, "watch.failed", "warning", why=work.failed)
            again = self._config.settings.watch.look_again_seconds
        yield from work.kept.said
        if again is not None:
            self._due = True
            self._gate.rest(time.monotonic() + again)
