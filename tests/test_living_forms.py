"""Each form of living memory in each verb: fact, episode, turn, scratchpad, record, proposal, trait, night.

The texts are those of the example workspace, so a new kind of file comes into these laws with its example.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from harness import holding

from mdmem.store.history.versions import fingerprint
from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).resolve().parents[1] / "workspace"


class Form(NamedTuple):
    """A line of one form."""

    path: str
    words: str  # they stand once in the file
    asked: str  # a question that the line answers; empty for what no search looks at


FORMS = {
    "fact": Form("facts/nian.md", "Python 升级到 3.13", "Python 升级到哪个版本？"),
    "episode": Form("sessions/20260215_190000_babaofan.md", "我想清明前回去；Amsterdam", "清明前回去"),
    "turn": Form("sessions/20260215_190000_babaofan.md", "荷兰能买到糯米粉", "荷兰能买到糯米粉吗？"),
    "scratchpad": Form("SCRATCHPAD.md", "mock interview 做完，三个故事都在两分钟以内", "mock interview 做完了吗？"),
    "record": Form("attachments/mama_babaofan.md", "豆沙减三分之一，200 克就够", "八宝饭的豆沙减多少？"),
    "proposal": Form("inbox.md", "已经三周没变过", ""),
    "trait": Form("personas/user_custom.md", "给一件能马上做的小事", "怎么安慰人？"),
    "night": Form("archive/nights/2026-02-19.md", "合并重复：看过 28 项", ""),
}


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Open a copy of the example."""
    for name in ("CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    root = tmp_path / "memory"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns(".mdmem"))
    work = Workspace(root)
    work.config.day = "2026-02-20"
    return work


def read(memory: Workspace, path: str) -> str:
    return Path(memory.root, path).read_bytes().decode()


@pytest.mark.parametrize("name", FORMS)
def test_status_lists_its_file(memory: Workspace, name: str) -> None:
    assert FORMS[name].path in {one.path for one in memory.status()}


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.asked])
def test_a_search_finds_it(memory: Workspace, name: str) -> None:
    form = FORMS[name]
    found = [hit for hit in memory.search(form.asked) if hit.path == form.path]
    assert any(form.words in hit.text for hit in found), [hit.text for hit in memory.search(form.asked)]


@pytest.mark.parametrize("name", [name for name in FORMS if name not in ("turn", "record", "night")])
def test_why_explains_it(memory: Workspace, name: str) -> None:
    form = FORMS[name]
    assert memory.history.why(form.words).path == form.path


@pytest.mark.parametrize("name", FORMS)
def test_an_edit_is_undone_byte_for_byte(memory: Workspace, name: str) -> None:
    form = FORMS[name]
    before = read(memory, form.path)
    assert before.count(form.words) == 1
    assert memory.edit(form.path, form.words, form.words[:-1], actor="user").status == "done"
    assert read(memory, form.path) != before
    assert memory.history.undo().status == "done"
    assert read(memory, form.path) == before


@pytest.mark.parametrize("name", FORMS)
def test_two_changes_at_once_are_merged(memory: Workspace, name: str) -> None:
    """A person saves another line in the meantime; a change that was made from the older version keeps both."""
    form = FORMS[name]
    memory.edit(form.path, form.words, f"{form.words}！", actor="user")
    before = read(memory, form.path)
    Path(memory.root, form.path).write_bytes(f"{before}\n最后一行是人写的\n".encode())
    wanted = before.replace(f"{form.words}！", form.words)
    done = memory.write(form.path, wanted, expect=fingerprint(before.encode()), actor="user")
    assert done.status == "done"
    assert f"{form.words}！" not in read(memory, form.path)
    assert "最后一行是人写的" in read(memory, form.path)


@pytest.mark.parametrize("name", FORMS)
def test_what_is_forgotten_is_in_no_file(memory: Workspace, name: str) -> None:
    form = FORMS[name]
    memory.search("x")
    memory.edit(form.path, form.words, f"{form.words}。", actor="user")
    memory.forget(form.words)
    assert holding(memory.root, form.words) == []
    assert [one for one in memory.lint().diagnostics if one.severity == "error"] == []
