"""One run of the night, as its steps see it: the workspace, the time, the budget, and what they share."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.night.budget import NightBudget
from mdmem.night.model import NightItem, StepCounts, StepPlan


class NightRun:
    """One run."""

    def __init__(self, config: WorkspaceConfig, budget: NightBudget, judged: tuple[str, ...] = ()) -> None:
        """Bind to a workspace; the day is that of its configuration, the hour that of the clock."""
        now = dt.datetime.now().astimezone()
        self.config, self.budget = config, budget
        self.now = dt.datetime.combine(config.today, now.time(), now.tzinfo)
        self.judged = dict.fromkeys(judged)  # clusters that a model has kept apart

    @property
    def lang(self) -> str:
        """The language of messages."""
        return self.config.lang

    def reason(self, path: str, error: MdmemError) -> str:
        """Return one sentence about what was refused, with its file."""
        told = in_language(error, self.lang)
        message = told.message if path in told.message else f"{path}: {told.message}"
        return say(self.lang, "night.refusal", message=message, hint=told.hint) if told.hint else message

    def refused(self, path: str, error: MdmemError) -> StepCounts:
        """Return the count of one refusal, with its reason."""
        return StepCounts(refused=1, reasons=(self.reason(path, error),))


class NightStep(NamedTuple):
    """One step of the night: `[night.step-NAME]` of the messages says what it is called.

    `plan` reads the files and returns the items; it changes nothing and asks no model. `apply` does one item in one
    transaction. What it raises is told, and the next item follows.
    """

    name: str
    plan: Callable[[NightRun], StepPlan]
    apply: Callable[[NightRun, NightItem], StepCounts]
