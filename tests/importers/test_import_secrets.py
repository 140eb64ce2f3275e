"""No reader imports a secret of the source: title, body, front matter, tool output, file name."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from harness import holding

from mdmem import Workspace

from .samples import SAMPLES, put
from .test_notion import FILES as NOTION
from .test_transcripts import CLAUDE, CODEX, ROLLOUT, TALK
from .test_vaults import CLAW

SECRET = "ghp_" + "q7W3" * 9
# Keys whose values are no texts: kinds, times, ids and what a reader recognizes a source by.
_FORM = {
    "type", "role", "sender", "priority", "id", "uuid", "timestamp", "parent", "current_node", "recipient", "hash",
    "sessionId", "call_id", "tool_use_id", "created_at", "updated_at", "time", "speaker", "d", "v", "t", "arguments",
}  # fmt: skip


def marked(value: Any, key: str = "") -> Any:
    """Return JSON with the secret in each of its texts."""
    if isinstance(value, dict):
        return {name: marked(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [marked(one, key) for one in value]
    return f"{value} {SECRET}" if isinstance(value, str) and key not in _FORM else value


def _line(line: str) -> str:
    if line.startswith(("{", "[")) and line.endswith("}"):
        return json.dumps(marked(json.loads(line)))
    is_form = not line.strip() or line.startswith(("---", "fastmemo", "[", "type:", "permalink:", "# 核心记忆"))
    return line if is_form or line.startswith(("# datememo", "| ---")) else f"{line} {SECRET}"


def poison(folder: Path) -> None:
    """Put the secret into each text of a source, and into the name of a further file."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".json":
            path.write_text(json.dumps(marked(json.loads(path.read_text("utf-8")))), "utf-8")
        elif path.suffix in (".md", ".jsonl", ".csv", ".txt"):
            lines = path.read_text("utf-8").split("\n")
            path.write_text("\n".join(map(_line, lines)), "utf-8")
            path.with_name(f"{SECRET} {path.name}").write_text("named\n" if path.suffix == ".md" else "", "utf-8")
        elif path.suffix == ".db":
            with closing(sqlite3.connect(path)) as base:
                for (table,) in base.execute("select name from sqlite_master where type = 'table'").fetchall():
                    columns = {row[1] for row in base.execute(f"pragma table_info({table})")}
                    for column in columns & {"content", "diary", "subject", "predicate", "keywords"}:
                        base.execute(f"update {table} set {column} = {column} || ' {SECRET}'")
                base.commit()


def _write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        put(folder, name, text)
    return folder


def lines(values: list[Any]) -> str:
    return "\n".join(map(json.dumps, values))


MADE = {name: (sample.make, "auto") for name, sample in SAMPLES.items()} | {
    "claude transcripts": (lambda folder: _write(folder, {CLAUDE: lines(TALK)}), "claude-code"),
    "codex rollouts": (lambda folder: _write(folder, {CODEX: lines(ROLLOUT)}), "codex"),
    "notion": (lambda folder: _write(folder, NOTION), "notion"),
    "openclaw": (lambda folder: _write(folder, CLAW), "openclaw"),
    "obsidian": (
        lambda folder: _write(folder, {".obsidian/a.json": "{}", "a.md": "---\ntitle: x\n---\n# A\n\nb\n"}),
        "obsidian",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_no_secret_is_written_and_each_is_counted(name: str, workspace: Workspace, source: Path) -> None:
    make, system = MADE[name]
    make(source)
    poison(source)
    system = SAMPLES[name].system if name in SAMPLES else system
    plan = workspace.import_from(source, system=system, dry_run=True)
    report = workspace.import_from(source, system=system)
    assert report.masked > 0
    assert plan.masked == report.masked
    assert SECRET not in repr(plan) + repr(report)
    assert holding(workspace.root, SECRET) == []


@pytest.mark.parametrize("field", ["filename", "original_filename", "local_path", "url", "description", "mime_type"])
def test_the_record_of_an_attachment_has_no_secret(field: str, workspace: Workspace, source: Path) -> None:
    columns = {"id": "a1", "filename": "plan.pdf", "original_filename": "plan.pdf", "local_path": "in/plan.pdf",
               "url": "", "description": "a plan", "mime_type": "application/pdf"}  # fmt: skip
    columns[field] = f"{columns[field]} {SECRET}"
    with closing(sqlite3.connect(source / "openakita.db")) as base:
        base.execute(f"create table attachments ({', '.join(f'{name} text' for name in columns)})")
        base.execute(f"insert into attachments values ({', '.join('?' * len(columns))})", tuple(columns.values()))
        base.commit()
    report = workspace.import_from(source)
    assert report.masked == 1, report.items
    assert (report.written, report.refused) == (1, 0)
    assert holding(workspace.root, SECRET) == []
