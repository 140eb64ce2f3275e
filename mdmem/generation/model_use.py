"""What models are asked in a day, in the user's state folder: the count for the budget, and the last failure.

The budget is one for all folders of the user, for it is the user who pays. A folder may only set a smaller one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from time import strftime
from typing import get_args

from mdmem.config.trust import state_folder
from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.errors import FailureKind, MdmemError, ModelError, OutOfTimeError
from mdmem.models import ModelReply
from mdmem.settings.keeper_tables import MODELS
from mdmem.store.files import make_private_folders, read_json, write_private
from mdmem.store.locks import locked
from mdmem.store.root import Root

MODELS_FOLDER = "models"  # in the state folder
_FILE = "use.json"
_MOST_BYTES = 10_000
_SECONDS = 2.0  # to wait for another process that counts


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The questions of a day and their tokens, and the last failure since a model answered."""

    day: str = ""  # ISO
    calls: int = 0
    tokens: int = 0
    backend: str = ""  # that failed; empty if the last question was answered
    why: FailureKind = "other"
    at: str = ""  # of the failure: day and time

    def on(self, day: str) -> ModelUse:
        """Return what was used on a day; a failure is told until a model answers, a spent budget on its day only."""
        if self.day == day:
            return self
        kept = replace(self, day=day, calls=0, tokens=0)
        return replace(kept, backend="") if self.why == "spent" else kept

    def answered(self, tokens: int) -> ModelUse:
        """Return this with more tokens, and without a failure; that no answer could be read is told until one could."""
        return replace(self, tokens=self.tokens + tokens, backend=self.backend if self.why == "junk" else "")


def model_use(day: str) -> ModelUse:
    """Return what models were asked on a day; nothing if that cannot be read."""
    folder = state_folder()
    found = read_json(os.path.join(folder, MODELS_FOLDER), _FILE, _MOST_BYTES) if folder else {}
    texts = {key: value for key in ("day", "backend", "at") if isinstance(value := found.get(key), str)}
    counts = {key: value for key in ("calls", "tokens") if type(value := found.get(key)) is int}
    why = found.get("why")
    kinds: tuple[FailureKind, ...] = get_args(FailureKind)
    known = next((kind for kind in kinds if kind == why), "other")
    return ModelUse(**texts, **counts, why=known).on(day)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class BackendUse:
    """What the model was asked today by all folders, and how much it may be asked in a day."""

    backend: str
    calls: int
    max_calls: int
    tokens: int
    max_tokens: int


def backend_use(config: WorkspaceConfig) -> BackendUse | None:
    """Return what the model of the settings was asked today; None if there is no model."""
    keeper = config.settings.keeper
    if keeper.backend not in MODELS:
        return None
    used = model_use(config.day)
    return BackendUse(keeper.backend, used.calls, keeper.calls_per_day, used.tokens, keeper.tokens_per_day)


class MeteredModel:
    """A model of the settings: it counts what it is asked, keeps to the budget of the day, and notes its failures."""

    def __init__(self, config: WorkspaceConfig, name: str, ask: Callable[[str], ModelReply]) -> None:
        self.name = name
        self._config, self._ask = config, ask
        self._count = token_counter(config.settings.tokens)

    def __call__(self, prompt: str) -> str:
        """Ask the model.

        Raises:
            OutOfTimeError: the budget of the day is spent, or the time of several questions is over.
            ModelError: the model failed.
        """
        return self.reply(prompt).text

    def reply(self, prompt: str) -> ModelReply:
        """Ask the model; the tokens of the reply are those that were counted. Errors as for a call."""
        asked = self._count(prompt)
        self._begin(asked)
        try:
            answer = self._ask(prompt)
        except OutOfTimeError:
            raise
        except ModelError as error:
            self._note(error.why)
            raise
        tokens = answer.tokens or asked + self._count(answer.text)
        with self._changing() as change:
            change(lambda use: use.answered(max(0, tokens - asked)))
        return answer._replace(tokens=tokens)

    def note_read(self, *, is_fit: bool) -> None:
        """Note whether the last answer could be read."""
        if is_fit:
            with self._changing() as change:
                change(lambda use: replace(use, backend=""))
        else:
            self._note("junk")

    def _begin(self, asked: int) -> None:
        """Count a question before it is asked, so that no other process takes its place in the budget."""
        keeper = self._config.settings.keeper
        with self._changing() as change:
            use = model_use(self._config.day)
            if use.calls < keeper.calls_per_day and use.tokens + asked <= keeper.tokens_per_day:
                change(lambda use: replace(use, calls=use.calls + 1, tokens=use.tokens + asked))
                return
        self._note("spent")
        raise OutOfTimeError(
            "the {calls} questions or {tokens} tokens that models have for a day are used up",
            hint="`calls_per_day` and `tokens_per_day` in [keeper] are the limits; rules do the work until tomorrow",
            facts={"calls": keeper.calls_per_day, "tokens": keeper.tokens_per_day},
            why="spent",
        )

    def _note(self, why: FailureKind) -> None:
        with self._changing() as change:
            change(lambda use: replace(use, backend=self.name, why=why, at=strftime("%Y-%m-%d %H:%M")))

    @contextmanager
    def _changing(self) -> Iterator[Callable[[Callable[[ModelUse], ModelUse]], None]]:
        """Hold the lock of the count; without a state folder, or where it cannot be written, nothing is counted."""
        folder, day = state_folder(), self._config.day

        def change(new: Callable[[ModelUse], ModelUse]) -> None:
            if folder:
                data = json.dumps(asdict(new(model_use(day)))).encode()
                with suppress(MdmemError):
                    write_private(os.path.join(folder, MODELS_FOLDER, _FILE), data, folder, _FILE)

        with _lock(folder):
            yield change


@contextmanager
def _lock(folder: str | None) -> Iterator[None]:
    """Hold the lock of the count; go on without it where there is none to be had."""
    with ExitStack() as stack:
        if folder:
            place = os.path.join(folder, MODELS_FOLDER)
            with suppress(OSError, MdmemError):
                make_private_folders(place, folder)
                stack.enter_context(locked(stack.enter_context(Root(place)), [_FILE], _SECONDS))
        yield
