"""The namespace of the scratchpad: read it, and write its generated lines anew at the end of a session.

The rules make the lines, or a model does; it is asked without any lock. Only the generated blocks are written.
"""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import replace
from functools import partial

from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.archive import archive
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits.generated import GeneratedLines
from mdmem.entries.gate import Gate
from mdmem.entries.generated_lines import GeneratedFile, generated_change
from mdmem.entries.inbox.proposals import propose
from mdmem.entries.model import Outcome
from mdmem.entries.read import read_optional
from mdmem.formats.sentences import Splitter
from mdmem.formats.template import Template
from mdmem.generation.chosen_backend import ChosenBackend
from mdmem.generation.prompt import prompt
from mdmem.linter.detect.small_talk import is_small_talk
from mdmem.linter.rules.mm509_private_amount import find_balances
from mdmem.linter.views.decoded_views import DecodedView
from mdmem.messages.catalog import say
from mdmem.messages.folders import languages
from mdmem.models import Backend
from mdmem.scratchpad.asked_answers import AskedAnswers
from mdmem.scratchpad.edits import SPEC, kept_lines, left_entries, read_scratchpad
from mdmem.scratchpad.gather import (
    digests,
    plan_digest,
    scratchpad_path,
    scratchpad_template,
)
from mdmem.scratchpad.job import PROMPT, ScratchpadTask, answered_lines, prompt_values, scratchpad_problems
from mdmem.scratchpad.model import CHAT, SECTIONS, PlanDigest, Scratchpad
from mdmem.scratchpad.rules import ScratchpadMaterial, ScratchpadRules
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.inline import one_line
from mdmem.wording.importance import ImportanceScorer

_STAMP = len("20260220_100000")  # characters of a session's id that the log names


