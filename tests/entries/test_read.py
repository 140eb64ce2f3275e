"""A look never waits for a writer, never writes, and never gives half a file without a word."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Make

from mdmem.errors import TargetError, UnreadableFileError
from mdmem.store.history.versions import fingerprint
from mdmem.workspace import Workspace

pytestmark = pytest.mark.usefixtures("patience_for_editors")


def test_text_and_digest_are_the_files(make: Make) -> None:
    reading = make(files={"x.md": "\ufeffein\r\nzwei 🐾"}).read("x.md")
    assert (reading.path, reading.text, reading.warning) == ("x.md", "\ufeffein\r\nzwei 🐾", "")
    assert reading.digest == fingerprint("\ufeffein\r\nzwei 🐾".encode())


def test_reading_writes_nothing(make: Make, tmp_path: Path) -> None:
    memory = make(files={"x.md": "- a\n"})
    memory.read("x.md")
    memory.inbox.list()
    assert sorted(os.listdir(tmp_path / "workspace")) == ["mdmem.toml", "x.md"]


def test_a_file_that_an_editor_is_just_saving_is_waited_for(make: Make, tmp_path: Path) -> None:
    memory = make(files={"x.md": "- a\n"})
    path = tmp_path / "workspace" / "x.md"
    path.unlink()

    def save() -> None:
        time.sleep(0.05)
        path.write_text("")
        time.sleep(0.05)
        path.write_text("- b\n")

    editor = threading.Thread(target=save)
    editor.start()
    assert memory.read("x.md").text == "- b\n"
    editor.join()


def test_what_never_existed_is_not_waited_for(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    memory, waits = make("en"), list[float]()
    monkeypatch.setattr("mdmem.entries.read.time.sleep", waits.append)
    assert (memory.pins.list(), memory.plan.show().steps, memory.facts("user")) == ((), (), ())
    assert waits == []


def test_an_optional_file_that_an_editor_is_just_saving_is_waited_for(make: Make, tmp_path: Path) -> None:
    memory = make("en")
    memory.facts.set("user", "city", "lives in Porto")
    path = next((tmp_path / "workspace" / "facts").iterdir())
    text = path.read_bytes()
    path.unlink()

    def save() -> None:
        time.sleep(0.05)
        path.write_bytes(text)

    editor = threading.Thread(target=save)
    editor.start()
    assert [fact.text for fact in memory.facts("user")] == ["lives in Porto"]
    editor.join()


def test_an_emptied_file_gives_its_last_good_version_with_a_warning(make: Make, tmp_path: Path) -> None:
    memory = make()
    memory.write("x.md", "- eins\n")
    memory.write("x.md", "- zwei\n")
    (tmp_path / "workspace" / "x.md").write_text("")
    reading = memory.read("x.md")
    assert (reading.text, reading.warning) == ("- zwei\n", "读不到 x.md 的当前内容，这是上一个完好的版本")


def test_an_empty_file_that_was_never_full_is_empty(make: Make) -> None:
    assert make(files={"x.md": ""}).read("x.md").text == ""


def test_a_file_that_was_taken_away_is_missing(make: Make, tmp_path: Path) -> None:
    memory = make()
    memory.write("x.md", "- eins\n")
    (tmp_path / "workspace" / "x.md").unlink()
    with pytest.raises(TargetError, match=r"^文件不存在：x.md$"):
        memory.read("x.md")


def test_what_is_no_file_is_said(make: Make, tmp_path: Path) -> None:
    memory = make()
    os.mkfifo(tmp_path / "workspace" / "fifo.md")
    with pytest.raises(UnreadableFileError):
        memory.read("fifo.md")


def test_bytes_that_are_no_text_are_shown_as_such(make: Make, tmp_path: Path) -> None:
    memory = make()
    (tmp_path / "workspace" / "x.md").write_bytes("- 旧\n".encode("gbk"))
    reading = memory.read("x.md")
    assert "�" in reading.text
    assert "不是 UTF-8" in reading.warning


TEXT = "# Memory\n\n## Notes\n\n- 2026-01-01: the boiler is in the attic\n"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("memory_add", {"path": "MEMORY.md", "section": "Notes", "content": "2026-01-03: a NEW thing"}),
    ("edit", {"path": "MEMORY.md", "oldText": "in the attic", "newText": "NEW"}),
    ("str_replace", {"path": "/memories/MEMORY.md", "old_str": "in the attic", "new_str": "NEW"}),
    ("memory_replace", {"path": "MEMORY.md", "entry": "boiler", "content": "2026-01-01: NEW boiler"}),
]


@contextmanager
def saving(file: Path, aside: str, seconds: float) -> Iterator[None]:
    """Save a file as an editor does: the old one gets another name, then the new one takes its place."""
    old = file.with_name(aside)
    file.rename(old)

    def finish() -> None:
        time.sleep(seconds)
        new = file.with_name(f"{aside}.new")
        new.write_bytes(old.read_bytes())
        new.rename(file)

    thread = threading.Thread(target=finish)
    thread.start()
    yield
    thread.join()


@pytest.mark.parametrize("aside", ["MEMORY.md~", ".MEMORY.md.swp", "MEMORY.md.bak"])
@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_a_write_waits_for_the_save(tmp_path: Path, tool: str, arguments: dict[str, Any], aside: str) -> None:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    file = tmp_path / "MEMORY.md"
    file.write_text(TEXT, "utf-8")
    with saving(file, aside, 0.12):
        reply = Workspace(tmp_path, cache=False).call(tool, arguments)
    assert reply["status"] == "done", reply
    assert "NEW" in file.read_text("utf-8")
    assert "boiler" in file.read_text("utf-8")


def test_a_new_file_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    work = Workspace(tmp_path, cache=False)
    work.init()
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("waited"))
    assert work.call("memory_read", {"path": "MEMORY.md"})["code"] == "target"
