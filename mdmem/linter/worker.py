"""Lints sources in one or several processes, and fixes them. Loaded only if the cache lacks a file."""

# The block parser is imported before the collector is turned on, the process pool only for several processes.
from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import WriteError
from mdmem.formats.limits import size
from mdmem.formats.paths import within_user
from mdmem.formats.template import Template
from mdmem.linter.fixes import fix_document
from mdmem.linter.registry import LOST, ORPHAN, RULES
from mdmem.linter.rule import FileFacts, Rule, Subject
from mdmem.linter.runner import choose, has_structure, lint_subject
from mdmem.linter.sources import OUTPUTS, FileFix, LintReport, LintSource, find_sources
from mdmem.linter.verdict import Choice, Measured, Verdict
from mdmem.store.files import FileSnapshot, file_size
from mdmem.store.walk import need_folder
from mdmem.text.document import Document, parse
from mdmem.text.edit import Diagnostic, smallest
from mdmem.text.encodings import as_utf8

if TYPE_CHECKING:
    from mdmem.store.transaction import DraftFiles, Edits


_ENCODING = "MM101"  # the rule about files that are not UTF-8
_SAFE_PATH = "PYTHONSAFEPATH"


class LintWorker:
    """The chosen rules, ready to be run over the files of one workspace."""

    def __init__(self, config: WorkspaceConfig, choice: Choice) -> None:
        self.config = config
        self.rules: tuple[Rule, ...] = choose(*choice)

    def lint(self, source: LintSource) -> Verdict:
        """Run the rules over one source."""
        subject = self.subject(source, parse(source.seen.data))
        only = LOST if source.lost == "gone" else ORPHAN if source.seen.type == "orphan" else ""
        rules = [rule for rule in self.rules if rule.code == only] if only else self.rules
        diagnostics = self._without_quotations(subject, lint_subject(subject, rules, self.config.lang))
        day = self.config.day if subject.asked_today else None
        return Verdict(diagnostics, day, subject.asked, subject.sizes, _measured(subject))

    def _without_quotations(self, subject: Subject, found: list[Diagnostic]) -> list[Diagnostic]:
        """Mark the findings on lines with a secret of which no chosen rule tells: no report quotes such a line."""
        others = [rule for rule in RULES if rule.secret and rule not in self.rules]
        if not others or not found:
            return found
        lines = {
            line
            for one in lint_subject(subject, others, self.config.lang, every=True)
            for line in range(one.line, one.end_line + 1)
        }
        return [one._replace(secret=one.secret or one.line in lines) for one in found]

    def every(self, source: LintSource) -> list[Diagnostic]:
        """Return the findings in one source without a limit of their number."""
        return lint_subject(self.subject(source, parse(source.seen.data)), self.rules, self.config.lang, every=True)

    def subject(self, source: LintSource, document: Document) -> FileSubject:
        """Return what the rules read of one source."""
        template = self.config.template(source.path, document)
        if template is not None and _only_called_so(source.path, document, template):
            template = None
        if template is None and within_user(source.path).startswith(OUTPUTS):  # of any name, as a tool has written it
            template = self.config.schemas.get("artifact")
        return FileSubject(self, source, document, template)


def _only_called_so(path: str, document: Document, template: Template) -> bool:
    """Return whether a document of a project is merely in a folder that is called as that of a kind.

    It has no header, though files of the kind need one, and that folder is not at the top: `src/knowledge/nets.md`.
    """
    if document.front_matter is not None or not any(rule.required for rule in template.front_matter.values()):
        return False
    top, *below = within_user(path).split("/")
    return bool(below) and all(top != glob.split("/")[0] for glob in template.files)


