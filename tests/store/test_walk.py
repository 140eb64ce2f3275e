"""What a walk cannot look into is named, never passed over in silence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mdmem.store.walk import FileWalk


@pytest.mark.parametrize(("blind", "found"), [("private", ["a.md", "private", "z.md"]), ("", ["."])])
def test_a_folder_that_cannot_be_read_is_given_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blind: str, found: list[str]
) -> None:
    (tmp_path / "private").mkdir()
    for name in ("a.md", "private/b.md", "z.md"):
        (tmp_path / name).write_bytes(b"# x\n")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path == os.path.join(tmp_path, blind):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert list(FileWalk(str(tmp_path), ("*.md",), (), ()).files()) == found
