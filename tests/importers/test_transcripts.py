"""The sessions of Claude Code and Codex: what was said and done comes over, what the program adds does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mdmem import Workspace
from mdmem.importers import json_stream
from mdmem.importers.model import ImportReport

from .samples import put
from .test_import import adds_up

IDENT = "1b2c3d4e-0a0b-4c4d-8e8f-112233445566"
CLAUDE = f"projects/-srv-boat/{IDENT}.jsonl"
CODEX = f"sessions/2026/02/03/rollout-2026-02-03T10-00-00-{IDENT}.jsonl"


def line(role: str, content: Any, at: str = "2026-02-03T10:00:00Z", **more: Any) -> dict[str, Any]:
    said = {"role": role, "content": content}
    return {"type": role, "sessionId": IDENT, "cwd": "/srv/boat", "timestamp": at, "message": said, **more}


def item(kind: str, at: str = "2026-02-03T10:00:00Z", **payload: Any) -> dict[str, Any]:
    return {"timestamp": at, "type": "response_item", "payload": {"type": kind, **payload}}


def message(role: str, text: str) -> dict[str, Any]:
    return item(
        "message", role=role, content=[{"type": "input_text" if role == "user" else "output_text", "text": text}]
    )


META = {"timestamp": "", "type": "session_meta", "payload": {"id": IDENT, "cwd": "/srv/boat",
        "timestamp": "2026-02-03T09:59:00Z"}}  # fmt: skip
TALK = [
    line("user", "Caulk the hull"),
    line("assistant", [{"type": "thinking", "thinking": "tar or cotton"}, {"type": "text", "text": "With cotton."}]),
    line("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls planks"}}]),
    line("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "oak.txt"}]),
    line("assistant", [{"type": "text", "text": "a sub-agent"}], isSidechain=True),
    line("user", "<command-name>/clear</command-name>"),
    {"type": "system", "sessionId": IDENT, "content": "compacted"},
]
ROLLOUT = [
    META,
    message("user", "<environment_context>x</environment_context>"),
    message("developer", "obey"),
    message("user", "Caulk the hull"),
    {"type": "event_msg", "timestamp": "", "payload": {"type": "user_message", "message": "Caulk the hull"}},
    item("reasoning", encrypted_content="zz"),
    item("function_call", name="shell", arguments='{"command": ["ls", "planks"]}', call_id="c1"),
    item("function_call_output", call_id="c1", output=json.dumps({"output": "oak.txt", "metadata": {"exit_code": 0}})),
    message("assistant", "With cotton."),
]


def bring(workspace: Workspace, source: Path, name: str, lines: list[Any], end: str = "\n") -> ImportReport:
    put(source, name, "\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines) + end)
    report = workspace.import_from(source)
    assert adds_up(report)
    return report


def sessions(workspace: Workspace) -> str:
    return "\n".join(one.read_text("utf-8") for one in sorted(Path(workspace.root).glob("sessions/*.md")))


@pytest.mark.parametrize(("name", "lines", "left"), [(CLAUDE, TALK, (1, 2, 1)), (CODEX, ROLLOUT, (0, 3, 1))])
def test_a_transcript_becomes_a_session(
    name: str, lines: list[Any], left: tuple[int, ...], workspace: Workspace, source: Path
) -> None:
    report = bring(workspace, source, name, lines)
    assert (report.written, report.skipped, report.refused) == (1, 1, 0), report.items
    text = sessions(workspace)
    for said in ("Caulk the hull", "With cotton.", "ls", "oak.txt", "/srv/boat", "2026-02-03"):
        assert said in text
    for unsaid in ("tar or cotton", "a sub-agent", "command-name", "environment_context", "obey", "compacted"):
        assert unsaid not in text
    assert [str(number) for number in left] == [one for one in report.items[0].reason.split() if one.isdigit()]
    assert workspace.import_from(source).written == 0


@pytest.mark.parametrize(("name", "lines"), [(CLAUDE, TALK), (CODEX, ROLLOUT)])
@pytest.mark.parametrize("end", ['{"type": "user", "sess', "\n7", "\n[]", "\nnull"])
def test_a_wrong_line_is_told_by_its_number(
    name: str, lines: list[Any], end: str, workspace: Workspace, source: Path
) -> None:
    """A session that still runs may end in half a line."""
    report = bring(workspace, source, name, lines, "\n" + end.lstrip())
    assert (report.written, report.refused) == (1, 1)
    assert [one.place for one in report.items if one.state == "refused"] == [f"{name}:{len(lines) + 1}"]


WRONG = [
    line("user", 7),
    line("user", [7]),
    line("user", [{"type": "text", "text": 7}]),
    line("assistant", [{"type": "tool_use", "id": "t", "name": {}, "input": 1}]),
    line("user", [{"type": "tool_result", "tool_use_id": "t", "content": {"a": 1}}]),
    line("user", "half \ud800 a character"),
    {**line("user", "x"), "message": "x"},
    item("message", role="user", content="x"),
    item("function_call", name=7, arguments="{}"),
    item("function_call_output", call_id="c", output=7),
    {"timestamp": "", "type": "response_item", "payload": []},
]


@pytest.mark.parametrize("wrong", WRONG)
def test_a_line_of_wrong_types_keeps_no_other_out(wrong: Any, workspace: Workspace, source: Path) -> None:
    name, lines = (CLAUDE, TALK) if "sessionId" in wrong else (CODEX, ROLLOUT)
    report = bring(workspace, source, name, [lines[0], wrong, *lines[1:]])
    assert (report.written, report.refused) == (1, 1), report.items
    assert f"{name}:2" in [one.place for one in report.items]


def test_a_huge_line_is_one_wrong_line(workspace: Workspace, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "_ELEMENT", 1000)
    report = bring(workspace, source, CLAUDE, [TALK[0], line("user", "tar " * 900), 7])
    assert [one.place for one in report.items if one.state == "refused"] == [f"{CLAUDE}:2", f"{CLAUDE}:3"]


def test_a_session_that_went_on_brings_only_what_is_new(workspace: Workspace, source: Path) -> None:
    bring(workspace, source, CLAUDE, TALK)
    report = bring(workspace, source, CLAUDE, [*TALK, line("user", "And the mast?", "2026-02-03T12:00:00Z")])
    assert (report.written, report.refused) == (1, 0)
    assert sessions(workspace).count("With cotton.") == 1
    assert "And the mast?" in sessions(workspace)


def test_beside_sessions_only_the_memory_folder_is_read(workspace: Workspace, source: Path) -> None:
    put(source, "projects/-srv-boat/memory/tar.md", "Tar melts at noon.\n")
    put(source, "plugins/x/README.md", "A plugin.\n")
    put(source, "history.jsonl", '{"display": "x", "sessionId": "y"}\n')
    report = bring(workspace, source, CLAUDE, TALK)
    assert (report.written, report.refused) == (2, 0)
    assert {one.place for one in report.items} == {CLAUDE, "plugins/x/README.md", "history.jsonl"}
