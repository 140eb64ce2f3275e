"""Sessions to extract from, and what stands in the files afterwards."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from conftest import TODAY

from mdmem.extraction.model import Extraction, ExtractionTask
from mdmem.extraction.rules import extract
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn
from mdmem.messages.folders import templates_folder
from mdmem.settings.tables import Settings
from mdmem.text.document import parse
from mdmem.wording.importance import ImportanceScorer
from mdmem.workspace import Workspace

ID = "20260220_080000_import"
PATH = f"sessions/{ID}.md"
MakeSession = Callable[..., str]
Extract = Callable[..., Extraction]
WORDS = tomllib.loads(Path(templates_folder(), "patterns.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def found(settings: Settings) -> Extract:
    """Extract from turns of the user."""

    def run(*texts: str, lang: str = "zh") -> Extraction:
        turns = tuple(Turn(number, "user", "user", "", text, 0, 0, 0) for number, text in enumerate(texts, 1))
        weigher = ImportanceScorer(settings.keeper, TODAY)
        return extract(ExtractionTask("s.md", turns, settings.extract, weigher, Splitter(settings.sentences), lang=lang,
                                      rows=WORDS["patterns"], lists=WORDS["lists"]))  # fmt: skip

    return run


@pytest.fixture
def session() -> MakeSession:
    """Write a session of (role, text) turns; a user's turn begins a round."""

    def build(*turns: tuple[str, str], ended: bool = True, through: int = 0, started: str = "2026-02-20 08:00") -> str:
        end = "2026-02-20 09:00" if ended else ""
        head = (
            f"---\nagent: main\ntask: 修好导入\nstarted: {started}\nended: {end}\n"
            f"outcome: {'success' if ended else 'ongoing'}\nextracted_through: {through}\ncondensed_through: 0\n---\n"
        )
        out, number = head + "# Session: 20260220_080000\n\n## 请求\n\n修好导入\n\n## 回应\n\n## 元数据\n\n## 对话\n", 0
        for role, text in turns:
            number += role == "user"
            out += f"\n### {max(1, number)} {role} 08:{number % 60:02}\n\n{text}\n"
        return out

    return build


def through(workspace: Workspace, path: str = PATH) -> int:
    """Give how far a session is extracted."""
    front = parse(Path(workspace.root, path).read_bytes()).front_matter
    assert front
    return int(str(front.values["extracted_through"]))


def facts(workspace: Workspace, subject: str | None = None) -> list[str]:
    """Give the live facts."""
    return [fact.text for fact in workspace.facts(subject)]


def files(workspace: Workspace, folders: Sequence[str] = ("facts", "sessions")) -> dict[str, bytes]:
    """Give the bytes of memory files."""
    root = Path(workspace.root)
    found = [path for folder in folders for path in sorted(root.glob(f"{folder}/*.md"))]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in (*found, *sorted(root.glob("*.md")))}
