"""The budget of a night: how often a model may be asked, for how many tokens, and how long the run may take."""

from __future__ import annotations

import time

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import ModelError, OutOfTimeError
from mdmem.generation.chosen_backend import ChosenBackend
from mdmem.models import Backend
from mdmem.night.model import NightOptions


class BudgetSpent(Exception):  # noqa: N818 - no error: the rest waits for the next run
    """No further question may be asked in this run."""


class NightBudget(ChosenBackend):
    """The backend of the settings, whose model is asked no more when a limit is reached.

    A model that fails several times in a row is not asked again either.
    """

    def __init__(self, config: WorkspaceConfig, options: NightOptions) -> None:
        """Begin a run.

        Raises:
            ConfigError: the model is not set up.
        """
        super().__init__(config)
        settings = config.settings.night
        self.has_model = self.model is not None  # otherwise rules, or an agent, do the work
        self._calls = settings.calls if options.calls is None else options.calls
        self._tokens = settings.tokens if options.tokens is None else options.tokens
        self._failures, self._most_failures = 0, settings.failures
        self._until = time.monotonic() + 60 * settings.minutes

    @property
    def may_ask(self) -> bool:
        """Whether the model may be asked once more."""
        within = self.spent.calls < self._calls and self.spent.tokens < self._tokens
        return self.has_model and within and not self.has_failed and not self.is_late

    @property
    def has_failed(self) -> bool:
        """Whether the model failed so often in a row that it is not asked any more."""
        return self._failures >= self._most_failures

    @property
    def is_late(self) -> bool:
        """Whether the run has taken as long as it may."""
        return time.monotonic() > self._until

    def asked(self, model: Backend, prompt: str) -> str:
        """Ask the model.

        Raises:
            BudgetSpent: a limit is reached.
            ModelError: the model failed.
        """
        if not self.may_ask or self.spent.tokens + self.count(prompt) > self._tokens:
            raise BudgetSpent
        try:
            answer = super().asked(model, prompt)
        except OutOfTimeError as error:
            raise BudgetSpent from error
        except ModelError:
            self._failures += 1
            raise
        self._failures = 0
        return answer
