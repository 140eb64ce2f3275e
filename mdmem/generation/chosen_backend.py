"""Choose who proposes what is generated, and ask: the rules, an agent who has answered, or a model.

No other module asks a model for lines. The clients are imported when one is chosen: they load modules that the
built-in rules do not need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.gate import Gate
from mdmem.errors import ConfigError, MdmemError, UsageError
from mdmem.generation.answer_parser import parse_answer
from mdmem.generation.model import Operation, PlanProblem
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import told
from mdmem.models import Backend, ModelReply, TimeLimit
from mdmem.settings.keeper_tables import HEADLESS, MODELS
from mdmem.store.walk import SETTINGS_FILE

if TYPE_CHECKING:
    from mdmem.generation.model_use import MeteredModel

RULES, AGENT = "rules", "agent"
BACKENDS = (RULES, *MODELS, AGENT)
Answer = TypeVar("Answer")


class ModelSpending(NamedTuple):
    """What was asked of a model."""

    calls: int = 0
    tokens: int = 0  # of the prompts and the answers

    def since(self, before: ModelSpending) -> ModelSpending:
        """Return what was asked after an earlier count."""
        return ModelSpending(self.calls - before.calls, self.tokens - before.tokens)


class Proposal(NamedTuple, Generic[Answer]):
    """What was proposed and proved; without an answer the rules write."""

    answer: Answer | None = None
    why: str = ""  # no answer is taken, fit for messages and the log; empty if none was asked for
    error: MdmemError | None = None  # with which the backend could not be asked


class ChosenBackend:
    """The backend of one run."""

    def __init__(
        self,
        config: WorkspaceConfig,
        backend: str | Backend | None = None,
        answer: str | None = None,
        limit: TimeLimit | None = None,
    ) -> None:
        """Choose by name, or take a function from a prompt to an answer; None is the one in the settings.

        Args:
            config: the workspace.
            backend: rules, agent, the name of a model, or a function.
            answer: an agent's answer; nobody is asked.
            limit: the time that a model shares with other questions.

        Raises:
            UsageError: no backend is called so.
        """
        chosen = config.settings.keeper.backend if backend is None else backend
        self.config, self.answer, self.spent = config, answer, ModelSpending()
        self.count = token_counter(config.settings.tokens)
        self.name = chosen if isinstance(chosen, str) else str(getattr(chosen, "name", MODELS[0]))
        self._chosen, self._limit = chosen, limit
        if self.name not in BACKENDS:
            facts = {"name": self.name, "names": ", ".join(BACKENDS)}
            raise UsageError("no backend is called `{name}`", hint="backends: {names}", facts=facts)

    @cached_property
    def model(self) -> Backend | None:
        """The model that is asked; None if there is none to ask.

        Raises:
            ConfigError: it is not set up, or only by a workspace that the user has not trusted yet.
        """
        if not isinstance(self._chosen, str):
            return self._chosen
        is_asked = self.answer is None and self.name in MODELS
        return model(self.config, self.name, self._limit) if is_asked else None

    @property
    def by_rules(self) -> bool:
        """Whether the rules propose: nobody has answered, and no model is chosen."""
        return self.answer is None and self._chosen in (RULES, AGENT)

    def ask(
        self, prompt: Callable[[], str], read: Callable[[str], Answer | PlanProblem]
    ) -> Answer | PlanProblem | None:
        """Return an answer as `read` understands it; None if the rules propose.

        Raises:
            ConfigError: the model is not set up, or the prompt has an error.
            ModelError: the model failed.
        """
        if self.answer is not None:
            return read(self.answer)
        if self.model is None:
            return None
        found = read(self.asked(self.model, prompt()))
        if note := getattr(self.model, "note_read", None):  # that of a caller need not have it
            note(is_fit=not (isinstance(found, PlanProblem) and found.is_unreadable))
        return found

    def asked(self, model: Backend, prompt: str) -> str:
        """Ask a model, and count the call and its tokens; a call that fails is counted too."""
        self.spent = ModelSpending(self.spent.calls + 1, self.spent.tokens + self.count(prompt))
        answer = model(prompt)
        self.spent = self.spent._replace(tokens=self.spent.tokens + self.count(answer))
        return answer

    def proposal(self, prompt: Callable[[], str], read: Callable[[str], Answer | PlanProblem]) -> Proposal[Answer]:
        """Return what a model, or an agent, proposes; if it fails, why the rules write. `read` proves the answer."""
        lang = self.config.lang
        try:
            found = self.ask(prompt, read)
        except MdmemError as error:
            return Proposal(None, self._fit(told(error, lang)), error)
        if isinstance(found, PlanProblem):
            return Proposal(None, self._fit(found.told(lang)))
        return Proposal(found)

    def operations(
        self, prompt: Callable[[], str], problems: Callable[[Sequence[Operation]], Iterator[PlanProblem]]
    ) -> Proposal[tuple[Operation, ...]]:
        """Return the operations that are proposed, without problems; else as `proposal`."""

        def read(text: str) -> tuple[Operation, ...] | PlanProblem:
            found = parse_answer(text, self.config.settings.keeper.max_answer_chars)
            return found if isinstance(found, PlanProblem) else next(problems(found), found)

        return self.proposal(prompt, read)

    def _fit(self, why: str) -> str:
        """Return a reason as messages and the log may hold it."""
        text = printable(why)
        is_allowed = Gate(AccessPolicy(self.config, KEEPER)).is_allowed("", text)
        return text if is_allowed else say(self.config.lang, "keeper.unproved")


def printable(text: str) -> str:
    """Return a text without secrets, and without characters that nobody sees."""
    return "".join(filter(str.isprintable, mask(text))).strip()


def model(config: WorkspaceConfig, name: str, limit: TimeLimit | None = None) -> MeteredModel:
    """Return the client of a model, by its name in `MODELS`; it keeps to the budget of the day.

    Args:
        config: the workspace.
        name: of the model.
        limit: the time that it shares with other questions.

    Raises:
        ConfigError: it is not set, or it is set only by a workspace that the user has not trusted yet.
    """
    from mdmem.config.trust_requests import trust_requests
    from mdmem.generation.model_use import MeteredModel

    command, openai = config.settings.command, config.settings.openai
    wanted = trust_requests(config)
    if name in wanted.tables and not wanted.trusted and not (command.run if name == "command" else openai.model):
        raise ConfigError(
            "this workspace's [{name}] settings are ignored until you trust it",
            path=SETTINGS_FILE,
            hint="check it, then run `mdmem trust`; or set it in your own ~/.config/mdmem/mdmem.toml",
            facts={"name": name},
        )
    if name == "command":
        from mdmem.models.command import ask as ask_program

        return MeteredModel(config, name, lambda prompt: ModelReply(ask_program(prompt, command, mask, limit)))
    if name in HEADLESS:
        from mdmem.models.headless import ask as ask_agent

        return MeteredModel(config, name, partial(ask_agent, name=name, settings=command, mask=mask, limit=limit))
    from mdmem.models.openai import ask as ask_endpoint

    return MeteredModel(config, name, partial(ask_endpoint, settings=openai, mask=mask, limit=limit))
