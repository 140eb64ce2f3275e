"""All tables in one value, and as JSON's types, for a run that has read them before."""

from __future__ import annotations

from typing import Any, Self, get_type_hints

from mdmem.core.record import NamedTuple
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
from mdmem.core.settings.keeper import KeeperSettings
from mdmem.core.settings.lint import LintSettings
from mdmem.core.settings.models import CommandSettings, OpenAISettings, TokensSettings, VectorSettings
from mdmem.core.settings.recall import RecallSettings, SearchSettings


class Settings(NamedTuple):
    """All settings of a workspace."""

    lang: str  # zh, en, auto
    lint: LintSettings
    memory: MemorySettings
    pen: PenSettings
    keeper: KeeperSettings
    recall: RecallSettings
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

    def as_list(self) -> list[Any]:
        """Give the values as JSON's types."""
        return [self.lang, *(list(getattr(self, name)) for name in _TABLES)]

    @classmethod
    def from_list(cls, values: Any) -> Self | None:  # noqa: ANN401 - it is checked here
        """Read what `as_list` gave; None for anything else."""
        if not isinstance(values, list) or len(values) != 1 + len(_TABLES):
            return None
        lang, *rows = values
        if any(len(row) != len(table._fields) for row, table in zip(rows, _TABLES.values(), strict=True)):
            return None
        named = zip(_TABLES.items(), rows, strict=True)
        return cls(lang, **{name: table(*map(_frozen, row)) for (name, table), row in named})

    @classmethod
    def from_tables(cls, values: dict[str, Any]) -> Self:
        """Give the checked values of a TOML file their names."""
        tables = {
            name: table(**{key: _frozen(value) for key, value in values[name].items()})
            for name, table in _TABLES.items()
        }
        return cls(values["lang"], **tables)


_TABLES: dict[str, Any] = {name: table for name, table in get_type_hints(Settings).items() if name != "lang"}


def _frozen(value: Any) -> Any:  # noqa: ANN401 - what TOML and JSON hold
    return tuple(value) if isinstance(value, list) else value
