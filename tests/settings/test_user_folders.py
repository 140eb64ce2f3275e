"""A relative path in a variable of the XDG specification is ignored: the default folder counts."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mdmem.config.trust import config_folder, state_folder
from mdmem.messages.folders import cache_folder

FOLDERS = {"XDG_CACHE_HOME": cache_folder, "XDG_CONFIG_HOME": config_folder, "XDG_STATE_HOME": state_folder}


@pytest.mark.skipif(sys.platform == "win32", reason="the home folder is set in another way there")
@pytest.mark.parametrize(("variable", "folder"), FOLDERS.items())
def test_a_relative_path_counts_as_none(
    variable: str, folder: Callable[[], str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv(variable, raising=False)
    default = folder()
    for relative in ("rel", "./rel", ".", ""):
        monkeypatch.setenv(variable, relative)
        assert folder() == default
    assert str(default).startswith(f"{tmp_path}{os.sep}")
    monkeypatch.setenv(variable, str(tmp_path / "other"))
    assert folder() == str(tmp_path / "other" / "mdmem")
