"""What a shipped file holds is kept for all workspaces, until the file or the code that reads it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem.config.workspace_config import WorkspaceConfig


def test_a_new_workspace_parses_no_shipped_file_that_another_one_has_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    one, two, three = (WorkspaceConfig(str(tmp_path / name), "en") for name in ("one", "two", "three"))
    known = one.schemas.required("memory")
    rows = list(one.shipped_rows("patterns.toml", "patterns"))
    one.cache.save(complete=False)
    for name in ("_shipped_template", "_parsed", "_headers"):
        monkeypatch.setattr(f"mdmem.config.workspace_config.{name}", None)
    assert two.schemas.required("memory").pack() == known.pack()
    assert list(two.shipped_rows("patterns.toml", "patterns")) == rows
    monkeypatch.setattr("mdmem.config.workspace_config._versions", lambda _: ["another version"])
    with pytest.raises(TypeError):
        three.schemas.required("memory")
