"""An import that is stopped between two of its changes, and run again, ends as one that was not stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mdmem import Workspace
from mdmem.store.pen import Pen

from .test_import import contents
from .test_openakita_episodes import database, linked


def ended(workspace: Workspace) -> dict[str, list[str]]:
    """Return the lines of each file, sorted; of the list of imports only the origins."""
    found = {}
    for path, (data, _) in contents(Path(workspace.root)).items():
        lines = sorted(data.decode().splitlines())
        found[path] = [line for line in lines if "[origin:: " in line] if path == "archive/imports.md" else lines
    return found


def made(folder: Path) -> Workspace:
    folder.mkdir()
    workspace = Workspace(folder, lang="zh", cache=False)
    workspace.init()
    return workspace


@pytest.mark.thorough
@pytest.mark.slow
def test_an_import_that_was_stopped_ends_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "source"
    source.mkdir()
    database(source, **linked())
    whole, left, commit = made(tmp_path / "whole"), [10_000], Pen.commit

    def stopping(self: Pen, *values: Any, **named: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return commit(self, *values, **named)

    monkeypatch.setattr(Pen, "commit", stopping)
    whole.import_from(source)
    changes = 10_000 - left[0]
    assert changes > 5
    for number in range(changes):
        workspace = made(tmp_path / f"stopped-{number}")
        left[0] = number
        with pytest.raises(KeyboardInterrupt):
            workspace.import_from(source)
        left[0] = 10_000
        report = workspace.import_from(source)
        assert report.refused == 0
        assert ended(workspace) == ended(whole), number
