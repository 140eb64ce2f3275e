"""A keeper's task of a text, and a workspace to keep; today is 2026-02-20."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from conftest import TODAY
from harness import lay

from mdmem.formats.template import Schemas
from mdmem.keeper.model import CompactionTask
from mdmem.linter.masking import mask
from mdmem.settings.tables import Settings
from mdmem.text.document import parse
from mdmem.wording.importance import ImportanceScorer
from mdmem.workspace import Workspace

MakeTask = Callable[..., CompactionTask]
Make = Callable[..., Workspace]


@pytest.fixture(scope="session")
def task(settings: Settings, schemas: Schemas) -> MakeTask:
    """Make the task of a text under a file name."""

    def build(
        text: str, path: str = "FASTMEMO.md", *, today: date = TODAY, max_chars: int | None = None
    ) -> CompactionTask:
        document = parse(text.encode())
        template = schemas.match(path, document)
        assert template
        if max_chars:
            template = template._replace(file=template.file._replace(max_chars=max_chars))
        return CompactionTask(
            path, document, template, ImportanceScorer(settings.keeper, today), settings.lint.near_duplicate,
            lambda one: mask(one) != one or "\u200b" in one, lang=template.lang,
        )  # fmt: skip

    return build


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Make a workspace of these files."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def build(files: dict[str, str] | None = None, *, lang: str = "zh", settings: str = "") -> Workspace:
        workspace = Workspace(lay(tmp_path / "workspace", files, lang=lang, settings=settings))
        workspace.config.day = TODAY.isoformat()
        return workspace

    return build
