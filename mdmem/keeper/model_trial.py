"""Ask the model of the settings one small question, to see whether it answers."""

from __future__ import annotations

import time
from dataclasses import dataclass

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.generation.chosen_backend import model
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.models import excerpt
from mdmem.settings.keeper_tables import MODELS


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
