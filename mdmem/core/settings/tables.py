"""All tables in one value; each is made, and its module loaded, when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from mdmem.core.settings.files import (
        ArtifactSettings,
        MemorySettings,
        NotebookSettings,
        PenSettings,
        PinSettings,
        SessionSettings,
        StoreSettings,
        WatchSettings,
    )
    from mdmem.core.settings.keeper import KeeperSettings, SentenceSettings
    from mdmem.core.settings.lint import LintSettings
    from mdmem.core.settings.models import CommandSettings, OpenAISettings, TokensSettings, VectorSettings
    from mdmem.core.settings.recall import RecallSettings, SearchSettings
    from mdmem.core.settings.remember import RememberSettings

_HELD = {
    "files": ("memory", "pen", "store", "session", "watch", "artifacts", "pins", "notebook"),
    "keeper": ("keeper", "sentences"),
    "lint": ("lint",),
    "models": ("command", "openai", "vectors", "tokens"),
    "recall": ("recall", "search"),
    "remember": ("remember",),
}
_HOMES = {table: module for module, tables in _HELD.items() for table in tables}


class Settings:
    """All settings of a workspace."""

    lang: str  # zh, en, auto
    lint: LintSettings
    memory: MemorySettings
    pen: PenSettings
    keeper: KeeperSettings
    sentences: SentenceSettings
    recall: RecallSettings
    remember: RememberSettings
    store: StoreSettings
    session: SessionSettings
    watch: WatchSettings
    artifacts: ArtifactSettings
    pins: PinSettings
    search: SearchSettings
    command: CommandSettings
    openai: OpenAISettings
    vectors: VectorSettings
    notebook: NotebookSettings
    tokens: TokensSettings

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values  # as TOML and JSON hold them, checked
        self.lang = values["lang"]

    @classmethod
    def known(cls, values: Any) -> Self | None:  # noqa: ANN401 - it is checked here
        """Take values that were kept as JSON; None for anything else."""
        return cls(values) if isinstance(values, dict) and values.keys() == {"lang", *_HOMES} else None

    def replace(self, **tables: object) -> Self:
        """Give the same settings with other tables."""
        made = type(self)(self.values)
        vars(made).update(vars(self) | tables)
        return made

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the names above say what each is
        """Make a table when it is first asked for."""
        if name not in _HOMES:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        kind = getattr(import_module(f"{__package__}.{_HOMES[name]}"), Settings.__annotations__[name])
        values = self.values[name].items()
        made = kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in values})
        setattr(self, name, made)
        return made
