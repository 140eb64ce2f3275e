"""Which model a keeper asks: a program or an endpoint, as the settings that the user trusts say."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from mdmem.config.workspace_config import WorkspaceConfig, trust_requests
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.archive import archive, archived
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.gate import Gate
from mdmem.entries.inbox import propose
from mdmem.entries.model import Outcome
from mdmem.entries.show import read_file
from mdmem.errors import ConfigError, UnreadableFileError, VerificationError
from mdmem.formats.joined_line import Originals
from mdmem.formats.placeholders import is_form, is_placeholder
from mdmem.keeper.condensing import tidy
from mdmem.keeper.condensing.importance import ImportanceScorer
from mdmem.keeper.condensing.roll_up import roll, rolls
from mdmem.keeper.conversation.model import ConversationTask
from mdmem.keeper.edits import build_compaction_plan
from mdmem.keeper.model import CompactionPlan, CompactionTask, Operation, PlanProblem
from mdmem.keeper.proof.checks import lost_entries, plan_problems
from mdmem.keeper.protocol import CHAT, chat_values, fill_prompt, name_of, parse_answer, values
from mdmem.linter.detect.secrets import mask
from mdmem.messages.catalog import say
from mdmem.messages.folders import FALLBACK, templates_folder
from mdmem.models import Backend
from mdmem.sessions.read import session_days
from mdmem.store.files import read_bytes
from mdmem.store.root import Root, read
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.store.walk import SETTINGS_FILE
from mdmem.text.document import parse
from mdmem.text.edit import apply_edits
from mdmem.text.entry import read_entry
from mdmem.text.inline import one_line

MODELS = ("command", "openai")


def model(config: WorkspaceConfig, name: str) -> Backend:
    """Return the model of a name in `MODELS`, ready to be asked.

    Raises:
        ConfigError: it is not set, or only by a workspace that the user does not trust yet.
    """
    command, openai = config.settings.command, config.settings.openai
    wanted = trust_requests(config)
    if name in wanted.tables and not wanted.trusted and not (command.run if name == "command" else openai.model):
        raise ConfigError(
            "this workspace sets [{name}], which is not heard yet",
            path=SETTINGS_FILE,
            hint="look at it, then say `mdmem trust`; or set it in your own ~/.config/mdmem/mdmem.toml",
            facts={"name": name},
        )
    if name == "command":
        from mdmem.models.command import ask as ask_program

        return partial(ask_program, settings=command, mask=mask)
    from mdmem.models.openai import ask as ask_endpoint

    return partial(ask_endpoint, settings=openai, mask=mask)


FOLDER = "prompts"
ENDS = (".md", ".txt")  # the second is what the older systems call theirs (F025)


def prompt(config: WorkspaceConfig, task: CompactionTask) -> str:
    """Return the prompt of a task; raises ConfigError where the workspace's own version is wrong."""
    text, path = source(config, name_of(task), task.template.lang or config.lang)
    return fill_prompt(text, values(task), path)


def chat_prompt(config: WorkspaceConfig, chat: ConversationTask, lang: str) -> str:
    """Return the prompt of a conversation; raises ConfigError where the workspace's own version is wrong."""
    text, path = source(config, CHAT, lang)
    return fill_prompt(text, chat_values(chat), path)


def source(config: WorkspaceConfig, name: str, lang: str) -> tuple[str, str]:
    """Return a prompt's template and its path as messages name it."""
    own = [f"{FOLDER}/{folder}{name}{end}" for folder in (f"{lang}/", "") for end in ENDS]
    with Root(config.root) as root:
        for path in own:
            try:
                version = read(root.place(path), config.settings.lint.max_bytes)
            except (FileNotFoundError, UnreadableFileError):
                continue
            if version:
                return version.data.decode("utf-8", "replace"), path
    places = (f"{one}/{FOLDER}/{name}{ENDS[0]}" for one in (lang, FALLBACK))
    path = next(one for one in places if os.path.isfile(os.path.join(templates_folder(), one)))
    return read_bytes(os.path.join(templates_folder(), path), f"templates/{path}").decode(), f"templates/{path}"


class TaskSource(NamedTuple):
    """A task, and the version of the file that it was made of."""

    task: CompactionTask
    digest: str


