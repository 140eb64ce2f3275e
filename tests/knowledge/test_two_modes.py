"""What seed 002 says of the whole (D054–D058, D060), by the verbs: the store, the two modes, the three dimensions."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Make, Run
from harness import files_of

KNOWLEDGE, WORLD, TASK = "agent_knowledge.md", "world_state.md", "task_process.md"
FILES = {
    KNOWLEDGE: "# Knowledge\n\n## Success patterns\n\n- Look at the raw bytes first.\n",
    WORLD: "# World\n\n## Current state\n\n- 2026-02-13: the gauge of the old bridge is moved.\n",
    TASK: "# Task Process\n\n## Current state\n\n- Instruction pointer: 1\n\n## TODO list\n\n"
    "- [ ] draw the map ← current\n",
    "sessions/20260213_101500_map.md": "---\nstarted: 2026-02-13 10:15\nended: 2026-02-13 10:20\n---\n# Session\n\n"
    "## Request\n\nDraw the map of the harbour\n\n## Response\n\nThe map has two colours.\n",
}
TALK = "".join(
    json.dumps({"role": role, "content": text}) + "\n"
    for role, text in (("user", "Never push. Fix the import."), ("assistant", "Fixed src/import.py, 5 tests pass."))
)


def part(verb: Run, name: str) -> str:
    found = json.loads(verb("context", "full", "--json").stdout)["parts"]
    return next((str(one["text"]) for one in found if one["name"] == name), "")


def test_files_hold_far_more_than_a_context_and_give_each_line_back(make: Make, verb: Run) -> None:
    """D054: the store has no bound, the pack has."""
    pieces = {
        f"knowledge/p{n}.md": f"---\nname: p{n}\ndescription: How berth {n} is dredged\n---\n# p{n}\n\n## Steps\n\n"
        f"1. Bring pump {7 * n}\n" for n in range(400)
    }  # fmt: skip
    root = make("en", FILES | pieces).root
    made = json.loads(verb("context", "full", "--query", "how is berth 399 dredged?", "--json").stdout)
    text = "".join(one["text"] for one in made["parts"])
    assert made["tokens"] <= 16_000
    assert sum(map(len, files_of(root, ".mdmem").values())) > 10 * len(text)
    assert "Bring pump 2793" in text
    small = json.loads(verb("context", "full", "--budget", "60", "--json").stdout)
    assert small["tokens"] <= 60
    assert [one["name"] for one in small["parts"] if one["left"]], "what has no room is named"
    for number in (0, 200, 399):
        assert f"Bring pump {7 * number}" in verb("search", f"pump {7 * number}", "--limit", "1").stdout


def test_minimal_mode_has_the_compact_memory_and_full_mode_the_rest(make: Make, verb: Run) -> None:
    """D055, the rows of the table: memories, compaction, programs."""
    make("en", FILES)
    verb("compact", "context", "--now", given=TALK)
    minimal, full = (verb("context", name).stdout for name in ("minimal", "full"))
    assert "Fixed src/import.py" in minimal
    assert "Look at the raw bytes first" in minimal
    assert not [text for text in ("gauge of the old bridge", "draw the map", "two colours") if text in minimal]
    rest = ("gauge of the old bridge", "draw the map", "two colours", "Look at the raw bytes first")
    assert not [text for text in rest if text not in full]
    assert "Fixed src/import.py" not in full


def test_minimal_mode_writes_no_session_and_full_mode_must(make: Make, verb: Run) -> None:
    """D055: session files; and full mode condenses only what is long, and keeps it for this once (D019)."""
    root = make("en", settings="[session]\nwrite = false\n[keeper]\nbackend = 'rules'\n").root
    verb("session", "start", "mend the import")
    assert not [name for name in files_of(root, ".mdmem") if name.startswith("sessions/")]
    verb("compact", "context", "--now", given=TALK)
    assert ".compact_memory.md" in files_of(root, ".mdmem")
    root = make("en").root
    before = set(files_of(root, ".mdmem"))
    assert "condensed from 70000 on" in verb("compact", "context", "--text", given=TALK, code=1).stdout
    assert "Fixed src/import.py" in verb("compact", "context", "--text", "--now", given=TALK).stdout
    assert set(files_of(root, ".mdmem")) == before
    verb("session", "start", "mend the import")
    assert [name for name in files_of(root, ".mdmem") if name.startswith("sessions/")]


def test_each_dimension_has_a_compression_of_its_own(make: Make, verb: Run) -> None:
    """D056: what one dimension does with its room leaves the bytes and the parts of the others as they are."""
    work = make("en", FILES)
    root, names = work.root, ("knowledge", "world", "task")
    before = {name: part(verb, name) for name in names}
    assert all(before.values())
    settings = Path(root, "mdmem.toml")
    plain = settings.read_text("utf-8")
    for name in names:
        settings.write_text(f"{plain}\n[part.{name}]\nmax_chars = 30\n", "utf-8")
        now = {one: part(verb, one) for one in names}
        assert [one for one in names if now[one] != before[one]] == [name]
        assert len(now[name]) < len(before[name])
    assert {name: data for name, data in files_of(root, ".mdmem").items() if name in FILES} == {
        name: text.encode() for name, text in FILES.items()
    }


PIECE = """---
name: pour
description: How tea is poured
---
# pour

