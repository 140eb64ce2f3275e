"""The namespace of the identity: compile SOUL.md, AGENT.md, USER.md and the persona into short texts.

A text is bound to its source by a digest. The rules write it, or a model does, whose answer is proved; it is asked
without any lock. Each text is one change, so that a run that was interrupted goes on where it ended.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from functools import cached_property, partial
from hashlib import blake2b
from typing import NamedTuple

from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.gate import Gate
from mdmem.entries.kind_files import in_identity, kind_file
from mdmem.entries.model import Outcome
from mdmem.entries.read import live_bytes
from mdmem.errors import ConfigError, MdmemError, MemoryOffError, TargetError, UsageError
from mdmem.formats.template import Template
from mdmem.generation.chosen_backend import ChosenBackend
from mdmem.generation.prompt import prompt
from mdmem.identity.job import CompileTask, answered_text, compile_problems, prompt_values
from mdmem.identity.model import SPECS, TARGETS, CompileBy, CompileTarget, IdentityText
from mdmem.identity.read import compiled_path, identity_rules, is_current, refusals
from mdmem.identity.rules import choose
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.models import Backend
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import smallest
from mdmem.text.inline import one_line
from mdmem.text.yaml.post import FrontValue, new_file
from mdmem.wording.importance import ImportanceScorer

_STAMP = ".compiled_at"


class CompiledText(NamedTuple):
    """A text that was made, and by whom."""

    text: IdentityText
    by: CompileBy = "rules"
    asked: CompileBy = "rules"  # rules if the model could not be reached: it is asked again
    problem: str = ""  # why the rules' text stands in for the model's
    refused: int = 0  # answers of a model about this source that were refused


class Identity(TypedCalls):
    """The namespace `Workspace.identity`: the short texts of SOUL.md, AGENT.md, USER.md and the persona."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    def compile(
        self,
        *targets: CompileTarget,
        plan: bool = False,
        backend: str | Backend | None = None,
        apply: str | None = None,
    ) -> tuple[Outcome, ...]:
        """Write the short texts of identity files to `compiled/`, for the recipe `layered`.

        A text whose source did not change is left as it is, and no model is asked. The sources are never written. If
        a model's answer is not proved by the source, the text of the rules is written, and the hint says why; the
        next call asks again, until `[compile] tries` answers were refused. A pack uses a text only as long as the
        source is the one that it was made from, and the rules otherwise.

        Args:
            targets: soul, agent.core, agent.tooling, user, persona; none means all of them.
            plan: show what would change, ask no model, and write nothing.
            backend: rules, command, openai or agent; or a function from a prompt to an answer. None for
                `[keeper] backend`.
            apply: an agent's answer to `prompt`, instead of asking a backend; for one target.

        Raises:
            UsageError: the target or the backend is unknown.
            MemoryOffError: memory is switched off.

        >>> [one.message for one in Workspace("workspace").identity.compile("soul", plan=True)]
        """
        config = self._config
        for name in targets:
            _check_target(config, name)
        if apply is not None and len(targets) != 1:
            raise UsageError(say(config.lang, "identity.one"), hint=say(config.lang, "identity.one.hint"))
        if not config.settings.memory.enabled:
            raise MemoryOffError(say(config.lang, "pen.off"), hint=say(config.lang, "pen.off.hint"))
        chosen = ChosenBackend(config, backend, apply)
        return tuple(
            compile_target(config, one, chosen, dry_run=plan) for one in TARGETS if one in (targets or TARGETS)
        )

    def prompt(self, target: CompileTarget) -> str:
        """Return the prompt for a model, whose answer `compile(target, apply=…)` takes.

        Raises:
            UsageError: there is no such target.
            TargetError: the source is missing, or says nothing.
            ConfigError: the workspace's own prompt has an error.
        """
        config = self._config
        _check_target(config, target)
        found = IdentitySource(config, target)
        if not found.exists or not any(found.text.lines):
            raise TargetError(say(config.lang, "identity.missing", path=found.path))
        return found.prompt()


