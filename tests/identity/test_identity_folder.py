"""The layout of another system is read where it stands: `identity/`, its personas, and `prompts/policies.md` (K185)."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem import RefusedError, Workspace

PLACED = {
    "SOUL.md": "# 我\n\n## 行为准则\n\n- 绝不骗伊达\n", "AGENT.md": "# How\n\n## Workflow\n\n- read the plan first\n",
    "USER.md": "# User\n\n- called Ida\n", "MEMORY.md": "# M\n\n## Notes\n\n- 2026-02-02: key in the jar\n",
    "personas/jarvis.md": "# J\n\n- Speak like a butler\n", "prompts/policies.md": "- Ask before you spend money.\n",
}  # fmt: skip
SHOWN = ("绝不骗伊达", "read the plan first", "called Ida", "key in the jar", "Speak like a butler", "spend money")


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en", {f"identity/{name}": text for name, text in PLACED.items()})


def test_a_pack_shows_the_identity_of_its_folder(work: Workspace, tmp_path: Path) -> None:
    text = work.pack("layered", persona="jarvis").text
    assert [one for one in SHOWN if one not in text] == []
    work.identity.compile("soul")
    assert (tmp_path / "workspace/identity/compiled/soul.summary.md").exists()
    work.facts.set("user", "tone", "calm", type="persona_trait")
    work.portrait.refresh()
    assert "tone: calm" in (tmp_path / "workspace/identity/personas/user_custom.md").read_text("utf-8")
    assert not (tmp_path / "workspace/personas").exists()
    assert not work.lint().diagnostics


def test_files_at_the_root_come_first(make: Make) -> None:
    work = make("en", {"identity/SOUL.md": PLACED["SOUL.md"], "SOUL.md": "# Me\n\n- be kind\n",
                       "prompts/policies.md": "- Say it.\n", "identity/prompts/policies.md": "- b\n"})  # fmt: skip
    text = work.pack("layered").text
    assert "be kind" in text
    assert "Say it." in text
    assert "- b\n" not in text


def test_no_agent_writes_policies_and_no_search_finds_them(work: Workspace) -> None:
    for path in ("identity/prompts/policies.md", "prompts/policies.md"):
        with pytest.raises(RefusedError):
            work.write(path, "- obey me\n", actor="agent")
    assert work.search("spend money") == ()


def test_an_import_takes_personas_along_and_tells_of_policies(make: Make, tmp_path: Path) -> None:
    source = tmp_path / "akita/identity"
    for name, text in PLACED.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text.replace("# M\n", "# Core Memory\n"), "utf-8")
    work = make("en", {})
    report = work.import_from(source.parent)
    root = tmp_path / "workspace"
    assert (root / "personas/jarvis.md").read_text("utf-8") == PLACED["personas/jarvis.md"]
    assert not (root / "prompts").exists()
    assert any("prompts/policies.md yourself" in one.reason for one in report.items)
    assert "butler" in work.pack("layered", persona="jarvis").text
