"""The chat window of an open session, condensed into the context pool (G038 to G043, F064).

The summary and the rules go into the pool and `condensed_through` moves in one change: either all of it is there or
nothing. The turns stay in the session as they are.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from mdmem.core.document import Document, parse
from mdmem.core.intent import add
from mdmem.core.sentences import Splitter
from mdmem.core.session import Session, read_session
from mdmem.core.session.end import set_values
from mdmem.errors import ConflictError, UnreadableFileError
from mdmem.keeper.chat import Chat, Part, lines_by_part, problems
from mdmem.keeper.gist import gist
from mdmem.keeper.plan import Operation, Problem
from mdmem.keeper.weigh import Weigher
from mdmem.keeper.window import Window, open_session, window
from mdmem.store.draft import Edits, Files
from mdmem.workspace.access import KEEPER
from mdmem.workspace.chat.pool import Pool, find_pool
from mdmem.workspace.chat.rules import marked, sourced, unknown
from mdmem.workspace.chat.turns import shown
from mdmem.workspace.commit import Commit, texts_of
from mdmem.workspace.config import Config
from mdmem.workspace.gate import Gate
from mdmem.workspace.inbox import overflow
from mdmem.workspace.keeper_words import tell
from mdmem.workspace.outcome import Outcome
from mdmem.workspace.prompts import chat_prompt
from mdmem.workspace.read import read_file
from mdmem.workspace.session.find import template
from mdmem.workspace.tokens import token_counter

_THROUGH = "condensed_through"


class WindowJob:
    """The older rounds of one open session, as they were read."""

    def __init__(self, config: Config, session: Session, seen: Window, pool: Pool, gate: Gate) -> None:
        self.config, self.session, self.seen, self.pool, self.path = config, session, seen, pool, session.path
        settings = config.settings
        room = pool.max_chars - len(self._dated("")) - len(f" [source:: {self._source}]")
        self.chat = Chat(
            path=self.path,
            turns=shown(seen.turns),
            parts=(Part(pool.section, pool.names, pool.lines, room),),
            weigher=Weigher(settings.keeper, dt.date.fromisoformat(config.day)).of_talk(),
            near=settings.lint.near_duplicate,
            unfit=lambda text: not gate.may_stand(pool.path, f"- {text}\n"),
            splitter=Splitter(config.settings.sentences),
            before=" · ".join(filter(None, (session.task, session.started))),
        )

    def prompt(self) -> str:
        """Give what a model is asked."""
        return chat_prompt(self.config, self.chat, self.pool.lang)

    def answer(self) -> Sequence[Operation]:
        """Answer by rule."""
        return gist(self.chat)

    def problems(self, operations: Sequence[Operation]) -> Iterator[Problem]:
        """Find what is wrong with an answer."""
        return problems(self.chat, operations)

    def write(self, operations: Sequence[Operation], backend: str, *, dry_run: bool) -> Outcome | None:
        """Write a proved answer, the rules beside it, and how far the session is condensed now."""
        lang, pool = self.config.lang, self.pool
        commit = Commit(self.config, "compact", KEEPER, tell(lang, "reason", backend=backend), dry_run=dry_run)
        span = {"first": self.seen.first, "last": self.seen.last}
        told = lines_by_part(self.chat, operations)[pool.section] or (tell(pool.lang, "no-sentence", **span),)
        said = [self._dated(line) for line in told]
        count = 0

        def change(files: Files) -> Edits:
            nonlocal count
            session = commit.document(files, self.path)
            self._same(session)
            memory = files[pool.path]
            rules = marked(unknown(self.chat.rules, memory), pool.lang, pool.max_chars, self._source)
            lines = [*rules, *(sourced(line, self._source) for line in said)]
            intent = add(memory, commit.template(pool.path, memory), lines, section=pool.section)
            commit.note(pool.path, *intent.notes)
            full = next((note for note in intent.notes if note.kind == "full"), None)
            count = len(lines) - (len(texts_of(full)) if full else 0)
            more = overflow(commit, files, pool.path, pool.section, full) if full else {}
            return {self.path: set_values(session, {_THROUGH: self.seen.last}), pool.path: intent.edits, **more}

        commit.run(change)
        facts = {**span, "count": count, "section": pool.section}
        return commit.outcome(tell(lang, "condensed", path=self.path, to=pool.path, **facts), pool.path)

    def _same(self, document: Document) -> None:
        """See to it that the rounds still are what was condensed; newer ones may have come.

        Raises:
            ConflictError: they are not.
        """
        now = window(read_session(document, self.path, template(self.config)), template(self.config))
        said = [(turn.number, turn.role, turn.text) for turn in self.seen.turns]
        if [(turn.number, turn.role, turn.text) for turn in now.turns][: len(said)] != said:
            raise ConflictError(tell(self.config.lang, "moved-on"), path=self.path)

    @property
    def _source(self) -> str:
        return f"chat:{self.session.id}#{self.seen.first}-{self.seen.last}"

    def _dated(self, line: str) -> str:
        day = (self.session.started[:10] or self.config.day) + ("：" if self.pool.lang == "zh" else ": ")
        return line if line.startswith(day[:10]) else day + line


def read_window(config: Config, path: str) -> WindowJob | None:
    """Read what may be condensed of a session; None where there is nothing, or the session is over.

    Raises:
        UnreadableFileError, TargetError: it cannot be read.
    """
    found = read_file(config, path, KEEPER)
    if found.warning:
        raise UnreadableFileError(found.warning, path=path)
    schema = template(config)
    session = open_session(parse(found.text.encode()), path, schema)
    seen = window(session, schema, token_counter(config.settings.tokens)) if session else None
    if session is None or seen is None or not seen.turns:
        return None
    pool = find_pool(config, int(schema.numbers.get("condense_to", 1)))
    return WindowJob(config, session, seen, pool, Gate(pool.access))