def _check_target(config: WorkspaceConfig, name: str) -> None:
    if name not in TARGETS:
        message = say(config.lang, "identity.target", name=str(name)[:40])
        raise UsageError(message, hint=say(config.lang, "identity.target.hint", names=", ".join(TARGETS)))


def stale_targets(config: WorkspaceConfig, asked: CompileBy) -> tuple[CompileTarget, ...]:
    """Return the targets whose source says something, and whose compiled text is missing or of another source."""
    found = ((target, IdentitySource(config, target)) for target in TARGETS)
    return tuple(target for target, one in found if one.exists and any(one.text.lines) and not one.is_compiled(asked))


def compile_target(
    config: WorkspaceConfig, target: CompileTarget, backend: ChosenBackend, *, falls_back: bool = True,
    dry_run: bool = False,
) -> Outcome:  # fmt: skip
    """Compile one target; see `Identity.compile`. A source that cannot be read is told, and the next one follows.

    `falls_back` is False if the rules do not write the text where the model cannot be reached.
    """
    asked: CompileBy = "rules" if backend.by_rules else "model"
    try:
        found = IdentitySource(config, target)
        lang = config.lang
        if not found.exists:
            return Outcome("unchanged", say(lang, "identity.missing", path=found.path), "", found.compiled)
        if backend.answer is None and found.is_compiled(asked):
            return Outcome("unchanged", say(lang, "identity.same", path=found.compiled), "", found.compiled)
        if dry_run and backend.answer is None and asked == "model" and any(found.text.lines):
            return Outcome("planned", say(lang, "identity.planned", path=found.compiled), "", found.compiled)
        made = found.made(backend, falls_back=falls_back)
        if made.asked == "rules" and backend.answer is None and found.is_compiled("rules"):
            hint = found.told(made)
            return Outcome("unchanged", say(lang, "identity.same", path=found.compiled), hint, found.compiled)
        return found.write(made, dry_run=dry_run)
    except (ConfigError, UsageError):
        raise
    except MdmemError as error:
        said = in_language(error, config.lang)
        return Outcome("refused", said.message, said.hint, SPECS[target].path or SPECS[target].name)


