"""What a watcher knows of the files: it judges what changed, and remembers which of them wait for the keeper."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from time import strftime

from mdmem.core.diagnostic import SEVERITIES, Diagnostic
from mdmem.errors import MdmemError
from mdmem.watch.watcher import Batch
from mdmem.workspace.chat.find import chats
from mdmem.workspace.config import Config
from mdmem.workspace.inbox import inbox_path
from mdmem.workspace.lint import Report, lint
from mdmem.workspace.pending import look, overflowed, waiting
from mdmem.workspace.watch_words import Notice, notice, tally, tell

Reasons = tuple[str, ...]
# section at its threshold or over its cap, file over or near its limit, expired entry, too many entries
_METERS = frozenset(("MM401", "MM402", "MM404", "MM405", "MM406", "MM407"))


class Board:
    """The state of the files as last judged; every look takes settings and the calendar as they are by then."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.pending: dict[str, Reasons] = {}  # path → why it waits for the keeper

    def all(self, how: str = "") -> Iterator[Notice]:
        """Judge every file, and say it in one line; `how` is how they will be watched from now on."""
        try:
            report = self._judge(())
            waits = dict.fromkeys(self.pending, ()) | self._waiting(report, ())
        except MdmemError as error:
            yield self._unread(error)
            return
        lang, found = self.config.lang, tally(self.config.lang, *_count(report.diagnostics))
        told = tell(lang, how) if how else ""
        yield notice(lang, "started" if how else "looked", files=report.files, found=found, how=told)
        yield from self._note(waits)

    def changed(self, batch: Batch) -> Iterator[Notice]:
        """Judge the files that changed; all on a new day, for what has expired by now, and where the inbox is gone."""
        if self.config.day != strftime("%Y-%m-%d") or inbox_path(self.config) in batch.gone:
            yield from self.all()
        for path in batch.gone:
            yield notice(self.config.lang, "gone", path=path)
            self.pending.pop(path, None)
        if not batch.changed:
            return
        asked = batch.changed
        if inbox_path(self.config) in asked:  # what it holds belongs to other files
            asked = (*asked, *self.pending)
        try:
            report = self._judge(batch.changed)
            waits = dict.fromkeys(asked, ()) | self._waiting(report, asked)
        except MdmemError as error:
            yield self._unread(error)
            return
        for path in batch.changed:
            found = tuple(one for one in report.diagnostics if one.path == path)
            worst = min((one.severity for one in found), default="note", key=SEVERITIES.index)
            yield Notice("changed", tally(self.config.lang, *_count(found)), worst, path, found)
        yield from self._note(waits)

    def _judge(self, paths: Sequence[str]) -> Report:
        config = Config(self.config.root, self.config.lang_given)
        try:
            report = lint(config, paths, select=None, ignore=None, staged=False, jobs=None, progress=None)
        finally:
            gc.unfreeze()  # the judge sets aside what it finds, for it means to run once in a process
            gc.collect()
        self.config = config
        return report

    def _waiting(self, report: Report, asked: Sequence[str]) -> dict[str, Reasons]:
        """Say what waits in the files asked about, or in any: of them, what a rule, the inbox or a chat names."""
        settings, inbox = self.config.settings.lint, inbox_path(self.config)
        if settings.select or settings.ignore:  # a rule that would name a file may be silent
            return waiting(self.config, asked)
        named = {one.path for one in report.diagnostics if one.code in _METERS} | {*chats(self.config, asked)}
        if inbox in asked or not asked:
            named |= {path for path, _ in overflowed(look(self.config, [inbox]).documents.get(inbox))}
            named |= self.pending.keys() & {*asked}
        return waiting(self.config, sorted(named)) if named else {}

    def _note(self, now: Mapping[str, Reasons]) -> Iterator[Notice]:
        """Remember what waits, and say what is new about it."""
        for path, reasons in now.items():
            before = self.pending.pop(path, ())
            if reasons:
                self.pending[path] = reasons
            elif before:
                yield notice(self.config.lang, "home", path=path)
            for reason in reasons:
                if reason not in before:
                    yield notice(self.config.lang, "pending", path=path, reason=reason)

    def _unread(self, error: MdmemError) -> Notice:
        return notice(self.config.lang, "unread", "error", why=error)


def _count(found: Sequence[Diagnostic]) -> tuple[int, int]:
    return sum(one.severity == "error" for one in found), sum(one.severity == "warning" for one in found)
