"""The budget of a night: how often a model may be asked, for how many tokens, and how long the run may take."""

from __future__ import annotations

import time
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.errors import ModelError, OutOfTimeError
from mdmem.generation.chosen_backend import model
from mdmem.night.model import NightOptions
from mdmem.settings.keeper_tables import MODELS


class BudgetSpent(Exception):  # noqa: N818 - no error: the rest waits for the next run
    """No further question may be asked in this run."""


class ModelSpending(NamedTuple):
    """What was asked of the model."""

    calls: int = 0
    tokens: int = 0


class NightBudget:
    """A model that counts what it is asked, and is asked no more when a limit is reached.

    A model that fails several times in a row is not asked again either.
    """

    def __init__(self, config: WorkspaceConfig, options: NightOptions) -> None:
        """Choose the model of `[keeper] backend`; none if rules, or an agent, do the work.

        Raises:
            ConfigError: the model is not set up.
        """
        settings, backend = config.settings.night, config.settings.keeper.backend
        self.name = backend
        self._model = model(config, backend) if backend in MODELS else None
        self._count = token_counter(config.settings.tokens)
        self._calls = settings.calls if options.calls is None else options.calls
        self._tokens = settings.tokens if options.tokens is None else options.tokens
        self._failures, self._most_failures = 0, settings.failures
        self._until = time.monotonic() + 60 * settings.minutes
        self.spent = ModelSpending()

    @property
    def has_model(self) -> bool:
        """Whether there is a model at all."""
        return self._model is not None

    @property
    def may_ask(self) -> bool:
        """Whether the model may be asked once more."""
        used = self.spent
        within = used.calls < self._calls and used.tokens < self._tokens and self._failures < self._most_failures
        return self._model is not None and within and not self.is_late

    @property
    def has_failed(self) -> bool:
        """Whether the model failed so often in a row that it is not asked any more."""
        return self._failures >= self._most_failures

    @property
    def is_late(self) -> bool:
        """Whether the run has taken as long as it may."""
        return time.monotonic() > self._until

    def note_read(self, *, is_fit: bool) -> None:
        """Note whether the last answer could be read."""
        if self._model:
            self._model.note_read(is_fit=is_fit)

    def __call__(self, prompt: str) -> str:
        """Ask the model.

        Raises:
            BudgetSpent: a limit is reached.
            ModelError: the model failed.
        """
        asked = self._count(prompt)
        if self._model is None or not self.may_ask or self.spent.tokens + asked > self._tokens:
            raise BudgetSpent
        self.spent = ModelSpending(self.spent.calls + 1, self.spent.tokens + asked)
        try:
            answer = self._model(prompt)
        except OutOfTimeError as error:
            raise BudgetSpent from error
        except ModelError:
            self._failures += 1
            raise
        self._failures = 0
        self.spent = self.spent._replace(tokens=self.spent.tokens + self._count(answer))
        return answer
