"""Sessions with tool runs, as a program records them, and a piece of knowledge that fits their tasks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from conftest import Make

from mdmem import InboxItem, Workspace

FOLDER = "knowledge/"


class ToolCall(NamedTuple):
    """One run of a tool."""

    command: str
    fails: bool = False
    output: str = "done"
    tool: str = "shell"
    key: str = "command"  # of the tool's input


Row = str | ToolCall  # what the user says, or a run


class Words(NamedTuple):
    """The same journey in one language."""

    lang: str
    description: str
    task: str
    works: str
    fails: str


ENGLISH = Words("en", "Import the CSV readings of riverlog", "Import the riverlog readings of {}", "What works",
                "What goes wrong")  # fmt: skip
CHINESE = Words("zh", "导入 riverlog 的 CSV 读数", "导入 riverlog {} 的读数", "成功模式", "错误模式")


def new_workspace(make: Make, words: Words, settings: str = "") -> Workspace:
    """Make a workspace with one piece of knowledge."""
    work = make(words.lang, settings=settings)
    work.knowledge.add("riverlog-csv", words.description, ["head -n 6 {file}"], inputs=["file"])
    return work


def hold(work: Workspace, task: str, *rows: Row) -> str:
    """Hold a session, and end it; return its id."""
    session = work.sessions.start(task)
    for number, row in enumerate(rows):
        session.record(as_line(row, str(number)))
    session.end("Done.", "success")
    return session.id


def as_line(row: Row, name: str = "0") -> dict[str, object]:
    """Return what a program records of a row."""
    if isinstance(row, str):
        return {"role": "user", "text": row}
    call = {"name": row.tool, "input": json.dumps({row.key: row.command}, ensure_ascii=False), "id": name}
    result = {"tool_use_id": name, "content": row.output, "is_error": row.fails}
    return {"role": "assistant", "content": "", "tool_calls": [call], "tool_results": [result]}


def proposed(work: Workspace) -> list[InboxItem]:
    """Return what waits in the inbox for knowledge."""
    return [one for one in work.inbox.list() if one.path.startswith(FOLDER)]


def accept(work: Workspace, items: Sequence[InboxItem]) -> None:
    """Accept items."""
    assert all(one.status == "done" for one in work.inbox.accept([one.key for one in items]))


def piece(work: Workspace, name: str = "riverlog-csv") -> str:
    """Return the text of a piece."""
    return (Path(work.root) / FOLDER / f"{name}.md").read_text("utf-8")


def section(text: str, title: str) -> str:
    """Return what a file has below a heading."""
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0]
