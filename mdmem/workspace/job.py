"""One thing that a keeper condenses, from the question to the write; a memory file is one, a chat window another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from mdmem.keeper import rules
from mdmem.keeper.draft import plan
from mdmem.keeper.plan import Operation, Problem
from mdmem.keeper.roll import roll, rolls
from mdmem.keeper.verify import problems
from mdmem.workspace.config import Config
from mdmem.workspace.outcome import Outcome
from mdmem.workspace.prompts import prompt
from mdmem.workspace.settle import settle
from mdmem.workspace.task import Read


class Job(Protocol):
    """What is to be condensed, as it was read; nothing of it holds a lock."""

    @property
    def path(self) -> str:
        """The file that it is about, POSIX from the root."""

    def prompt(self) -> str:
        """Give what a model is asked."""

    def answer(self) -> Sequence[Operation]:
        """Answer by rule, as a model would."""

    def problems(self, operations: Sequence[Operation]) -> Iterator[Problem]:
        """Find what is wrong with an answer; none is the proof that it may be written."""

    def write(self, operations: Sequence[Operation], backend: str, *, dry_run: bool) -> Outcome | None:
        """Write a proved answer; None where it changes nothing.

        Raises:
            ConflictError: the file moved on; the question is to be asked anew.
            MdmemError: as the pen refuses.
        """


class FileJob:
    """A memory file whose sections are condensed, or which is tidied."""

    def __init__(self, config: Config, read: Read) -> None:
        self.config, self.read, self.path = config, read, read.task.path

    def prompt(self) -> str:
        """Give what a model is asked."""
        return prompt(self.config, self.read.task)

    def answer(self) -> Sequence[Operation]:
        """Answer by rule."""
        return roll(self.read.task) if rolls(self.read.task) else rules.answer(self.read.task)

    def problems(self, operations: Sequence[Operation]) -> Iterator[Problem]:
        """Find what is wrong with an answer."""
        return problems(self.read.task, operations)

    def write(self, operations: Sequence[Operation], backend: str, *, dry_run: bool) -> Outcome | None:
        """Write a proved answer, with the archive of what leaves the file."""
        made = plan(self.read.task, operations)
        return settle(self.config, self.read, made, backend, dry_run=dry_run) if made.edits else None