class IdentitySource:
    """One source, and the text that it is compiled into."""

    def __init__(self, config: WorkspaceConfig, target: CompileTarget) -> None:
        """Read a source.

        Raises:
            UnreadableFileError: it cannot be read.
        """
        self.config, self.target, self.spec = config, target, SPECS[target]
        self._access = AccessPolicy(config, KEEPER)
        self._gate = Gate(self._access)
        shipped = config.schemas.required(self.spec.kind)
        self.path = self._access.reach(in_identity(config.root, self.spec.path) or kind_file(config.root, shipped))
        self.compiled = self._access.reach(compiled_path(self.path, target))
        data = live_bytes(config, self.path, config.settings.lint.max_bytes)
        self.exists = data is not None
        self._document = parse(data or b"")
        self._digest = blake2b(data or b"", digest_size=8).hexdigest()
        self._count = token_counter(config.settings.tokens)
        self._most = config.settings.compile.tokens(target)

    @cached_property
    def _templates(self) -> tuple[Template, ...]:
        own = self.config.schemas.match(self.path, self._document)
        every = tuple(self.config.schemas.languages(self.spec.kind).values())
        return (own, *(one for one in every if one is not own)) if own else every

    @cached_property
    def text(self) -> IdentityText:
        """The text of the source before it is cut to its cap."""
        return identity_rules(self.config).read(self._document, self._templates, self.spec)

    def is_compiled(self, asked: CompileBy) -> bool:
        """Return whether the compiled text is that of this source."""
        return is_current(self._old, self._digest, asked, self.config.settings.compile.tries)

    @cached_property
    def _old(self) -> Document | None:
        data = live_bytes(self.config, self.compiled, self.config.settings.lint.max_bytes)
        return None if data is None else parse(data)

    @cached_property
    def task(self) -> CompileTask:
        """The task for a model."""
        settings = self.config.settings
        scorer = ImportanceScorer(settings.keeper, self.config.today)
        restated = settings.compile.restated
        return CompileTask(self.target, self.path, self.text, self._most, restated, self._count, scorer, self._is_unfit)

    def _is_unfit(self, text: str) -> bool:
        return not self._gate.is_allowed(self.compiled, f"- {one_line(text)}\n")

    def prompt(self) -> str:
        """Return the prompt for a model."""
        lang = (self._templates[0].lang if self._templates else "") or self.config.lang
        return prompt(self.config, self.task.prompt, lang, prompt_values(self.task))

    def made(self, backend: ChosenBackend, *, falls_back: bool = True) -> CompiledText:
        """Return the text of the backend; if it fails, that of the rules and the reason."""
        asked: CompileBy = "rules" if backend.by_rules else "model"
        by_rules = CompiledText(choose(self.text, self._most, self._count), asked=asked)
        if backend.by_rules or not any(self.text.lines):
            return by_rules
        found = backend.operations(self.prompt, partial(compile_problems, self.task))
        if found.answer:
            return CompiledText(answered_text(self.task, found.answer), "model", "model")
        if found.error:
            if not falls_back:
                raise found.error
            return by_rules._replace(asked="rules", problem=found.why)
        return by_rules._replace(problem=found.why, refused=refusals(self._old, self._digest) + 1)

    def write(self, made: CompiledText, *, dry_run: bool) -> Outcome:
        """Write a text and the time, as one change; lines that the gate refuses are left out."""
        config, path, lang = self.config, self.compiled, self.config.lang
        text, unfit = self._fitting(made.text)
        body = text.markdown()
        stamp = dt.datetime.now().astimezone().isoformat(timespec="seconds")
        tokens = self._count(body)
        head: dict[str, FrontValue] = {
            "source_digest": self._digest, "source": self.path, "tokens": tokens,
            "by": made.by, "asked": made.asked, "compiled": stamp,
        }  # fmt: skip
        if made.refused:
            head["refused"] = made.refused
        whole = new_file(head, body)
        commit = ChangeRequest(config, "compile", KEEPER, f"compile: {self.path}", confirm=True, dry_run=dry_run)
        commit.target(path)
        times = f"{path.rpartition('/')[0]}/{_STAMP}"

        def change(files: DraftFiles) -> Edits:
            wanted = {path: whole, times: f"{stamp}\n"}
            old = {name: document.text if (document := files[name]) else "" for name in wanted}
            return {name: smallest(old[name], new) for name, new in wanted.items()}

        commit.run(change)
        left = [line for line in text.lines if line.why == "view"]
        outcome = commit.outcome(say(lang, "identity.compiled", path=path, tokens=tokens), path)
        hints = [
            self.told(made),
            say(lang, "identity.left", count=len(left), max=self._most) if left else "",
            say(lang, "identity.unfit", count=unfit, path=self.path) if unfit else "",
        ]
        return replace(outcome, hint=say(lang, "punctuation.clause").join(filter(None, (*hints, outcome.hint))))

    def _fitting(self, text: IdentityText) -> tuple[IdentityText, int]:
        """Return a text without the lines that the gate refuses, and their number."""
        shown = [line for line in text.lines if not line.why]
        self._gate.screen(self.compiled, [f"- {one_line(line.text)}\n" for line in shown])
        unfit = {line for line in shown if self._is_unfit(line.text)}
        sections = (one._replace(lines=tuple(line for line in one.lines if line not in unfit)) for one in text.sections)
        return IdentityText(tuple(sections)), len(unfit)

    def told(self, made: CompiledText) -> str:
        """Return why the text is not the model's; empty if nothing is to be told."""
        return say(self.config.lang, "identity.rules-used", reason=made.problem) if made.problem else ""
