"""Put patterns into the inbox as lines, as further evidence of lines, or as new pieces; know what was proposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mdmem.config.inbox_sections import PROPOSALS
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest, PendingConfirmation
from mdmem.entries.edits import replace
from mdmem.entries.inbox.items import inbox_template
from mdmem.entries.inbox.proposals import InboxDraft, add_proposal, earlier_items, hunks, target_label
from mdmem.entries.model import Outcome
from mdmem.formats.paths import KNOWLEDGE
from mdmem.formats.session import Session
from mdmem.knowledge.read import KIND, OpenPiece
from mdmem.learning.edits import new_piece, pattern_key, sources_of, with_sources
from mdmem.learning.model import LearnedPattern
from mdmem.learning.piece_finder import free_name, said_already
from mdmem.messages.catalog import say
from mdmem.sessions.service import slug
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Entry
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.similarity import comparison_key


class PatternTarget(NamedTuple):
    """A pattern, and the piece where it belongs."""

    pattern: LearnedPattern
    piece: OpenPiece | None  # None for a new piece

    @property
    def path(self) -> str:
        """The file of the piece; the folder of all pieces for a new one."""
        return self.piece.piece.path if self.piece else KNOWLEDGE

    @property
    def is_new_line(self) -> bool:
        """Whether it becomes a new line of a piece, in words that are not the user's."""
        is_said = said_already(self.piece, pattern_key(self.pattern.text)) is not None
        return self.piece is not None and self.pattern.kind != "corrected" and not is_said


class EarlierPatterns:
    """What waits in the inbox for pieces of knowledge, or waited there and was accepted or rejected."""

    def __init__(self, config: WorkspaceConfig) -> None:
        """Read the inbox and its newest changes."""
        found = earlier_items(config, config.settings.extract.inbox_changes)
        own = [one for one in found if one.path.startswith(f"{KNOWLEDGE}/")]
        lines = (line.lstrip("+- ") for one in own for line in (one.text, *one.change.splitlines()))
        self._keys = {frozenset(pattern_key(line)) for line in lines}
        self._changed = {comparison_key(row[1:]) for one in own for row in one.change.splitlines() if row[:1] == "-"}

    def holds(self, key: Sequence[str]) -> bool:
        """Return whether a pattern was proposed."""
        return any(code.issuperset(key) for code in self._keys)

    def changes(self, line: Entry) -> bool:
        """Return whether further evidence of a line, as it is now, was proposed."""
        return comparison_key(line.text) in self._changed


class PatternProposals:
    """Writes the proposals of one session."""

    def __init__(self, commit: ChangeRequest, session: Session) -> None:
        """Bind to a change of the keeper, and to the session that teaches."""
        self._commit, self._session = commit, session

    def propose(self, targets: Sequence[PatternTarget], hint: str = "") -> Outcome:
        """Put patterns into the inbox, where the user accepts or drops each; `hint` tells why no model worded them."""
        commit = self._commit

        def change(files: DraftFiles) -> Edits:
            draft = InboxDraft(commit, files, (one.pattern.text * 3 for one in targets))
            for one in targets:
                self._add(draft, one)
            waiting = inbox_template(commit.config).name(PROPOSALS) or PROPOSALS
            paths = say(commit.lang, "punctuation.list").join(dict.fromkeys(one.path for one in targets))
            facts = {"path": paths, "inbox": draft.path, "waiting": waiting, "count": len(targets)}
            commit.waiting = PendingConfirmation(draft.path, "review.proposed", facts)
            return draft.edits()

        commit.run(change)
        return commit.outcome(commit.reason, self._session.path, hint)

    def _add(self, draft: InboxDraft, one: PatternTarget) -> None:
        """Add one proposal to the inbox."""
        pattern = one.pattern
        if one.piece is None:
            self._add_piece(draft, pattern)
        elif line := said_already(one.piece, pattern_key(pattern.text)):
            self._add_evidence(draft, one.piece, line, pattern)
        else:
            section = one.piece.template.name(pattern.section) or pattern.section
            fields = {"to": target_label(one.path, section), "by": self._commit.access.actor}
            draft.add([f"[ ] {with_sources(pattern.text, pattern.sources)}"], PROPOSALS, fields)

    def _add_evidence(self, draft: InboxDraft, piece: OpenPiece, line: Entry, pattern: LearnedPattern) -> None:
        """Add the proposal that a line names the sources of a pattern too."""
        commit, path, document = self._commit, piece.piece.path, piece.document
        room = commit.config.settings.learning.evidence - len(sources_of(line.text))
        edits = replace(document, line, with_sources(line.text, pattern.sources[:room])).edits
        commit.gate.examine(path, document, edits)
        sentence = say(commit.lang, "learning.evidence", text=line.parts.body.of(line.text).strip())
        for hunk in hunks(document.text, apply_edits(document.text, edits)):
            add_proposal(commit, draft, path, hunk, sentence)

    def _add_piece(self, draft: InboxDraft, pattern: LearnedPattern) -> None:
        """Add the proposal of a new piece that holds one line; it is named after the task of the session."""
        commit, config, task = self._commit, self._commit.config, self._session.task
        name = free_name(config, slug(task, config.settings.session.slug_chars).replace("_", "-"))
        path, line = f"{KNOWLEDGE}/{name}.md", with_sources(pattern.text, pattern.sources)
        text = new_piece(config.schemas.required(KIND), name, task, pattern.section, line)
        commit.gate.examine(path, None, (Edit.insert(0, text),))
        for hunk in hunks("", text):
            add_proposal(commit, draft, path, hunk, say(commit.lang, "learning.new-piece", name=name))
