"""What no reader knows is told as what it is, with the way that takes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mdmem import UsageError, Workspace

NOTE = "# Note\n\n- 2026-02-13: tea with Ann\n"
CHINESE = "# 笔记\n\n- 买牛奶给孩子喝\n- 明天下午三点去医院看牙\n"
FOLDERS: dict[str, tuple[dict[str, bytes], str, str, str]] = {
    # files | the reader asked for | what is told | the way out
    "notes": ({"a.md": NOTE.encode()}, "auto", "has Markdown files", "--from markdown"),
    "gbk": ({"a.md": CHINESE.encode("gbk")}, "auto", "`a.md` is not UTF-8 but GBK", "save it as UTF-8"),
    "utf-16": ({"a.txt": CHINESE.encode("utf-16-le")}, "auto", "not UTF-8 but UTF-16", "save it as UTF-8"),
    "json": ({"x.json": b'[{"a": 1},\n {"b" 2}]'}, "auto", "line 2, column 7", "export it again"),
    "jsonl": ({"x.jsonl": b'{"a": 1}\n{"b" 2}\n'}, "mem0", "line 2, column 6", "export it again"),
    "json of a system": ({"x.json": b'{"a" 1}'}, "chatgpt", "line 1, column 6", "export it again"),
    "text": ({"t.txt": b"one\ntwo\n"}, "auto", "is a text", "mdmem add memory --batch"),
}


@pytest.mark.parametrize("case", FOLDERS)
def test_what_no_reader_knows_is_told_with_a_way_out(case: str, workspace: Workspace, source: Path) -> None:
    files, system, told, way = FOLDERS[case]
    for name, data in files.items():
        (source / name).write_bytes(data)
    found = UsageError("")
    for lang in ("zh", "en"):
        with pytest.raises(UsageError) as error:
            Workspace(workspace.root, lang=lang).import_from(source, system=system)
        found = error.value
        assert found.hint
    assert told in found.message
    assert way in found.hint
    assert system == "auto" or "name the system" not in found.hint


def test_a_reader_that_finds_nothing_is_not_asked_for_again(workspace: Workspace, source: Path) -> None:
    (source / "a.md").write_text(NOTE, "utf-8")
    with pytest.raises(UsageError, match=r"is of mem0|没有 mem0") as error:
        workspace.import_from(source, system="mem0")
    assert "--from markdown" in error.value.hint


def test_plain_notes_come_with_markdown_and_the_encoding_of_the_others_is_told(
    workspace: Workspace, source: Path
) -> None:
    (source / "a.md").write_text(NOTE, "utf-8")
    (source / "b.md").write_bytes(CHINESE.encode("gbk"))
    done = workspace.import_from(source, system="markdown")
    assert (done.written, done.refused) == (1, 1)
    assert (Path(workspace.root) / done.paths[0]).read_text("utf-8") == NOTE
    assert re.search("GBK", done.items[0].reason)
