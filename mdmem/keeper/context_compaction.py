"""Condense a context: a program's messages become its compact memory (D015 to D028, D043).

In minimal mode the memory is written to its file, and the raw messages to a transcript. In full mode the sessions keep
the history, and the memory is only returned (D018 to D020).

Each context has one transcript, a file of JSON lines that is named by a digest of its content, so that writing it again
changes nothing. It is no memory file: it is neither searched, linted nor packed. `mdmem compact context` can read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.model import Outcome
from mdmem.entries.read import read_optional
from mdmem.entries.tombstones import STRUCK, tombstones
from mdmem.errors import MemoryOffError, UnreadableFileError, WriteError
from mdmem.formats.session import Turn
from mdmem.keeper.conversation.memory import CompactMemory, ContextMemoryJob
from mdmem.keeper.conversation.messages import Message, turns_of
from mdmem.keeper.job_runner import BackendChoice, JobRunner
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.store.durable import make_new
from mdmem.store.history.versions import fingerprint
from mdmem.store.root import Root
from mdmem.text.document import Document, parse
from mdmem.text.tokens import TokenCounter
from mdmem.wording.transcript import counted_turns

_KIND = "compact_memory"
_TRANSCRIPTS = "transcripts"  # their folder
_NAME = 12  # characters of the digest in a name


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
    transcript = _keep_transcript(target.config, target.turns) if keeps_transcript else ""
    runner = JobRunner(target.config, options if target.write else options._replace(plan=True))
    outcome = runner.run_job(jobs[0].path, read)
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


def _keep_transcript(config: WorkspaceConfig, turns: Iterable[Turn]) -> str:
    """Write turns as JSON lines, without secrets and forgotten texts, and return the path of the file.

    Raises:
        WriteError: the system refused; nothing was written.
    """
    stones = tombstones(config)
    data = b"".join(_line(turn, stones.strike(mask(turn.text), STRUCK)) for turn in turns)
    path = config.whose.place(_TRANSCRIPTS) + f"/{config.day}-{fingerprint(data)[:_NAME]}.jsonl"
    try:
        with Root(config.root) as root:
            make_new(root.place(path, make=True).name, data, path)
    except (FileNotFoundError, UnreadableFileError) as error:
        raise WriteError("its folder cannot be used", path=_TRANSCRIPTS, hint="nothing was kept") from error
    return path


def _line(turn: Turn, text: str) -> bytes:
    values = {"role": turn.role, "name": turn.speaker, "time": turn.time, "text": text}
    kept = {key: value for key, value in values.items() if value or key in ("role", "text")}
    return json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
