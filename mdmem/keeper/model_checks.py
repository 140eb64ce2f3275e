"""What doctor says of the model of the settings, without asking it: what was asked today, and why it failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.generation.model_use import backend_use, model_use
from mdmem.history.service import DoctorCheck
from mdmem.messages.catalog import say
from mdmem.settings.keeper_tables import HEADLESS


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
