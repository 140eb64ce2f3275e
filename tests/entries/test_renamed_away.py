"""A file that an editor has renamed away while it saves is waited for; nothing is written in its place."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mdmem.workspace import Workspace

pytestmark = pytest.mark.usefixtures("patience_for_editors")

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
