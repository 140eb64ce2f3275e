"""Which model a keeper asks: a program or an endpoint, as the settings that the user trusts say."""

from __future__ import annotations

from functools import partial

from mdmem.errors import ConfigError
from mdmem.linter.secrets import mask
from mdmem.models import Backend
from mdmem.store.walk import SETTINGS_FILE
from mdmem.workspace.config import Config
from mdmem.workspace.trust import asked

MODELS = ("command", "openai")


def model(config: Config, name: str) -> Backend:
    """Give the model of a name in `MODELS`, ready to be asked.

    Raises:
        ConfigError: it is not set, or only by a workspace that the user does not trust yet.
    """
    command, openai = config.settings.command, config.settings.openai
    wanted = asked(config)
    if name in wanted.tables and not wanted.trusted and not (command.run if name == "command" else openai.model):
        raise ConfigError(
            f"this workspace sets [{name}], which is not heard yet",
            path=SETTINGS_FILE,
            hint="look at it, then say `mdmem trust`; or set it in your own ~/.config/mdmem/mdmem.toml",
        )
    if name == "command":
        from mdmem.models.command import ask as ask_program

        return partial(ask_program, settings=command, mask=mask)
    from mdmem.models.openai import ask as ask_endpoint

    return partial(ask_endpoint, settings=openai, mask=mask)
