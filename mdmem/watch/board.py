"""What a watcher knows of the files: it judges what changed, and remembers which of them wait for the keeper."""

from __future__ import annotations

import datetime as dt
import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Thread
from time import strftime
from typing import NamedTuple

from mdmem.config.workspace_config import TEMPLATES, WorkspaceConfig
from mdmem.entries.inbox import inbox_path
from mdmem.errors import MdmemError
from mdmem.keeper.conversation.pool import candidate_sessions
from mdmem.keeper.queue import FAILED, path_of, queue
from mdmem.keeper.status import changed_at, load_workspace_files, overflowed, waiting
from mdmem.linter.service import lint
from mdmem.linter.sources import LintReport
from mdmem.messages.catalog import say
from mdmem.messages.errors import in_language
from mdmem.store.walk import SETTINGS_FILE, FileWalk, is_included
from mdmem.text.edit import SEVERITIES, Diagnostic, Severity
from mdmem.watch.model import Notice, notice, tally
from mdmem.watch.watcher import Batch, WatchedFiles

Reasons = tuple[str, ...]
# section at its threshold or over its cap, file over or near its limit, expired entry, too many entries
_METERS = frozenset(("MM401", "MM402", "MM404", "MM405", "MM406", "MM407"))


class WatchState:
    """The state of the files as last judged; every look takes settings and the calendar as they are by then."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self.config = config
        self.pending: dict[str, Reasons] = {}  # path → why it waits for the keeper
        self._looked = time.time() - config.settings.extract.idle_seconds  # sessions changed before were idle then

    def all(self, how: str = "") -> Iterator[Notice]:
        """Judge every file, and say it in one line; `how` is how they will be watched from now on."""
        try:
            report = self._judge(())
            waits = dict.fromkeys(self.pending, ()) | self._waiting(report, ())
        except MdmemError as error:
            yield self._unread(error)
            return
        lang, found = self.config.lang, tally(self.config.lang, *_count(report.diagnostics))
        told = say(lang, f"watch.{how}") if how else ""
        yield notice(lang, "watch.started" if how else "watch.looked", files=report.files, found=found, how=told)
        yield from self._note(waits)

    def changed(self, batch: Batch) -> Iterator[Notice]:
        """Judge the files that changed; all on a new day, for what has expired by now, and where the inbox is gone."""
        if self.config.day != strftime("%Y-%m-%d") or inbox_path(self.config) in batch.gone:
            yield from self.all()
        for path in batch.gone:
            yield notice(self.config.lang, "watch.gone", path=path)
            self.pending.pop(path, None)
        idle = self._newly_idle()
        if not (batch.changed or idle):
            return
        asked = (*batch.changed, *idle)
        if inbox_path(self.config) in asked:  # what it holds belongs to other files
            asked = (*asked, *self.pending)
        try:
            report = self._judge((*batch.changed, *idle))
            waits = dict.fromkeys(asked, ()) | self._waiting(report, asked)
        except MdmemError as error:
            yield self._unread(error)
            return
        for path in batch.changed:
            found = tuple(one for one in report.diagnostics if one.path == path)
            worst: Severity = min((one.severity for one in found), default="note", key=SEVERITIES.index)
            yield Notice("changed", tally(self.config.lang, *_count(found)), worst, path, found)
        yield from self._note(waits)

    def _newly_idle(self) -> tuple[str, ...]:
        """Return the sessions that have become idle since this was asked last: what waits in them is extracted."""
        since, now = self._looked, time.time() - self.config.settings.extract.idle_seconds
        self._looked = now
        paths = candidate_sessions(self.config) if self.config.settings.memory.enabled else ()
        return tuple(path for path in paths if since < changed_at(self.config, path) <= now)

    def _judge(self, paths: Sequence[str]) -> LintReport:
        config = WorkspaceConfig(self.config.root, self.config.lang_given)
        try:
            report = lint(config, paths, select=None, ignore=None, staged=False, jobs=None, progress=None)
        finally:
            gc.unfreeze()  # the judge sets aside what it finds, for it means to run once in a process
            gc.collect()
        self.config = config
        return report

    def _waiting(self, report: LintReport, asked: Sequence[str]) -> dict[str, Reasons]:
        """Say what waits in the files asked about, or in any: of them, what a rule, the inbox or a chat names."""
        settings, inbox = self.config.settings.lint, inbox_path(self.config)
        if settings.select or settings.ignore:  # a rule that would name a file may be silent
            return waiting(self.config, asked)
        named = {one.path for one in report.diagnostics if one.code in _METERS} | {
            *candidate_sessions(self.config, asked)
        }
        if inbox in asked or not asked:
            named |= {path for path, _ in overflowed(load_workspace_files(self.config, [inbox]).documents.get(inbox))}
            named |= self.pending.keys() & {*asked}
        return waiting(self.config, sorted(named)) if named else {}

    def _note(self, now: Mapping[str, Reasons]) -> Iterator[Notice]:
        """Remember what waits, and say what is new about it."""
        for path, reasons in now.items():
            before = self.pending.pop(path, ())
            if reasons:
                self.pending[path] = reasons
            elif before:
                yield notice(self.config.lang, "watch.home", path=path)
            for reason in reasons:
                if reason not in before:
                    yield notice(self.config.lang, "watch.pending", path=path, reason=reason)

    def _unread(self, error: MdmemError) -> Notice:
        return notice(self.config.lang, "watch.unread", "error", why=error)


def _count(found: Sequence[Diagnostic]) -> tuple[int, int]:
    return sum(one.severity == "error" for one in found), sum(one.severity == "warning" for one in found)


_LOCK = ".#"  # how Emacs begins the name of a link that says who edits a file


def watched_files(config: WorkspaceConfig) -> WatchedFiles:
    """Tell which files are watched, as the settings are now."""
    settings = config.settings.lint
    walk = FileWalk(config.root, settings.include, settings.exclude, settings.skip_folders)

    def listed(folder: str) -> Iterator[str]:
        for path in walk.files(folder):
            if not (is_of_settings(path) or _is_lock(path)):
                yield path
        if not folder:
            yield from _settings(config.root)

    def wanted(path: str) -> bool:
        return is_of_settings(path) or (is_included(path, settings.include, ()) and not _is_lock(path))

    return WatchedFiles(listed, wanted, frozenset(settings.skip_folders))


def is_settings(batch: Batch) -> bool:
    """Return whether a batch changes what files are held to."""
    return any(is_of_settings(path) for path in (*batch.changed, *batch.gone))


def _settings(root: str) -> Iterator[str]:
    if os.path.lexists(os.path.join(root, SETTINGS_FILE)):
        yield SETTINGS_FILE
    for folder, _, names in os.walk(os.path.join(root, TEMPLATES)):
        inside = os.path.relpath(folder, root).replace(os.sep, "/")
        yield from (f"{inside}/{name}" for name in names)


def is_of_settings(path: str) -> bool:
    """Return True for the settings and templates that files are held to."""
    return path == SETTINGS_FILE or path.startswith(f"{TEMPLATES}/")


def _is_lock(path: str) -> bool:
    return path.rpartition("/")[2].startswith(_LOCK)


class KeeperRun(NamedTuple):
    """What a keeper did; and after how many seconds it wants to try again, where it does."""

    said: tuple[Notice, ...] = ()
    again: float | None = None


Keep = Callable[[WorkspaceConfig], KeeperRun]  # raises MdmemError
_SEVERITIES: dict[str, Severity] = {"done": "note", "refused": "warning"}  # of outcomes that are reported


def keep(config: WorkspaceConfig) -> KeeperRun:
    """Condense what waits, as `Workspace.compact` does; what was refused is tried again when its time has come.

    A file that somebody changed within `[watch] quiet_seconds` is left alone, also while the keeper is at work.
    """
    from mdmem.keeper.service import BackendChoice, compact

    done = compact(config, None, BackendChoice(quiet=config.settings.watch.quiet))
    said = tuple(
        Notice("kept" if one.status == "done" else "refused", one.message, _SEVERITIES[one.status], one.path)
        for one in done
        if one.status in _SEVERITIES
    )
    left = {one.path for one in done if one.status in ("refused", "waiting")}
    now = dt.datetime.now().astimezone()
    times = [dt.datetime.fromisoformat(one.until) - now for key, one in queue(config).items()
             if path_of(key) in left and one.state != FAILED]  # fmt: skip
    return KeeperRun(said, max(1.0, min(times).total_seconds()) if times else None)


class KeeperThread(Thread):
    """The keeper at work, beside the watcher, so that a slow model holds up no notice; it dies with the process."""

    def __init__(self, keep: Keep, config: WorkspaceConfig) -> None:
        super().__init__(daemon=True)
        self.kept, self.failed = KeeperRun(), ""
        self._keep, self._config = keep, config
        self.start()

    def run(self) -> None:
        """Work, and note what became of it."""
        self.failed = "?"
        try:
            self.kept = self._keep(self._config)
            self.failed = ""
        except MdmemError as error:
            self.failed = str(in_language(error, self._config.lang))