## Steps

- inputs: cup

1. Warm the {cup}
2. Pour into the {cup}
"""


def test_a_type_is_used_again_and_each_instance_is_its_own(make: Make, verb: Run) -> None:
    """D057: the piece stays byte for byte; each run is a plan of its own, for each agent and input."""
    work = make("en", {"knowledge/pour.md": PIECE})
    root = Path(work.root)
    verb("run", "pour", "cup=blue cup", "--agent", "ada")
    verb("run", "pour", "cup=mug", "--agent", "bo")
    verb("plan", "done", "--agent", "ada")
    plans = [(root / "agents" / name / TASK).read_text("utf-8") for name in ("ada", "bo")]
    assert "- [x] Warm the blue cup" in plans[0]
    assert "- [ ] Warm the mug" in plans[1]
    assert (root / "knowledge/pour.md").read_text("utf-8") == PIECE
    verb("bundle", "make", "cups.zip", "pour", "--version", "1")
    verb("bundle", "install", "cups.zip")
    verb("trust", "cups", "--yes")
    verb("run", "cups/pour", "cup=third", "--agent", "cy")
    assert "Warm the third" in (root / "agents/cy" / TASK).read_text("utf-8")


def test_an_agent_changes_its_own_knowledge_and_works_by_the_change(make: Make, verb: Run) -> None:
    """D058: its tool writes the file at once, the next run follows it, and the user can take it back."""
    work = make("en", {"knowledge/pour.md": PIECE})
    verb("run", "pour", "cup=mug")
    change = {"path": "knowledge/pour.md", "oldText": "Warm the {cup}", "newText": "Warm the {cup} twice"}
    done = json.loads(verb("tool", "call", "edit", "--actor", "ada", given=json.dumps(change)).stdout)
    assert done["status"] == "done", done
    verb("knowledge", "save", "pour", "twice", "--note", "it cooled too fast")
    verb("run", "pour", "cup=mug", "--replace")
    assert "Warm the mug twice" in Path(work.root, TASK).read_text("utf-8")
    assert "ada" in verb("log").stdout
    verb("undo")
    verb("undo")
    verb("undo")
    assert Path(work.root, "knowledge/pour.md").read_text("utf-8") == PIECE


def test_a_schema_of_the_world_is_memory_of_the_world(make: Make, verb: Run) -> None:
    """D060: structure, conventions and constraints that the user wrote down are linted, found, and given in full."""
    schema = "# World Schema\n\n## Conventions\n\n- 2026-02-13: charts lie in `charts/`, one file for each harbour.\n"
    work = make("en", {"world_schema.md": schema, WORLD: FILES[WORLD]})
    assert verb("lint").returncode == 0
    assert json.loads(verb("search", "charts harbour", "--json").stdout)[0]["path"] == "world_schema.md"
    shown = part(verb, "world")
    assert "one file for each harbour" in shown
    assert "the gauge of the old bridge" in shown
    assert verb("add", "world_schema.md", "2026-02-14: no chart is older than a year").returncode == 0
    verb("undo")
    assert files_of(work.root, ".mdmem")["world_schema.md"] == schema.encode()
