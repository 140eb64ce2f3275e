"""Condense a context: a program's messages become its compact memory (D015 to D028, D043).

In minimal mode the memory is written to its file, and the raw messages to a transcript. In full mode the sessions keep
the history, and the memory is only returned (D018 to D020).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.model import Outcome
from mdmem.entries.read import read_optional
from mdmem.errors import MemoryOffError, UnreadableFileError
from mdmem.formats.session import Turn
from mdmem.keeper.conversation.memory import CompactMemory, ContextMemoryJob
from mdmem.keeper.conversation.messages import Message, turns_of
from mdmem.keeper.conversation.raw_transcript import keep_transcript
from mdmem.keeper.job_runner import BackendChoice, JobRunner
from mdmem.messages.catalog import say
from mdmem.text.document import Document, parse
from mdmem.text.tokens import TokenCounter
from mdmem.wording.transcript import counted_turns

_KIND = "compact_memory"


@dataclass(frozen=True, slots=True)
class CompactResult:
    """The result of condensing a context."""

    outcome: Outcome
    text: str = ""  # the compact memory, for the model; empty if none was made
    tokens: int = 0  # of the context
    left: int = 0  # of the compact memory


class ContextTarget(NamedTuple):
    """A program's messages, and how to condense them."""

    config: WorkspaceConfig
    turns: Sequence[Turn]
    count: TokenCounter
    write: bool

    def job(self) -> ContextMemoryJob:
        """Return a job that starts from the compact memory as it is now."""
        memory = _memory(self.config, write=self.write)
        return ContextMemoryJob(self.config, memory, self.turns, self.count)


def context(
    config: WorkspaceConfig, messages: Iterable[Message], count: TokenCounter | None, *, write: bool
) -> ContextTarget:
    """Return the target for a program's messages.

    Raises:
        UsageError: a message is malformed.
        MemoryOffError: memory is switched off.
    """
    if not config.settings.memory.enabled:
        raise MemoryOffError(say(config.lang, "pen.off"), hint=say(config.lang, "pen.off.hint"))
    return ContextTarget(config, turns_of(messages, config.lang), count or token_counter(config.settings.tokens), write)


def compact_context(target: ContextTarget, options: BackendChoice) -> CompactResult:
    """Condense a context; see `Workspace.keeper.compact_context`."""
    lang, count, jobs = target.config.lang, target.count, [target.job()]
    numbers = jobs[0].memory.template.numbers
    tokens, most = count(jobs[0].chat.before) + _tokens(target), int(numbers.get("compact_at_tokens", 0))
    if not counted_turns(target.turns) or (tokens < most and not options.now and options.answer is None):
        message = say(lang, "keeper.context-fits", count=tokens, max=most)
        return CompactResult(Outcome("unchanged", message, say(lang, "keeper.nothing-here.hint")), "", tokens)

    def read() -> ContextMemoryJob:
        jobs.append(target.job())
        return jobs[-1]

    keeps_transcript = target.write and not options.plan and target.config.settings.session.transcript
    transcript = keep_transcript(target.config, target.turns) if keeps_transcript else ""
    runner = JobRunner(target.config, options if target.write else options._replace(plan=True))
    outcome = runner.condense_file(jobs[0].path, read)
    text = jobs[-1].text if outcome.status in ("done", "planned", "unchanged") else ""
    if transcript:
        separator = say(lang, "punctuation.clause")
        hints = filter(None, (outcome.hint, say(lang, "keeper.transcript", path=transcript)))
        outcome = replace(outcome, hint=separator.join(hints))
    return CompactResult(outcome, text, tokens, count(text))


def context_prompt(target: ContextTarget) -> str:
    """Return the prompt for a context."""
    return target.job().prompt()


def _tokens(target: ContextTarget) -> int:
    return sum(target.count(turn.text) for turn in target.turns)


def _memory(config: WorkspaceConfig, *, write: bool) -> CompactMemory:
    template = config.schemas.required(_KIND, "a compact memory needs one")
    path = template.files[0]
    document = _document(config, path) if write else None
    if document:
        template = AccessPolicy(config, KEEPER).template(path, document) or template
    return CompactMemory(path, document, template, write)


def _document(config: WorkspaceConfig, path: str) -> Document | None:
    file = read_optional(config, path, KEEPER)
    if file is None:
        return None
    if file.warning:
        raise UnreadableFileError(file.warning, path=path)
    return parse(file.text.encode()) if file.text.strip() else None
