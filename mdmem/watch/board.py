"""The state of a watch: which files are watched, the changed ones linted, those that wait for the keeper, its runs."""

# `keeper.service` and `night.service` are imported only if the keeper, or the night, runs.
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
from mdmem.entries.inbox.items import inbox_files
from mdmem.errors import MdmemError
from mdmem.facts.hand_edits import outdated_marks
from mdmem.keeper.backlog.queue import FAILED, path_of, queue
from mdmem.keeper.backlog.status import changed_at, load_workspace_files, overflowed, waiting
from mdmem.keeper.conversation.pool import candidate_sessions
from mdmem.linter.service import lint
from mdmem.linter.sources import LintReport
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.store.walk import SETTINGS_FILE, FileWalk, is_included
from mdmem.text.edit import SEVERITIES, Diagnostic, Severity
from mdmem.watch.model import Notice, count_text, notice
from mdmem.watch.watcher import Batch, WatchedFiles

Reasons = tuple[str, ...]
# section at its threshold or over its cap, file over or near its limit, expired entry, too many entries
_METERS = frozenset(("MM401", "MM402", "MM404", "MM405", "MM406", "MM407"))


class WatchState:
    """The state of the files at the last lint; each lint uses the settings and the day of its time."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self.config = config
        self.pending: dict[str, Reasons] = {}  # path → reasons why it waits for the keeper
        self._looked = time.time() - config.settings.session.idle_seconds  # sessions changed before this were idle

    def all(self, how: str = "") -> Iterator[Notice]:
        """Lint all files and report one notice; `how` is the way in which they will be watched."""
        try:
            report = self._lint(())
            waits = dict.fromkeys(self.pending, ()) | self._waiting(report, ())
        except MdmemError as error:
            yield self._unreadable(error)
            return
        for one in self.config.held:
            yield Notice("held", one.told(self.config.lang), "warning", one.path)
        lang, counts = self.config.lang, count_text(self.config.lang, *_count(report.diagnostics))
        description = say(lang, f"watch.{how}") if how else ""
        yield notice(
            lang, "watch.started" if how else "watch.looked", files=report.files, found=counts, how=description
        )
        yield from self._update(waits)

    def changed(self, batch: Batch) -> Iterator[Notice]:
        """Lint the changed files; all files on a new day, for expired entries, and if the inbox is gone."""
        if self.config.day != strftime("%Y-%m-%d") or {*self._inboxes()} & {*batch.gone}:
            yield from self.all()
        for path in batch.gone:
            yield notice(self.config.lang, "watch.gone", path=path)
            self.pending.pop(path, None)
        idle = self._newly_idle()
        if not (batch.changed or idle):
            return
        changed = (*batch.changed, *idle)
        paths = changed
        if {*self._inboxes()} & {*paths}:  # its entries belong to other files
            paths = (*paths, *self.pending)
        try:
            report = self._lint(changed)
            waits = dict.fromkeys(paths, ()) | self._waiting(report, paths)
        except MdmemError as error:
            yield self._unreadable(error)
            return
        for path in batch.changed:
            findings = tuple(one for one in report.diagnostics if one.path == path)
            worst: Severity = min((one.severity for one in findings), default="note", key=SEVERITIES.index)
            yield Notice("changed", count_text(self.config.lang, *_count(findings)), worst, path, findings)
        yield from self._update(waits)

    def _newly_idle(self) -> tuple[str, ...]:
        """Return the sessions that became idle since the last call; their pending rounds are then extracted."""
        since, now = self._looked, time.time() - self.config.settings.session.idle_seconds
        self._looked = now
        paths = candidate_sessions(self.config) if self.config.settings.memory.enabled else ()
        return tuple(path for path in paths if since < changed_at(self.config, path) <= now)

    def _lint(self, paths: Sequence[str]) -> LintReport:
        config = self.config.anew()
        try:
            report = lint(
                config, paths, select=None, ignore=None, staged=False, jobs=None, progress=None, outdated=outdated_marks
            )
        finally:
            gc.unfreeze()  # the linter freezes the objects that it finds, because it expects to run once per process
            gc.collect()
        self.config = config
        return report

    def _waiting(self, report: LintReport, paths: Sequence[str]) -> dict[str, Reasons]:
        """Return what waits in the files, or in all files: those that a rule, the inbox or a conversation names."""
        settings, inbox = self.config.settings.lint, self._inboxes()
        if settings.select or settings.ignore:  # a rule that would name a file may be turned off
            return waiting(self.config, paths)
        named = {one.path for one in report.diagnostics if one.code in _METERS} | {
            *candidate_sessions(self.config, paths)
        }
        if not paths or {*inbox} & {*paths}:
            boxes = load_workspace_files(self.config, inbox).documents
            named |= {path for one in inbox for path, _ in overflowed(boxes.get(one))}
            named |= self.pending.keys() & {*paths}
        return waiting(self.config, sorted(named)) if named else {}

    def _inboxes(self) -> list[str]:
        """Return the files of the inboxes of all users."""
        return [path for one in self.config.everyone() for path in inbox_files(one)]

    def _update(self, now: Mapping[str, Reasons]) -> Iterator[Notice]:
        """Store what waits, and report what is new."""
        for path, reasons in now.items():
            before = self.pending.pop(path, ())
            if reasons:
                self.pending[path] = reasons
            elif before:
                yield notice(self.config.lang, "watch.home", path=path)
            for reason in reasons:
                if reason not in before:
                    yield notice(self.config.lang, "watch.pending", path=path, reason=reason)

    def _unreadable(self, error: MdmemError) -> Notice:
        return notice(self.config.lang, "watch.unread", "error", why=error)


def _count(diagnostics: Sequence[Diagnostic]) -> tuple[int, int]:
    return sum(one.severity == "error" for one in diagnostics), sum(one.severity == "warning" for one in diagnostics)


_LOCK = ".#"  # prefix of the links with which Emacs marks edited files


def watched_files(config: WorkspaceConfig) -> WatchedFiles:
    """Return which files are watched, by the current settings."""
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
    """Return whether a batch changes settings or templates."""
    return any(is_of_settings(path) for path in (*batch.changed, *batch.gone))


def _settings(root: str) -> Iterator[str]:
    if os.path.lexists(os.path.join(root, SETTINGS_FILE)):
        yield SETTINGS_FILE
    for folder, _, names in os.walk(os.path.join(root, TEMPLATES)):
        relative = os.path.relpath(folder, root).replace(os.sep, "/")
        yield from (f"{relative}/{name}" for name in names)


def is_of_settings(path: str) -> bool:
    """Return True for settings and templates."""
    return path == SETTINGS_FILE or path.startswith(f"{TEMPLATES}/")


def _is_lock(path: str) -> bool:
    return path.rpartition("/")[2].startswith(_LOCK)


class KeeperRun(NamedTuple):
    """The notices of a keeper run, and the seconds after which to try again, if there is something to try."""

    notices: tuple[Notice, ...] = ()
    again: float | None = None


Keep = Callable[[WorkspaceConfig], KeeperRun]  # raises MdmemError

_SEVERITIES: dict[str, Severity] = {"done": "note", "refused": "warning"}  # of the reported outcomes


def keep(config: WorkspaceConfig) -> KeeperRun:
    """Condense what waits, as `Workspace.compact` does; a refused file is tried again when its back-off is over.

    A file that was changed within `[watch] quiet_seconds` is left alone, also if it changes while the keeper works.
    """
    from mdmem.keeper.compaction import compact
    from mdmem.keeper.job_runner import BackendChoice

    choice = BackendChoice(quiet=config.settings.watch.quiet)
    outcomes = [done for one in config.everyone() for done in compact(one, None, choice)]
    notices = tuple(
        Notice("kept" if one.status == "done" else "refused", one.message, _SEVERITIES[one.status], one.path)
        for one in outcomes
        if one.status in _SEVERITIES
    )
    unfinished = {one.path for one in outcomes if one.status in ("refused", "waiting")}
    now = dt.datetime.now().astimezone()
    times = [dt.datetime.fromisoformat(one.until) - now for key, one in queue(config).items()
             if path_of(key) in unfinished and one.state != FAILED]  # fmt: skip
    return KeeperRun(notices, max(1.0, min(times).total_seconds()) if times else None)


def keep_night(config: WorkspaceConfig) -> KeeperRun:
    """Run the night, as `Workspace.night` does."""
    from mdmem.night.model import NightOptions
    from mdmem.night.service import night

    report = night(config, NightOptions())
    kind = "kept" if report.status in ("done", "unchanged") else "refused"
    text = say(config.lang, "punctuation.clause").join(filter(None, (report.message, report.hint)))
    return KeeperRun((Notice(kind, text, "note", report.path),))


class KeeperThread(Thread):
    """Runs the keeper in a thread, so that a slow model delays no notice; the thread ends with the process."""

    def __init__(self, keep: Keep, config: WorkspaceConfig) -> None:
        super().__init__(daemon=True)
        self.result, self.failed = KeeperRun(), ""
        self._keep, self._config = keep, config
        self.start()

    def run(self) -> None:
        """Run the keeper, and store its result."""
        self.failed = "?"
        try:
            self.result = self._keep(self._config)
            self.failed = ""
        except MdmemError as error:
            self.failed = str(in_language(error, self._config.lang))
