"""Runs the rules over sources, in this process or in several; loaded only when something is not remembered."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from datetime import date

from mdmem.core.document import Document, parse
from mdmem.core.meters import size
from mdmem.core.template import Template
from mdmem.linter.registry import LOST
from mdmem.linter.rule import FileFacts, Rule, Subject
from mdmem.linter.run import choose, has_structure, lint_subject, sane
from mdmem.workspace.config import TEMPLATES, Config
from mdmem.workspace.source import Source
from mdmem.workspace.verdict import Measured, Verdict

Choice = tuple[tuple[str, ...], tuple[str, ...]]  # (select, ignore)


class Judge:
    """The rules chosen for one workspace, ready to be run over its files."""

    def __init__(self, config: Config, choice: Choice) -> None:
        self.config = config
        self.rules: tuple[Rule, ...] = choose(*choice)

    def judge(self, source: Source) -> Verdict:
        """Run the rules over one source."""
        subject = self.subject(source, parse(source.seen.data))
        rules = self.rules if source.lost != "gone" else [rule for rule in self.rules if rule.code == LOST]
        found = lint_subject(subject, rules, self.config.lang)
        day = self.config.day if subject.asked_today else None
        return Verdict(found, day, subject.asked, _measured(subject))

    def subject(self, source: Source, document: Document) -> Observed:
        """Make what the rules look at."""
        return Observed(self, source, document, self.template(source.path, document))

    def template(self, path: str, document: Document) -> Template | None:
        """Find what a file is to be held to; None for no memory file."""
        if path.startswith(f"{TEMPLATES}/"):  # a schema is no memory
            return None
        # the folders above the root count too: `mdmem lint` inside memory/ must know a daily file
        full = os.path.join(self.config.root, path).replace(os.sep, "/")
        found = self.config.schemas.match(full)
        if found is None or found.body == "raw" or not sane(document, self.config.settings.lint):
            return found
        return self.config.schemas.match(full, document)


class Observed(Subject):
    """A subject that notes which facts from outside its file were asked for, so that an answer can be remembered."""

    def __init__(self, judge: Judge, source: Source, document: Document, template: Template | None) -> None:
        seen, config = source.seen, judge.config
        self.asked: dict[str, bool] = {}
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


def _measured(subject: Subject) -> Measured:
    """Measure a file; of one whose structure nobody reads only the characters are counted."""
    kind, lang = (subject.template.kind, subject.template.lang) if subject.template else ("", "")
    if not has_structure(subject):
        return Measured(kind, lang, len(subject.document.text))
    chars, entries = size(subject.document)
    return Measured(kind, lang, chars, entries, tuple(fill.number for fill in subject.fills))


def judge_all(config: Config, choice: Choice, sources: Sequence[Source], jobs: int) -> Iterator[Verdict]:
    """Judge sources in order, in as many processes as asked for."""
    from mdmem.core.parser import parser

    judge = Judge(config, choice)
    parser()  # the collector, once it is on, would go through all that this import makes
    gc.freeze()  # what the start-up loaded stays to the end
    gc.enable()
    if jobs == 1 or len(sources) == 1:
        yield from map(judge.judge, sources)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs, initializer=_begin, initargs=(config.root, config.lang_given, choice)) as pool:
        yield from pool.map(_work, sources, chunksize=max(1, min(64, len(sources) // (4 * jobs))))


_judge: Judge


def _begin(root: str, lang: str | None, choice: Choice) -> None:
    global _judge  # noqa: PLW0603 - one per worker process, set once before its work
    _judge = Judge(Config(root, lang), choice)


def _work(source: Source) -> Verdict:
    return _judge.judge(source)
