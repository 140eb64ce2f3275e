"""A workspace to write in, in either language; today is 2026-02-20."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mdmem.workspace import Workspace

Make = Callable[..., Workspace]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's cache out of it, in a folder that a test can search."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Make a workspace of these files: `make("zh", {"MEMORY.md": "…"}, settings="…")`."""

    def build(lang: str = "zh", files: dict[str, str] | None = None, *, settings: str = "") -> Workspace:
        root = tmp_path / "workspace"
        root.mkdir(exist_ok=True)
        for name, text in {"mdmem.toml": f'lang = "{lang}"\n{settings}', **(files or {})}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(text.encode())
        workspace = Workspace(root)
        workspace.config.day = "2026-02-20"
        return workspace

    return build


@pytest.fixture
def text(tmp_path: Path) -> Callable[[str], str]:
    """Give a file's text as its bytes are."""
    return lambda name: (tmp_path / "workspace" / name).read_bytes().decode()


@pytest.fixture
def traces(tmp_path: Path) -> Callable[[str], list[str]]:
    """Name every file of the workspace and of the cache that holds a text, or is called by it."""

    def search(wanted: str) -> list[str]:
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        return [str(path) for path in files if wanted.encode() in path.read_bytes() or wanted in path.name]

    return search
