"""No output repeats a password that somebody wrote into a file by hand (issue 12): hits, recall, packs, prompts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mdmem.workspace import Workspace

TOKEN = "sk-proj-" + "Zx81kQpLm29VbTr47YuWe63NsDf05HjA"  # looks like one, opens nothing
SPOKEN = ("the staging password is Qx7-linden-40", "路由器的密码是 Qx7-linden-40", "wifi password: Qx7-linden-40",
          f"the deploy token is {TOKEN}")  # fmt: skip


def memory(root: Path, line: str) -> Workspace:
    (root / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    (root / "MEMORY.md").write_text(f"# Memory\n\n## Notes\n\n- 2026-01-02: {line}\n- 2026-01-03: tulips\n", "utf-8")
    (root / "FASTMEMO.md").write_text(f"# Memo\n\n## Self\n\n- 2026-01-02: {line}\n", "utf-8")
    return Workspace(root, cache=False)


@pytest.mark.parametrize("line", SPOKEN)
def test_a_password_in_a_file_is_masked_in_every_output(tmp_path: Path, line: str) -> None:
    work = memory(tmp_path, line)
    outputs = [
        repr(work.search(line)),
        work.recall(line).text,
        work.pack().text,
        *work.keeper.prompts("MEMORY.md"),
        *work.keeper.prompts("FASTMEMO.md"),
        work.scratchpad.prompt(),
        repr(work.call("memory_search", {"query": line})),
    ]
    assert all("linden" not in text and TOKEN not in text for text in outputs)
    assert all(re.search(r"\[(password|OpenAI[^]]*)\]", text) for text in outputs[:2])


def test_a_model_that_hands_a_masked_entry_back_loses_nothing(tmp_path: Path) -> None:
    work = memory(tmp_path, SPOKEN[0])
    seen: list[str] = []

    def backend(prompt: str) -> str:
        seen.append(prompt)
        lines = [line for line in prompt.partition("<memory>")[2].splitlines() if line.startswith("- 2026")]
        return json.dumps(
            [{"tool": "memory_edit", "path": "MEMORY.md", "section": "Notes", "content": "\n".join(lines)}]
        )

    work.compact("MEMORY.md", backend=backend, now=True)
    kept = "".join(path.read_text("utf-8") for path in [tmp_path / "MEMORY.md", *tmp_path.glob("archive/*.md")])
    assert seen
    assert all("linden" not in prompt for prompt in seen)
    assert "Qx7-linden-40" in kept