class FileSubject(Subject):
    """A subject that records which facts outside its file were asked for, so that its verdict can be cached."""

    def __init__(self, worker: LintWorker, source: LintSource, document: Document, template: Template | None) -> None:
        seen, config = source.seen, worker.config
        self.asked: dict[str, bool] = {}
        self.sizes: dict[str, int] = {}
        self.asked_today = False
        self._root = config.root
        facts = FileFacts(seen.type, seen.size, seen.link, source.lost, source.outdated, source.opposed)
        super().__init__(
            source.path,
            document,
            template,
            config.settings.lint._replace(max_bytes=config.most_bytes(source.path, config.settings.lint)),
            config.today,
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
        full_path = os.path.join(self._root, path)
        exists = os.path.exists(full_path)
        if exists and path != self.path and path.casefold() == self.path.casefold():
            # on many file systems this is the same file
            exists = not os.path.samefile(full_path, os.path.join(self._root, self.path))
        return self.asked.setdefault(path, exists)

    def _size_of(self, path: str) -> int:
        return self.sizes.setdefault(path, file_size(self._root, path))


def _measured(subject: Subject) -> Measured:
    """Return the measures of a file; only its characters if its structure is not parsed."""
    kind, lang = (subject.template.kind, subject.template.lang) if subject.template else ("", "")
    if not has_structure(subject):
        return Measured(kind, lang, len(subject.document.text))
    chars, entries = size(subject.document)
    return Measured(kind, lang, chars, entries, tuple(fill.number for fill in subject.fills))


def lint_all(config: WorkspaceConfig, choice: Choice, sources: Sequence[LintSource], jobs: int) -> Iterator[Verdict]:
    """Yield the verdicts of sources in order, computed in `jobs` processes."""
    from mdmem.text.markdown_parser import parser

    worker = LintWorker(config, choice)
    parser()  # imported before the collector is on, which would visit all objects of the import
    gc.freeze()  # objects of the start-up live until the end
    gc.enable()
    if jobs == 1 or len(sources) == 1:
        yield from map(worker.lint, sources)
        return
    from concurrent.futures import ProcessPoolExecutor

    with _safe_path():  # new interpreters start with the pool and with its first task
        pool = ProcessPoolExecutor(jobs, initializer=_start_worker, initargs=(config.anew(), choice))
        found = pool.map(_lint_source, sources, chunksize=max(1, min(64, len(sources) // (4 * jobs))))
    with pool:
        yield from found


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let the interpreters that start now take no module from the folder in which they start."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


_worker: LintWorker


def _start_worker(config: WorkspaceConfig, choice: Choice) -> None:
    global _worker  # noqa: PLW0603 - one per process, set once at its start
    _worker = LintWorker(config, choice)


def _lint_source(source: LintSource) -> Verdict:
    return _worker.lint(source)


def fix_files(
    config: WorkspaceConfig,
    paths: Sequence[str],
    *,
    select: Sequence[str] | None,
    ignore: Sequence[str] | None,
    write: bool,
) -> LintReport:
    """Fix files; see `Workspace.fix`."""
    need_folder(config.root)
    settings = config.settings.lint
    choice: Choice = (
        tuple(settings.select if select is None else select),
        tuple(settings.ignore if ignore is None else ignore),
    )
    worker = LintWorker(config, choice)
    changes: list[FileFix] = []
    remaining: list[Diagnostic] = []
    files = 0
    for source in find_sources(config, paths, settings):
        files += 1
        is_theirs = bool(config.bundles.owner(source.path))  # an update alone changes a file of a bundle
        left, change = (worker.lint(source).diagnostics, None) if is_theirs else fix_source(worker, source)
        remaining += left
        if change:
            changes.append(change)
            if write:
                _write(config, source, change.after)
    return LintReport(files, tuple(remaining), settings.fail_on, tuple(changes))


def fix_source(worker: LintWorker, source: LintSource) -> tuple[Sequence[Diagnostic], FileFix | None]:
    """Fix one file in memory; return the remaining findings, and what changed."""
    data = _converted(worker, source)
    if data is not None:
        left, change = fix_source(worker, source._replace(seen=source.seen._replace(size=len(data), data=data)))
        after, count, mended = change[2:] if change else (data, 0, ())
        return left, FileFix(source.path, source.seen.data, after, count + 1, ((1, _ENCODING), *mended))
    verdict = worker.lint(source)
    if not any(diagnostic.fix for diagnostic in verdict.diagnostics):
        return verdict.diagnostics, None
    fixed = fix_document(
        parse(source.seen.data),
        lambda document: lint_subject(worker.subject(source, document), worker.rules, worker.config.lang, every=True),
    )
    after = fixed.document.to_bytes()
    if after == source.seen.data:
        return fixed.remaining, None
    mended = tuple((one.line, one.code) for one in fixed.mended)
    return fixed.remaining, FileFix(source.path, source.seen.data, after, fixed.applied, mended)


def _converted(worker: LintWorker, source: LintSource) -> bytes | None:
    """Return a memory file in UTF-8 that is certainly in another encoding, if the rule about it was chosen."""
    if not any(rule.code == _ENCODING for rule in worker.rules) or source.seen.type != "regular":
        return None
    data = as_utf8(source.seen.data)
    return data if data is not None and worker.config.template(source.path, parse(data)) else None


def _write(config: WorkspaceConfig, source: LintSource, after: bytes) -> None:
    """Write a fixed file with the pen; the linter has proved already that the fix is safe."""
    old, new = (data.decode("utf-8", "surrogateescape") for data in (source.seen.data, after))

    def change(files: DraftFiles) -> Edits:
        document = files[source.path]
        if document is None or document.text != old:
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
    """Lint a text as if it were at a path.

    Args:
        data: the text, as bytes.
        path: its path, POSIX from the root; the name decides which kind of memory it is.
        root: the workspace with settings and templates; files that entries refer to are looked up there.
        lang: the language of messages, zh or en.
        select: codes, prefixes of codes or names of rules to run; empty for all.
        ignore: the same, for rules to leave out.

    Raises:
        UsageError: a word names no rule.
        ConfigError: the workspace's settings or templates are wrong.

    >>> [finding.code for finding in lint("- 提醒主人下周交周报\\n".encode(), "MEMORY.md")]
    """
    worker = LintWorker(WorkspaceConfig(root, lang), (select, ignore))
    return tuple(worker.lint(LintSource(path, FileSnapshot("regular", len(data), "none", data))).diagnostics)