def load_task(config: WorkspaceConfig, path: str) -> TaskSource | None:
    """Read a file for the keeper; None where it is no memory of a known kind.

    Raises:
        UnreadableFileError: what stands there now cannot be read.
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
        ImportanceScorer(config.settings.keeper, dt.date.fromisoformat(config.day)),
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
    """Make a plan's change from the version that it was made of.

    Raises:
        ConflictError: the file moved on, and both changes touch the same entries.
        VerificationError: an entry would be lost.
        MdmemError: as the pen refuses.
    """
    path, document = plan.path, read.task.document
    commit = ChangeRequest(
        config, "compact", KEEPER, say(config.lang, "keeper.reason", backend=backend), dry_run=dry_run
    )
    left = only_archived(commit, plan.away)
    commit.reason += left

    def change(files: DraftFiles) -> Edits:
        commit.document(files, path)
        if commit.access.waits(path):
            return {path: plan.edits}
        gone, whys, texts = zip(*plan.gone, strict=True) if plan.gone else ((), (), ())
        kept = archive(commit, files, path, document, gone, whys, texts)
        after = parse(apply_edits(document.text, plan.edits).encode())
        archived = "\n".join(edit.new for edits in kept.values() for edit in edits or ())
        if lost_entries(document, after, archived, read.task.originals):
            raise VerificationError(say(config.lang, "keeper.lost"), path=path)
        return {path: plan.edits, **kept}

    commit.run(change, expect={path: read.digest}, propose=propose)
    joint = say(config.lang, "punctuation.comma")
    sections = joint.join(
        say(config.lang, "keeper.section", section=name, before=before, after=after)
        for name, (before, after) in plan.sections.items()
    )
    key = "keeper.compacted" if read.task.compacts else "keeper.tidied"
    return commit.outcome(say(config.lang, key, path=path, sections=sections) + left, path)


def only_archived(commit: ChangeRequest, only: Sequence[str]) -> str:
    """Say how many entries, and which, stand in the archive and no longer in a file; empty where there are none.

    Args:
        commit: the change that takes them out; its reason may be extended by what this returns.
        only: the entries.
    """
    config = commit.config
    if not only:
        return ""
    settings = config.settings.keeper
    bodies = (read_entry(text).body.of(text).strip() or text for text in only[: settings.named])
    fit = (one_line(text) for text in bodies if commit.gate.unfit("", text) is None)
    most = settings.named_chars
    names = [text if len(text) <= most else f"{text[: most - 1]}…" for text in fit]
    joint = say(config.lang, "punctuation.list")
    shown = joint.join(say(config.lang, "keeper.quoted", text=text) for text in names)
    rest = say(config.lang, "keeper.and-more") if len(names) < len(only) else ""
    key = "keeper.only-archived" if shown else "keeper.only-archived-unnamed"
    where = f"archive/{config.day[:7]}.md"
    return say(config.lang, key, count=len(only), archive=where, names=shown + rest)


class KeeperJob(Protocol):
    """What is to be condensed or extracted, as it was read; nothing of it holds a lock."""

    work: str  # its kind in the queue; empty for what is condensed
    may_be_empty: bool  # an answer without operations is one

    @property
    def path(self) -> str:
        """The file that it is about, POSIX from the root."""

    def prompt(self) -> str:
        """Return what a model is asked."""

    def answer(self) -> Sequence[Any]:
        """Answer by rule, as a model would."""

    def parse(self, text: str) -> Sequence[Any] | PlanProblem:
        """Read what a model answered, or say why it is no answer."""

    def problems(self, operations: Sequence[Any]) -> Iterator[PlanProblem]:
        """Find what is wrong with an answer; none is the proof that it may be written."""

    def write(self, operations: Sequence[Any], backend: str, *, dry_run: bool) -> Outcome | None:
        """Write a proved answer; None where it changes nothing.

        Raises:
            ConflictError: the file moved on; the question is to be asked anew.
            MdmemError: as the pen refuses.
        """


class Compaction:
    """What jobs have in common that condense: their answer is a list of operations."""

    config: WorkspaceConfig
    work = ""
    may_be_empty = False

    def parse(self, text: str) -> Sequence[Operation] | PlanProblem:
        """Read what a model answered."""
        return parse_answer(text, self.config.settings.keeper.max_answer_chars)


class FileCompactionJob(Compaction):
    """A memory file whose sections are condensed, or which is tidied."""

    def __init__(self, config: WorkspaceConfig, read: TaskSource) -> None:
        self.config, self.read, self.path = config, read, read.task.path

    def prompt(self) -> str:
        """Return what a model is asked."""
        return prompt(self.config, self.read.task)

    def answer(self) -> Sequence[Operation]:
        """Answer by rule."""
        return roll(self.read.task) if rolls(self.read.task) else tidy.rule_based_answer(self.read.task)

    def problems(self, operations: Sequence[Operation]) -> Iterator[PlanProblem]:
        """Find what is wrong with an answer."""
        return plan_problems(self.read.task, operations)

    def write(self, operations: Sequence[Operation], backend: str, *, dry_run: bool) -> Outcome | None:
        """Write a proved answer, with the archive of what leaves the file."""
        made = build_compaction_plan(self.read.task, operations)
        return commit_compaction(self.config, self.read, made, backend, dry_run=dry_run) if made.edits else None
