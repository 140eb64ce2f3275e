"""Make the stretches of an episode, ask a model where one is set up, and write them with their links to facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.model import Outcome
from mdmem.episodes.edits import (
    draft_episode,
    entities_of,
    goal_of,
    importance_of,
    read_answer,
)
from mdmem.episodes.fact_links import facts_files_of, with_facts
from mdmem.episodes.model import EpisodeDraft, EpisodeSource, EpisodeTask
from mdmem.episodes.stretches import (
    EpisodeStretch,
    EpisodeWords,
    episode_edits,
    find_actions,
    read_stretches,
    shortened,
    stretch_lines,
)
from mdmem.errors import ConflictError
from mdmem.formats.session import UNKNOWN, Turn, read_session
from mdmem.formats.session_edits import set_values
from mdmem.generation.chosen_backend import RULES, ChosenBackend, Proposal
from mdmem.generation.prompt import prompt
from mdmem.messages.catalog import say
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document
from mdmem.text.yaml.post import FrontValue

PROMPT = "episode"
_WHY_CHARS = 160  # of the reason why a model's answer was not taken


class EpisodeWriter:
    """The rounds of one session that no episode covers, as they were read."""

    def __init__(
        self, config: WorkspaceConfig, task: EpisodeTask, spans: Sequence[tuple[int, int]], by: EpisodeSource,
        backend: ChosenBackend,
    ) -> None:  # fmt: skip
        """Bind to some ranges of rounds."""
        self._config, self._task, self._spans, self._by, self._backend = config, task, spans, by, backend
        self._words, self._path = EpisodeWords(task.template), task.session.path

    def write(self, *, dry_run: bool) -> Outcome:
        """Make the stretches and write them with the front matter and the links of facts, as one change.

        Raises:
            ConflictError: the rounds have changed meanwhile.
            MdmemError: the pen refuses.
        """
        lang = self._config.lang
        drafts, why = self._drafts()
        stretches = [
            self._stretch(first, last, draft) for (first, last), draft in zip(self._spans, drafts, strict=True)
        ]
        values = self._values(drafts, stretches)
        backend = RULES if why or self._backend.by_rules else self._backend.name
        reason = say(lang, "episode.reason", backend=backend)
        commit = ChangeRequest(self._config, "episode", KEEPER, reason, dry_run=dry_run)
        if why:
            why = say(lang, "episode.fell-back", why=why)
            commit.reason += why
        candidates = facts_files_of(self._config, self._task.session.id)

        def change(files: DraftFiles) -> Edits:
            document = commit.document(files, self._path)
            self._check_unchanged(document)
            most = self._task.number("linked_facts")
            told, edits = with_facts(files, candidates, self._task.session.id, stretches, most)
            own = (*set_values(document, _new_values(document, values)),
                   *episode_edits(document, self._task.template, told, self._task.lang))  # fmt: skip
            return {self._path: own, **edits}

        commit.run(change, paths=(self._path, *candidates))
        rounds = say(lang, "punctuation.list").join(one.rounds for one in stretches)
        key = "episode.written-round" if rounds.isdecimal() else "episode.written"
        return commit.outcome(say(lang, key, path=self._path, rounds=rounds) + why, self._path)

    def _drafts(self) -> tuple[list[EpisodeDraft], str]:
        """Return a draft for each range, and why a model's was not taken."""
        why, found = "", []
        for first, last in self._spans:
            own = draft_episode(self._task, first, last, self._words)
            made = self._proposal(first, last)
            why = why or shortened(made.why, _WHY_CHARS)
            found.append(made.answer._replace(outcome=made.answer.outcome or own.outcome) if made.answer else own)
        return found, why

    def _proposal(self, first: int, last: int) -> Proposal[EpisodeDraft]:
        if self._backend.by_rules:
            return Proposal()
        shown, most = _shown(self._task, self._task.between(first, last), self._words), self._config.settings.keeper
        read = partial(read_answer, self._task, shown, most.max_answer_chars)
        return self._backend.proposal(partial(self._prompt, shown), read)

    def _prompt(self, shown: str) -> str:
        slots = {"file": shown, "path": self._path, "today": self._config.day,
                 "max_chars": str(self._task.number("summary_chars")),
                 "goal_chars": str(self._task.number("goal_chars"))}  # fmt: skip
        return prompt(self._config, PROMPT, self._task.lang, slots)

    def _stretch(self, first: int, last: int, draft: EpisodeDraft) -> EpisodeStretch:
        task, session = self._task, self._task.session
        turns = task.between(first, last)
        actions = find_actions(turns, self._words, task.splitter)
        is_given = session.outcome not in ("ongoing", UNKNOWN, "")
        is_last = session.ended and is_given and last == task.turns[-1].number
        outcome = session.outcome if is_last else draft.outcome
        if outcome == UNKNOWN and not session.ended and self._by != "night":
            outcome = "ongoing"  # by night it is idle, and nobody will end it
        summary = draft.summary or say(task.lang, "episode.only-tools", count=len(actions))
        one = EpisodeStretch(first, last, summary, outcome, self._by, (), actions)
        fit = iter([not task.unfit(line) for line in stretch_lines(one, task.lang)][1:])
        return one._replace(actions=tuple(
            action if is_fit else replace(action, input="", result="", decision="", output="")
            for action, is_fit in zip(actions, fit, strict=True)
        ))  # fmt: skip

    def _values(self, drafts: Sequence[EpisodeDraft], stretches: Sequence[EpisodeStretch]) -> dict[str, FrontValue]:
        """Return the front matter: the goal, the importance, the entities, and when the episode was written."""
        task = self._task
        given = [name for draft in drafts for name in draft.entities]
        actions = [action for one in stretches for action in one.actions]
        goal = next((draft.goal for draft in drafts if draft.goal), "") or goal_of(task)
        ends = task.session.ended and stretches[-1].last == task.turns[-1].number
        return {"goal": goal, "importance": round(importance_of(task), 2),
                "entities": entities_of(task, actions, given), "source": self._by,
                "outcome": stretches[-1].outcome if ends else ""}  # fmt: skip

    def _check_unchanged(self, document: Document) -> None:
        """Check that the rounds are as they were read, and still without an episode; newer ones may have been added."""
        now = read_session(document, self._path, self._task.template)
        before = [(turn.number, turn.role) for turn in self._task.session.turns]
        if [(turn.number, turn.role) for turn in now.turns][: len(before)] != before or (
            [turn.text for turn in now.turns][: len(before)] != [turn.text for turn in self._task.session.turns]
        ):
            raise ConflictError(say(self._config.lang, "keeper.moved-on"), path=self._path)
        told = read_stretches(document, self._task.template)
        if any(one.first <= last and first <= one.last for one in told for first, last in self._spans):
            raise ConflictError(say(self._config.lang, "keeper.moved-on"), path=self._path)


def _new_values(document: Document, values: dict[str, FrontValue]) -> dict[str, FrontValue]:
    """Return the values to write: what a key says already stays, but for the source, and entities are added to it."""
    known = document.front_matter.values if document.front_matter else {}
    found = {
        key: value
        for key, value in values.items()
        if value and (key == "source" or known.get(key) in (None, "", UNKNOWN))
    }
    held = known.get("entities")
    if isinstance(held, list) and held:
        more = values["entities"] if isinstance(values["entities"], tuple) else ()
        found["entities"] = tuple(dict.fromkeys((*map(str, held), *more)))
    return found


def _shown(task: EpisodeTask, turns: Sequence[Turn], words: EpisodeWords) -> str:
    """Return what a model sees: what was asked for, and the turns, of tool runs one line."""
    found = [task.session.request.strip()]
    for turn in turns:
        action = find_actions((turn,), words, task.splitter) if turn.role == "tool" else ()
        text = " ".join((action[0].tool, action[0].input, "" if action[0].ok is None else str(action[0].ok),
                         action[0].result)) if action else turn.text.strip()  # fmt: skip
        found.append(f"#{turn.number} {turn.role} {turn.time}".rstrip() + f"\n{text}")
    return "\n\n".join(filter(None, found))
