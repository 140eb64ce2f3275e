"""The tables of settings: all that the shipped file has, each under its name, made when it is asked for."""

from __future__ import annotations

import pickle
import tomllib
import typing
from pathlib import Path

import pytest

from mdmem.messages.folders import templates_folder
from mdmem.settings.tables import Settings

SHIPPED = tomllib.loads((Path(templates_folder()) / "mdmem.toml").read_text("utf-8"))
TABLES = sorted(name for name, value in SHIPPED.items() if isinstance(value, dict))


def test_every_table_has_a_name() -> None:
    assert set(Settings.__annotations__) == {"lang", *TABLES}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_values_of_the_shipped_file(name: str) -> None:
    settings = Settings(SHIPPED)
    table = getattr(settings, name)
    assert type(table) is Settings.__annotations__[name]
    assert table._asdict() == {key: tuple(v) if isinstance(v, list) else v for key, v in SHIPPED[name].items()}
    assert getattr(settings, name) is table
    assert getattr(pickle.loads(pickle.dumps(settings)), name) == table


def test_what_is_no_table_is_refused() -> None:
    unknown: typing.Any = Settings(SHIPPED)
    with pytest.raises(AttributeError, match="nothing"):
        _ = unknown.nothing
    assert Settings.known({"lang": "zh"}) is None
    assert Settings.known([1]) is None
    again = Settings.known(SHIPPED)
    assert again
    assert again.lint == Settings(SHIPPED).lint


def test_a_table_can_be_replaced() -> None:
    settings = Settings(SHIPPED)
    other = settings.replace(lint=settings.lint._replace(max_lines=7))
    assert (other.lint.max_lines, other.store, other.lang) == (7, settings.store, settings.lang)
    assert settings.lint.max_lines != 7
