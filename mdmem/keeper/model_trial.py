"""Whether the model of the settings answers, for doctor: what was asked today, why it failed, one small question."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.generation.chosen_backend import model
from mdmem.generation.model_use import backend_use, model_use
from mdmem.history.service import DoctorCheck
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.models import excerpt
from mdmem.settings.keeper_tables import HEADLESS, MODELS


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """The answer of the model to a small question."""

    backend: str
    answer: str  # its beginning, as one line
    seconds: float
    tokens: int  # of the question and the answer, as the model counts them if it tells, else as we do


def try_model(config: WorkspaceConfig) -> ModelTrial | None:
    """Ask the model one small question; see `Workspace.keeper.try_model`."""
    name = config.settings.keeper.backend
    if name not in MODELS:
        return None
    asked, begun = model(config, name), time.monotonic()
    reply = asked.reply(say(config.lang, "model.question"))
    asked.note_read(is_fit=True)
    answer = excerpt(reply.text.encode("utf-8", "replace"), mask)
    return ModelTrial(name, answer, time.monotonic() - begun, reply.tokens)


def model_checks(config: WorkspaceConfig) -> Iterator[DoctorCheck]:
    """Yield what a model was asked today, and why it did not answer the last time; nothing if there is no model."""
    lang = config.lang
    try:
        used = backend_use(config)
    except MdmemError:  # the settings are wrong, which another check tells
        return
    if used is None:
        return
    last, name = model_use(config.day), used.backend
    yield DoctorCheck("model", "good", say(lang, "model.use", **asdict(used)))
    why = last.why if last.backend == name else ""
    if name in HEADLESS and not _is_there(name):
        why = "absent"
    if why:
        key = f"model.failed-{why}"
        at = last.at if last.backend == name else ""
        said = say(lang, key, name=name)
        told = say(lang, "punctuation.aside", text=said, aside=at) if at else said
        yield DoctorCheck("model-failed", "weaker", told, say(lang, f"{key}.hint", name=name))


def _is_there(name: str) -> bool:
    from mdmem.models.headless import find_program  # loads what only a question needs

    return bool(find_program(name))
