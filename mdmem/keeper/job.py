"""One compaction, from reading the file to the commit: the model, the prompt, the task, the write.

The clients of models are imported when one is chosen: they load modules that the built-in rules do not need.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.archive import archive, archived, current_archive
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.gate import Gate
from mdmem.entries.inbox.proposals import propose
from mdmem.entries.model import Outcome
from mdmem.entries.read import read_file
from mdmem.errors import UnreadableFileError, VerificationError
from mdmem.formats.joined_line import Originals
from mdmem.formats.placeholders import is_form, is_placeholder
from mdmem.generation.answer_parser import parse_answer
from mdmem.generation.model import Operation, PlanProblem
from mdmem.generation.prompt import prompt
from mdmem.keeper.condensing import tidy
from mdmem.keeper.condensing.edits import build_compaction_plan
from mdmem.keeper.condensing.prompt_values import name_of, values
from mdmem.keeper.condensing.proof import lost_entries, plan_problems
from mdmem.keeper.condensing.roll_up import roll, rolls
from mdmem.keeper.model import CompactionPlan, CompactionTask
from mdmem.messages.catalog import say
from mdmem.sessions.read import session_days
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import parse
from mdmem.text.edit import apply_edits
from mdmem.text.entry import read_entry
from mdmem.text.inline import one_line
from mdmem.wording.importance import ImportanceScorer


class TaskSource(NamedTuple):
    """A task, and the digest of the file version that it was read from."""

    task: CompactionTask
    digest: str


def load_task(config: WorkspaceConfig, path: str) -> TaskSource | None:
    """Read a file as a task; return None if it is not a memory file of a known kind.

    Raises:
        UnreadableFileError: the file cannot be read now.
        TargetError: there is no such file.
    """
    found = read_file(config, path, KEEPER)
    if found.warning:
        raise UnreadableFileError(found.warning, path=path)
    document = parse(found.text.encode())
    access = AccessPolicy(config, KEEPER)
    template = access.template(path, document)
    if template is None:
        return None
    gate = Gate(access)
    gate.screen(path, [f"- {entry.text}\n" for entry in document.entries])
    task = CompactionTask(
        path,
        document,
        template,
        ImportanceScorer(config.settings.keeper, config.today),
        config.settings.lint.near_duplicate,
        is_form=lambda text: is_placeholder(text) or is_form(text),
        unfit=lambda text: gate.unfit(path, f"- {text}\n") is not None,
        lang=template.lang or config.lang,
        sessions=session_days(config) if template.parts.get("ttl") else (),
    )
    if task.compacts:
        task = task._replace(originals=Originals(archived(config, path)))
    return TaskSource(task, found.digest)


def commit_compaction(
    config: WorkspaceConfig, read: TaskSource, plan: CompactionPlan, backend: str, *, dry_run: bool
) -> Outcome:
    """Commit a plan against the file version that it was computed from.

    Raises:
        ConflictError: the file changed meanwhile, and both changes touch the same entries.
        VerificationError: an entry would be lost.
        MdmemError: the pen refuses.
    """
    path, document = plan.path, read.task.document
    commit = ChangeRequest(
        config, "compact", KEEPER, say(config.lang, "keeper.reason", backend=backend), dry_run=dry_run
    )
    extra = (
        say(config.lang, f"keeper.more-{one.why}", section=one.section, count=one.left, max=one.wanted)
        for one in plan.extra
    )
    note = only_archived(commit, plan.archived_only) + "".join(extra)
    commit.reason += note

    def change(files: DraftFiles) -> Edits:
        commit.document(files, path)
        if commit.access.waits(path):
            return {path: plan.edits}
        gone, reasons, texts = zip(*plan.gone, strict=True) if plan.gone else ((), (), ())
        kept = archive(commit, files, path, document, gone, reasons, texts)
        after = parse(apply_edits(document.text, plan.edits).encode())
        archived = "\n".join(edit.new for edits in kept.values() for edit in edits or ())
        if lost_entries(document, after, archived, read.task.originals):
            raise VerificationError(say(config.lang, "keeper.lost"), path=path)
        return {path: plan.edits, **kept}

    commit.run(change, expect={path: read.digest}, propose=propose, paths=(path,))
    separator = say(config.lang, "punctuation.comma")
    sections = separator.join(
        say(config.lang, "keeper.section", section=name, before=before, after=after)
        for name, (before, after) in plan.sections.items()
    )
    key = "keeper.compacted" if read.task.compacts else "keeper.tidied"
    return commit.outcome(say(config.lang, key, path=path, sections=sections) + note, path)


def only_archived(commit: ChangeRequest, only: Sequence[str]) -> str:
    """Return a sentence with the number and names of the entries that only the archive holds; empty for none.

    Args:
        commit: the change that removes them from their file.
        only: the texts of the entries.
    """
    config = commit.config
    if not only:
        return ""
    settings = config.settings.keeper
    bodies = (read_entry(text).body.of(text).strip() or text for text in only[: settings.named])
    fit = (one_line(text) for text in bodies if commit.gate.unfit("", text) is None)
    most = settings.named_chars
    names = [text if len(text) <= most else f"{text[: most - 1]}…" for text in fit]
    separator = say(config.lang, "punctuation.list")
    shown = separator.join(say(config.lang, "keeper.quoted", text=text) for text in names)
    rest = say(config.lang, "keeper.and-more") if len(names) < len(only) else ""
    key = "keeper.only-archived" if shown else "keeper.only-archived-unnamed"
    where = current_archive(config)
    return say(config.lang, key, count=len(only), archive=where, names=shown + rest)


class KeeperJob(Protocol):
    """Something to condense or extract, as it was read; it holds no lock."""

    work: str  # its kind in the queue; empty if it condenses
    may_be_empty: bool  # whether an answer without operations is valid

    @property
    def path(self) -> str:
        """The file that is condensed, POSIX from the root."""

    def prompt(self) -> str:
        """Return the prompt for a model."""

    def answer(self) -> Sequence[Any]:
        """Return the answer of the built-in rules."""

    def parse(self, text: str) -> Sequence[Any] | PlanProblem:
        """Parse the answer of a model; return a problem if it is none."""

    def problems(self, operations: Sequence[Any]) -> Iterator[PlanProblem]:
        """Yield the problems of an answer; an answer without problems is proved and may be written."""

    def write(self, operations: Sequence[Any], backend: str, *, dry_run: bool) -> Outcome | None:
        """Write a proved answer; return None if it changes nothing.

        Raises:
            ConflictError: the file changed meanwhile; the backend must be asked again.
            MdmemError: the pen refuses.
        """


class Compaction:
    """The common part of the jobs that condense: their answer is a list of operations."""

    config: WorkspaceConfig
    work = ""
    may_be_empty = False

    def parse(self, text: str) -> Sequence[Operation] | PlanProblem:
        """Parse the answer of a model."""
        return parse_answer(text, self.config.settings.keeper.max_answer_chars)


class FileCompactionJob(Compaction):
    """A memory file that is condensed section by section, tidied or rolled up."""

    def __init__(self, config: WorkspaceConfig, read: TaskSource) -> None:
        self.config, self.read, self.path = config, read, read.task.path

    def prompt(self) -> str:
        """Return the prompt for a model."""
        task = self.read.task
        return prompt(self.config, name_of(task), task.lang, values(task))

    def answer(self) -> Sequence[Operation]:
        """Return the answer of the built-in rules."""
        return roll(self.read.task) if rolls(self.read.task) else tidy.rule_based_answer(self.read.task)

    def problems(self, operations: Sequence[Operation]) -> Iterator[PlanProblem]:
        """Yield the problems of an answer."""
        return plan_problems(self.read.task, operations)

    def write(self, operations: Sequence[Operation], backend: str, *, dry_run: bool) -> Outcome | None:
        """Write a proved answer, and archive the entries that leave the file."""
        plan = build_compaction_plan(self.read.task, operations)
        return commit_compaction(self.config, self.read, plan, backend, dry_run=dry_run) if plan.edits else None
