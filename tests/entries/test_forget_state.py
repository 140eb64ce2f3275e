"""After `forget` the text is in no file of `.mdmem/` either, whoever keeps that file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Make, Traces
from harness import hook

from mdmem.store.history.versions import Transaction, WrittenFile


@pytest.mark.parametrize(
    ("lang", "word", "prompt"),
    [
        ("en", "Zebulonquux", "my cat Zebulonquux is ill today"),
        ("en", "Velmora Castle", "we go to see Velmora Castle on Sunday if the weather is good, says Velmora"),
        ("en", "Velmora Castle", "we take the old train up to Velmora Castle on Sunday"),
        ("zh", "栖霞公寓", "帮我退掉栖霞公寓的押金"),
    ],
)
def test_what_a_hook_remembers_of_its_session(make: Make, traces: Traces, lang: str, word: str, prompt: str) -> None:
    workspace = make(lang)
    hook(workspace, "UserPromptSubmit", prompt=prompt)
    (before,) = Path(workspace.root, "sessions").iterdir()
    (state,) = Path(workspace.root, ".mdmem/agents/sessions").iterdir()
    workspace.forget(word)
    (after,) = Path(workspace.root, "sessions").iterdir()
    assert before.name != after.name
    assert json.loads(state.read_bytes())["path"] == f"sessions/{after.name}"
    for one in (word, word.casefold().replace(" ", "_"), json.dumps(word)[1:-1]):
        assert traces(one) == []
    hook(workspace, "Stop", last_assistant_message="I shall look into it.")
    assert [one.name for one in Path(workspace.root, "sessions").iterdir()] == [after.name]
    assert "I shall look" in after.read_text("utf-8"), "the conversation goes on in the same file"


def test_every_other_file_of_the_state_folder(make: Make, traces: Traces) -> None:
    workspace = make("en", {"MEMORY.md": "# Memory\n\n## Notes\n\n- Caf\u00e9 Osprey is closed\n- b\n"})
    workspace.add("MEMORY.md", ["c"])
    state = Path(workspace.root, ".mdmem")
    row = {"attempts": 1, "until": "2099", "reason": "it says Caf\u00e9 Osprey"}
    files = {
        "queue.json": json.dumps({"attempts": {"sessions/20260101_101010_caf\u00e9_osprey.md": row, "USER.md": row}}),
        "night.json": json.dumps({"day": "2026-02-20", "judged": ["Caf\u00e9 Osprey"]}, ensure_ascii=False),
        "newer/one.txt": "in Caf\u00e9 Osprey",
        "busy/osprey": json.dumps({"until": 1}),
        "agents/connections.json": json.dumps({"/home/osprey/.claude/settings.json": {"agent": "claude"}}),
        "other.json": json.dumps({"day": "2026-02-20"}),
        "deep.json": "[" * 900 + '"Caf\u00e9 Osprey"' + "]" * 900,
    }
    for name, text in files.items():
        (state / name).parent.mkdir(exist_ok=True, parents=True)
        (state / name).write_text(text, "utf-8")
    planned = workspace.forget("Caf\u00e9 Osprey", dry_run=True)
    assert [one.what for one in planned.places].count("derived") == 4
    assert workspace.forget("Caf\u00e9 Osprey").status == "done"
    assert workspace.forget("Osprey").status == "done"
    read = {name: (state / name).read_text("utf-8") for name in files if (state / name).exists()}
    assert set(read) == {"queue.json", "night.json", "agents/connections.json", "other.json"}
    assert json.loads(read["queue.json"]) == {
        "attempts": {
            "sessions/20260101_101010_forgotten.md": {**row, "reason": "it says …"},
            "USER.md": {**row, "reason": "it says …"},
        }
    }
    assert json.loads(read["night.json"])["judged"] == ["…"]
    assert {one: read[one] for one in ("other.json", "agents/connections.json")} == {
        one: files[one] for one in ("other.json", "agents/connections.json")
    }, "paths of other programs' files are what `connect --remove` needs"
    assert [Path(one).name for one in traces("Osprey")] == []


def test_what_a_crash_left_in_the_journal(make: Make, traces: Traces) -> None:
    workspace = make("en", {"MEMORY.md": "# Memory\n\n## Notes\n\n- Osprey is closed\n"})
    workspace.add("MEMORY.md", ["c"])
    name, file = "20260101T101010-0000abcd", WrittenFile("facts/osprey.md", None, "a" * 64)
    note = Transaction(name, "2026-01-01T10:10:10+00:00", "ada", "about Osprey", (file,)).line()
    Path(workspace.root, f".mdmem/journal/{name}.begun").write_bytes(note + b"{}")
    assert workspace.forget("Osprey").status == "done"
    assert traces("Osprey") == traces("osprey") == []


def test_findings_that_quote_a_line_that_is_gone(make: Make, traces: Traces, cache: Path) -> None:
    text = "# Memory\n\n## Notes\n\n- my password is Osprey.4711x\n"
    workspace = make("en", {"MEMORY.md": text, "NOTES.md": "# N\n\n" + "Osprey Osprey \u200b\n" * 3})
    workspace.lint()
    (lint,) = cache.rglob("lint-*")
    lint.write_bytes(lint.read_bytes() + b"\nOsprey\t1 2")
    for one in ("MEMORY.md", "NOTES.md"):
        Path(workspace.root, one).unlink()
    assert workspace.forget("Osprey").status == "unchanged"
    assert traces("Osprey") == []
