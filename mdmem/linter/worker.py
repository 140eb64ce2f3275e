"""Runs the rules over sources, in this process or in several; loaded only when something is not remembered."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING

from mdmem.config.workspace_config import TEMPLATES, WorkspaceConfig
from mdmem.errors import WriteError
from mdmem.formats.limits import size
from mdmem.formats.template import Template
from mdmem.linter.fixes import fix_document
from mdmem.linter.registry import LOST, ORPHAN
from mdmem.linter.rule import FileFacts, Rule, Subject
from mdmem.linter.runner import choose, has_memory_lines, has_structure, lint_subject
from mdmem.linter.sources import FileFix, LintReport, LintSource, find_sources
from mdmem.linter.verdict import Measured, Verdict, file_size
from mdmem.store.files import FileSnapshot
from mdmem.text.document import Document, parse
from mdmem.text.edit import Diagnostic, smallest

if TYPE_CHECKING:
    from mdmem.store.transaction import DraftFiles, Edits

Choice = tuple[tuple[str, ...], tuple[str, ...]]  # (select, ignore)


class LintWorker:
    """The rules chosen for one workspace, ready to be run over its files."""

    def __init__(self, config: WorkspaceConfig, choice: Choice) -> None:
        self.config = config
        self.rules: tuple[Rule, ...] = choose(*choice)

    def judge(self, source: LintSource) -> Verdict:
        """Run the rules over one source."""
        subject = self.subject(source, parse(source.seen.data))
        only = LOST if source.lost == "gone" else ORPHAN if source.seen.type == "orphan" else ""
        rules = [rule for rule in self.rules if rule.code == only] if only else self.rules
        found = lint_subject(subject, rules, self.config.lang)
        day = self.config.day if subject.asked_today else None
        return Verdict(found, day, subject.asked, subject.sizes, _measured(subject))

    def subject(self, source: LintSource, document: Document) -> FileSubject:
        """Make what the rules look at."""
        return FileSubject(self, source, document, self.template(source.path, document))

    def template(self, path: str, document: Document) -> Template | None:
        """Find what a file is to be held to; None for no memory file."""
        if path.startswith(f"{TEMPLATES}/"):  # a schema is no memory
            return None
        # the folders above the root count too: `mdmem lint` inside memory/ must know a daily file
        full = os.path.join(self.config.root, path).replace(os.sep, "/")
        found = self.config.schemas.match(full)
        if found is None or found.body == "raw" or not has_memory_lines(document, self.config.settings.lint):
            return found
        return self.config.schemas.match(full, document)


class FileSubject(Subject):
    """A subject that notes which facts from outside its file were asked for, so that an answer can be remembered."""

    def __init__(self, judge: LintWorker, source: LintSource, document: Document, template: Template | None) -> None:
        seen, config = source.seen, judge.config
        self.asked: dict[str, bool] = {}
        self.sizes: dict[str, int] = {}
        self.asked_today = False
        self._root = config.root
        facts, today = FileFacts(seen.type, seen.size, seen.link, source.lost), date.fromisoformat(config.day)
        super().__init__(
            source.path,
            document,
            template,
            config.settings.lint,
            today,
            schemas=config.schemas,
            facts=facts,
            exists=self._exists,
            size_of=self._size_of,
        )

    @property
    def today(self) -> date:
        """The day of the run."""
        self.asked_today = True
        return self._today

    @today.setter
    def today(self, value: date) -> None:
        self._today = value

    def _exists(self, path: str) -> bool:
        whole = os.path.join(self._root, path)
        there = os.path.exists(whole)
        if there and path != self.path and path.casefold() == self.path.casefold():
            there = not os.path.samefile(whole, os.path.join(self._root, self.path))  # one file on many disks
        return self.asked.setdefault(path, there)

    def _size_of(self, path: str) -> int:
        return self.sizes.setdefault(path, file_size(self._root, path))


def _measured(subject: Subject) -> Measured:
    """Measure a file; of one whose structure nobody reads only the characters are counted."""
    kind, lang = (subject.template.kind, subject.template.lang) if subject.template else ("", "")
    if not has_structure(subject):
        return Measured(kind, lang, len(subject.document.text))
    chars, entries = size(subject.document)
    return Measured(kind, lang, chars, entries, tuple(fill.number for fill in subject.fills))


def judge_all(config: WorkspaceConfig, choice: Choice, sources: Sequence[LintSource], jobs: int) -> Iterator[Verdict]:
    """Judge sources in order, in as many processes as asked for."""
    from mdmem.text.blocks import parser

    judge = LintWorker(config, choice)
    parser()  # the collector, once it is on, would go through all that this import makes
    gc.freeze()  # what the start-up loaded stays to the end
    gc.enable()
    if jobs == 1 or len(sources) == 1:
        yield from map(judge.judge, sources)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs, initializer=_begin, initargs=(config.root, config.lang_given, choice)) as pool:
        yield from pool.map(_work, sources, chunksize=max(1, min(64, len(sources) // (4 * jobs))))


_judge: LintWorker


def _begin(root: str, lang: str | None, choice: Choice) -> None:
    global _judge  # noqa: PLW0603 - one per worker process, set once before its work
    _judge = LintWorker(WorkspaceConfig(root, lang), choice)


def _work(source: LintSource) -> Verdict:
    return _judge.judge(source)


def fix_files(
    config: WorkspaceConfig,
    paths: Sequence[str],
    *,
    select: Sequence[str] | None,
    ignore: Sequence[str] | None,
    write: bool,
) -> LintReport:
    """Mend the files; see `Workspace.fix`."""
    settings = config.settings.lint
    choice: Choice = (
        tuple(settings.select if select is None else select),
        tuple(settings.ignore if ignore is None else ignore),
    )
    judge = LintWorker(config, choice)
    changes: list[FileFix] = []
    remaining: list[Diagnostic] = []
    files = 0
    for source in find_sources(config, paths, settings):
        files += 1
        left, change = mend(judge, source)
        remaining += left
        if change:
            changes.append(change)
            if write:
                _write(config, source, change.after)
    return LintReport(files, tuple(remaining), settings.fail_on, tuple(changes))


def mend(judge: LintWorker, source: LintSource) -> tuple[Sequence[Diagnostic], FileFix | None]:
    """Mend one file in memory; return the findings that are left, and what changed."""
    verdict = judge.judge(source)
    if not any(diagnostic.fix for diagnostic in verdict.diagnostics):
        return verdict.diagnostics, None
    done = fix_document(
        parse(source.seen.data),
        lambda document: lint_subject(judge.subject(source, document), judge.rules, judge.config.lang, every=True),
    )
    after = done.document.to_bytes()
    if after == source.seen.data:
        return done.remaining, None
    return done.remaining, FileFix(source.path, source.seen.data, after, done.applied)


def _write(config: WorkspaceConfig, source: LintSource, after: bytes) -> None:
    """Let the pen write what was mended; that it is safe, the linter has proved already."""
    old, new = (data.decode("utf-8", "surrogateescape") for data in (source.seen.data, after))

    def change(files: DraftFiles) -> Edits:
        found = files[source.path]
        if found is None or found.text != old:
            raise WriteError("changed while it was being fixed", path=source.path, hint="run the command again")
        return {source.path: smallest(old, new)}

    config.pen().commit(change, actor="user", reason="lint --fix")


def lint_text(
    data: bytes,
    path: str,
    *,
    root: str = ".",
    lang: str | None = None,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
) -> tuple[Diagnostic, ...]:
    """Say what is wrong with a text that would stand at a path.

    Args:
        data: the text, as bytes.
        path: where it would stand, POSIX from the root; its name decides what kind of memory it is.
        root: the workspace whose settings and templates hold; files that entries refer to are looked for there.
        lang: the language of messages, zh or en.
        select: codes, prefixes of codes or names to run; all without.
        ignore: the same, to leave out.

    Raises:
        UsageError: a word names no rule.
        ConfigError: the workspace's settings or templates are wrong.

    >>> [finding.code for finding in lint("- 提醒主人下周交周报\\n".encode(), "MEMORY.md")]
    """
    judge = LintWorker(WorkspaceConfig(root, lang), (select, ignore))
    return tuple(judge.judge(LintSource(path, FileSnapshot("regular", len(data), "none", data))).diagnostics)
