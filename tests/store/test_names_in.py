"""A folder that cannot be listed is told in words, without a path of the host."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mdmem.errors import UnreadableFileError
from mdmem.store.files import names_in


def test_a_folder_is_listed_in_order_and_what_is_none_has_no_names(tmp_path: Path) -> None:
    for name in ("b.md", "a.md"):
        (tmp_path / name).touch()
    assert names_in(str(tmp_path), "") == ["a.md", "b.md"]
    assert names_in(str(tmp_path), "a.md") == []
    assert names_in(str(tmp_path), "missing") == []


def test_a_refusal_names_the_folder_and_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> list[str]:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr(os, "listdir", refuse)
    with pytest.raises(UnreadableFileError) as told:
        names_in(str(tmp_path), "memory")
    assert told.value.path == "memory"
    assert str(tmp_path) not in str(told.value)
    assert "Permission denied" in str(told.value)