class Scratchpads(TypedCalls):
    """The namespace `Workspace.scratchpad`: what is being worked on, for the next session to begin with."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    def __call__(self, user: str = "", *, agent: str = "") -> Scratchpad:
        """Return the entries of a scratchpad by section; all empty if there is no file.

        Args:
            user: whose scratchpad, as in `Workspace.of`.
            agent: an agent, whose own scratchpad in agents/AGENT/ comes before the workspace's.

        Raises:
            UsageError: the agent's name cannot be the name of a folder.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").scratchpad().next_steps
        """
        config = self._config.of(user)
        path = scratchpad_path(config, agent)
        document = _read(config, path)
        if document is None:
            return Scratchpad(path)
        template = config.schemas.match(path, document) or scratchpad_template(config)
        written = os.stat(os.path.join(config.root, path)).st_mtime
        updated = dt.datetime.fromtimestamp(written).astimezone()
        return read_scratchpad(document, template, path, f"{updated:%Y-%m-%d %H:%M}")

    def update(
        self,
        user: str = "",
        *,
        agent: str = "",
        backend: str | Backend | None = None,
        apply: str | None = None,
        persona: str = "",
        plan: bool = False,
    ) -> Outcome:
        """Write the generated lines of a scratchpad anew, as the end of a session does.

        Lines that a person wrote stay; a generated line that was edited moves below the generated ones, and one that
        was deleted does not come back. Progress that leaves goes to the archive. If a model's answer is not proved by
        the sessions, the lines of the rules are written, and the hint says why.

        Args:
            user: as for the call.
            agent: as for the call.
            backend: rules, command, openai or agent; or a function from a prompt to an answer. None for
                `[keeper] backend`.
            apply: an agent's answer to `prompt`, instead of asking a backend.
            persona: a text in whose style a model may write.
            plan: show what would change, and write nothing.

        Raises:
            UsageError: the name or the backend is unknown.
            RefusedError: a mark of a generated block stands without its other half.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").scratchpad.update(plan=True).message
        """
        config = self._config.of(user)
        return update_scratchpad(config, agent, ChosenBackend(config, backend, apply), persona=persona, dry_run=plan)

    def prompt(self, user: str = "", *, agent: str = "", persona: str = "") -> str:
        """Return the prompt for a model, whose answer `update(apply=…)` takes.

        Raises:
            ConfigError: the workspace's own prompt has an error.
        """
        update = _ScratchpadUpdate(self._config.of(user), agent)
        return _prompt(update.config, update.task(persona))


def update_scratchpad(
    config: WorkspaceConfig, agent: str, backend: ChosenBackend, *, persona: str = "", ended: str = "",
    dry_run: bool = False,
) -> Outcome:  # fmt: skip
    """Write the generated lines of a scratchpad; see `Scratchpads.update`. The session `ended` (an id) is read too."""
    update = _ScratchpadUpdate(config, agent, ended)
    return update.write(*update.lines(backend, persona), dry_run=dry_run)


def _read(config: WorkspaceConfig, path: str) -> Document | None:
    found = read_optional(config, path, "user")
    return parse(found.text.encode("utf-8", "surrogateescape")) if found else None


def _prompt(config: WorkspaceConfig, task: ScratchpadTask) -> str:
    return prompt(config, PROMPT, task.template.lang or config.lang, prompt_values(task))


class _ScratchpadUpdate:
    """One update, from reading the sessions to the commit."""

    def __init__(self, config: WorkspaceConfig, agent: str, ended: str = "") -> None:
        self.config, self.agent, self.ended = config, agent, ended
        access = AccessPolicy(config, KEEPER)
        self.path = access.reach(scratchpad_path(config, agent))
        self.found = _read(config, self.path)
        self.template: Template = access.template(self.path, self.found) or scratchpad_template(config)
        self.document = self.found or parse(self.template.text.encode())
        self.gate = Gate(access)
        self.sessions = digests(config, agent, ended)
        lang = self.template.lang or config.lang
        plan = PlanDigest("", (), "") if config.user else plan_digest(config, agent, lang)
        today = config.today
        words = config.settings.lint
        material = ScratchpadMaterial(
            self.sessions, plan, today, lang, Splitter(config.settings.sentences),
            lambda text: is_small_talk(text, words.small_talk, words.fillers) or self._tells_amount(text),
            kept_lines(self.document, self.template),
            AskedAnswers(config),
        )  # fmt: skip
        self.rules: GeneratedLines = ScratchpadRules(config.settings.scratchpad, material).lines()

    def task(self, persona: str) -> ScratchpadTask:
        """Return the task for a model."""
        settings = self.config.settings
        pad = settings.scratchpad
        scorer = ImportanceScorer(settings.keeper, self.config.today)
        newest = self.sessions[: pad.read_sessions]
        most = (pad.projects, pad.progress, pad.questions, pad.steps)
        return ScratchpadTask(self.path, self.document, self.template, newest, self.rules, most, pad.line_chars, scorer,
                              self._is_unfit, persona)  # fmt: skip

    def _is_unfit(self, text: str) -> bool:
        return self._tells_amount(text) or not self.gate.is_allowed(self.path, f"- {text}\n")

    def _tells_amount(self, text: str) -> bool:
        """Return whether a line has a private amount: a person may write one, and no line that is generated has it."""
        return any(True for _ in find_balances(DecodedView(text), self.config.settings.lint.balances))

    def lines(self, backend: ChosenBackend, persona: str) -> tuple[GeneratedLines, str]:
        """Return the lines of the backend; if it fails, those of the rules and the reason."""
        task = self.task(persona)
        made = backend.operations(partial(_prompt, self.config, task), partial(scratchpad_problems, task))
        return (answered_lines(task, made.answer) if made.answer else self.rules), made.why

    def write(self, lines: GeneratedLines, problem: str, *, dry_run: bool) -> Outcome:
        """Write the lines as one change."""
        config, path = self.config, self.path
        commit = ChangeRequest(config, "scratchpad", KEEPER, self._reason(problem), confirm=True, dry_run=dry_run)
        path = commit.target(path)
        reasons = tuple(say(lang, "scratchpad.reason", session="") for lang in languages())
        template, most = scratchpad_template(config), config.settings.scratchpad.changes
        file = GeneratedFile(path, SPEC, template, reasons, most, self._shares())

        def change(files: DraftFiles) -> Edits:
            document = files[path]
            if (document and document.text) == (self.found and self.found.text):
                return _changes(commit, files, file, lines)
            # another session has ended since, and its lines must not be lost
            return _changes(commit, files, file, _ScratchpadUpdate(config, self.agent, self.ended).rules)

        commit.run(change, propose=propose)
        hint = say(config.lang, "scratchpad.rules-used", reason=problem) if problem else ""
        outcome = commit.outcome(say(config.lang, "scratchpad.updated", path=path), path, hint)
        if outcome.status != "unchanged":
            return outcome
        return replace(outcome, message=say(config.lang, "scratchpad.same", path=path), hint=hint)

    def _reason(self, problem: str) -> str:
        """Return the reason for the log; the next update finds its own changes by how it begins."""
        session = self.sessions[0].source[: len(CHAT) + _STAMP] if self.sessions else "—"
        rest = say(self.config.lang, "punctuation.clause") + problem if problem else ""
        return say(self.config.lang, "scratchpad.reason", session=session) + rest

    def _shares(self) -> dict[str, float]:
        pad = self.config.settings.scratchpad
        shares = (pad.projects_share, pad.progress_share, pad.questions_share, pad.steps_share)
        total = max(1.0, sum(shares))
        return {alias: share / total for alias, share in zip(SECTIONS, shares, strict=True)}


def _changes(commit: ChangeRequest, files: DraftFiles, file: GeneratedFile, lines: GeneratedLines) -> Edits:
    """Return the edits of a scratchpad and of the archive; called inside a change of the pen."""
    path, change = file.path, generated_change(commit, files, file, lines)
    if change is None:
        return {}
    template = commit.template(path, files[path]) or file.template
    gone = left_entries(change.base, template, change.lines)
    gone = [one for one in gone if one_line(one.text) not in _texts_after(change.text)]
    return {path: change.edits, **archive(commit, files, path, change.base, gone, "outdated")}


def _texts_after(text: str) -> set[str]:
    """Return the entries of the new text: an edited line has moved, and does not leave."""
    return {one_line(entry.text) for entry in parse(text.encode("utf-8", "surrogateescape")).entries}
