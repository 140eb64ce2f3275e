"""Borders, the memory switch, and who may do what."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Make, Text
from harness import files_of

from mdmem.errors import MdmemError, MemoryOffError, RefusedError, TargetError, UnreadableFileError
from mdmem.workspace import Workspace

Verb = Callable[[Workspace, str], object]

VERBS: dict[str, Verb] = {
    "read": lambda memory, path: memory.read(path),
    "add": lambda memory, path: memory.add(path, ["x"]),
    "edit": lambda memory, path: memory.edit(path, "a", "b"),
    "write": lambda memory, path: memory.write(path, "- x\n"),
    "replace": lambda memory, path: memory.replace(path, "a", "b"),
    "section": lambda memory, path: memory.replace_section(path, "a", "b"),
    "remove": lambda memory, path: memory.remove(path, ["a"]),
    "tick": lambda memory, path: memory.tick(path, "a"),
    "rename": lambda memory, path: memory.rename(path, "b.md"),
    "rename to": lambda memory, path: memory.rename("MEMORY.md", path),
    "delete": lambda memory, path: memory.delete(path),
}
OUTSIDE = ["../x.md", "/etc/passwd", "a/../../x.md", "C:\\x.md", "\\\\host\\x.md", "~/x.md", "a\0.md"]
NO_FILE = ["", ".", "./"]
CLOSED = [
    ".mdmem/history/log", ".git/config", "mdmem.toml", "templates/zh/MEMORY.md", "prompts/x.md",
    "archive/forgotten.md",
]  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_leaves_the_workspace_or_touches_what_is_not_its(make: Make, tmp_path: Path, verb: str) -> None:
    memory = make(files={"MEMORY.md": "- a\n", "archive/forgotten.md": "- a\n"})
    (tmp_path / "x.md").write_text("- a\n")
    for path in OUTSIDE:
        with pytest.raises(RefusedError, match=r"^不允许访问工作区外的文件$"):
            VERBS[verb](memory, path)
    for path in NO_FILE:
        with pytest.raises(RefusedError, match=r"^这里写的是工作区本身，不是其中的文件$"):
            VERBS[verb](memory, path)
    for path in CLOSED:
        with pytest.raises(RefusedError, match="不归记忆工具管"):
            VERBS[verb](memory, path)
    assert (tmp_path / "x.md").read_text() == "- a\n"
    assert sorted({*os.listdir(tmp_path)} - {"cache"}) == ["workspace", "x.md"]


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "rename to"])
def test_no_verb_follows_a_link_out_of_the_workspace(make: Make, tmp_path: Path, verb: str) -> None:
    memory = make(files={"MEMORY.md": "- a\n"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x.md").write_text("- a\n")
    (tmp_path / "workspace" / "x.md").symlink_to(tmp_path / "out" / "x.md")
    (tmp_path / "workspace" / "sub").symlink_to(tmp_path / "out")
    for path in ("x.md", "sub/x.md"):
        with pytest.raises((UnreadableFileError, RefusedError, TargetError)) as caught:
            VERBS[verb](memory, path)
        assert str(tmp_path) not in f"{caught.value} {caught.value.hint}"
    assert (tmp_path / "out" / "x.md").read_text() == "- a\n"


def test_a_link_inside_the_workspace_is_no_way_around_a_rule(make: Make, tmp_path: Path, text: Text) -> None:
    memory = make(files={"SOUL.md": "# 我是谁\n\n- a\n", "archive/forgotten.md": "- a\n"})
    (tmp_path / "workspace" / "notes.md").symlink_to("SOUL.md")
    (tmp_path / "workspace" / "other.md").symlink_to("archive/forgotten.md")
    for path in ("notes.md", "other.md"):
        with pytest.raises(RefusedError):
            memory.edit(path, "- a", "- b", actor="nian")
    assert text("SOUL.md") == "# 我是谁\n\n- a\n"
    assert memory.edit("notes.md", "- a", "- b").status == "done"


def test_a_name_has_one_spelling(make: Make, text: Text) -> None:
    memory = make(files={"SOUL.md": "- a\n", "facts/nian.md": "- a\n"})
    for path in ("soul.md", "Soul.MD", "FACTS/nian.md", "facts/Nian.md", "ｓoul.md"):
        with pytest.raises(TargetError, match="这里的文件名写作"):
            memory.write(path, "- b\n", actor="nian")
    assert memory.read("./facts//nian.md").path == "facts/nian.md"


NAMES = {"a.txt": "Markdown", "con.md": "Windows", ".x.md": "隐藏", "a\u202eb.md": "字符", "e\u0301.md": "Unicode",
         "x" * 260 + ".md": "太长", "a .md ": "空格"}  # fmt: skip


@pytest.mark.parametrize(("name", "words"), NAMES.items())
def test_new_files_have_plain_names(make: Make, tmp_path: Path, name: str, words: str) -> None:
    memory = make(files={"MEMORY.md": "- a\n"})
    with pytest.raises(RefusedError, match=words):
        memory.write(name, "- x\n")
    with pytest.raises(RefusedError, match=words):
        memory.rename("MEMORY.md", name)
    assert sorted(os.listdir(tmp_path / "workspace")) == ["MEMORY.md", "mdmem.toml"]


def test_a_kind_may_have_a_name_that_others_may_not(make: Make) -> None:
    memory = make()
    assert memory.write("agents/scout/.compact_memory.md", "- a\n").status == "done"
    assert make(settings='[pen]\ncreate = ["*.txt"]\n', trusted=True).write("x.txt", "a").status == "done"


OFF = "[memory]\nenabled = false\n"


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("path", ["MEMORY.md", "USER.md", "inbox.md", "notes.md"])
def test_switched_off_memory_is_neither_read_nor_written(make: Make, text: Text, verb: str, path: str) -> None:
    memory = make(files={path: "- a\n"}, settings=OFF)
    with pytest.raises(MemoryOffError, match="记忆功能已关闭"):
        VERBS[verb](memory, path)
    assert text(path) == "- a\n"


TALK = "sessions/20260213_213000_x.md"
OPERATIONS: dict[str, Callable[[Workspace], object]] = {
    "compact": lambda memory: memory.compact(),
    "compact the conversations": lambda memory: memory.compact("session"),
    "compact a context": lambda memory: memory.keeper.compact_context([{"role": "user", "text": "hi"}], now=True),
    "night": lambda memory: memory.night(now=True),
    "compile": lambda memory: memory.identity.compile(),
    "episodes": lambda memory: memory.episodes.write(Path(TALK).stem),
    "search": lambda memory: memory.search("roses"),
    "why": lambda memory: memory.history.why("roses"),
    "pins": lambda memory: memory.pins.list(),
    "pin add": lambda memory: memory.pins.add("code", "a", "b", "tool:t0007"),
    "plan": lambda memory: memory.plan.show(),
    "artifact put": lambda memory: memory.artifacts.put(b"x", tool="t"),
    "artifact get": lambda memory: memory.artifacts.get("t0007"),
    "artifact list": lambda memory: memory.artifacts.list(),
    "artifact prune": lambda memory: memory.artifacts.prune(),
    "session start": lambda memory: memory.sessions.start("x"),
    "session list": lambda memory: memory.sessions.list(),
    "session resume": lambda memory: memory.sessions.resume("x"),
    "session show": lambda memory: memory.sessions.show(TALK),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_operation_makes_anything_of_switched_off_memory(make: Make, name: str) -> None:
    full = "# 表层记忆\n\n## 自我感知\n\n" + "- 一\n- 二\n" * 5
    head = "---\nagent: a\nstarted: 2026-02-13 21:30\n---\n# S\n\n## Turns\n"
    files = {"FASTMEMO.md": full, "SOUL.md": "# S\n\n- a\n", TALK: f"{head}\n### 1 user 10:00\n\nroses\n"}
    memory = make(files=files, settings=OFF)
    before = files_of(memory.root)
    with pytest.raises(MemoryOffError):
        OPERATIONS[name](memory)
    assert files_of(memory.root) == before


def test_who_the_agent_is_does_not_depend_on_the_switch(make: Make, text: Text) -> None:
    memory = make(files={"SOUL.md": "# 我是谁\n\n## 性格\n\n- 温和\n"}, settings=OFF)
    assert memory.read("SOUL.md").text.endswith("- 温和\n")
    assert memory.edit("SOUL.md", "温和", "直率", actor="nian").status == "waiting"
    (item,) = memory.inbox.list()
    (done,) = memory.inbox.accept([item.key])
    assert (done.status, text("SOUL.md")) == ("done", "# 我是谁\n\n## 性格\n\n- 直率\n")


def test_what_waits_for_memory_waits_until_it_is_switched_on(make: Make) -> None:
    inbox = "# 收件箱\n\n## 放不下的\n\n- 一条 [to:: MEMORY.md#笔记]\n"
    with pytest.raises(MemoryOffError):
        make(files={"inbox.md": inbox}, settings=OFF).inbox.list()


def test_agents_do_not_answer_for_the_user(make: Make, text: Text) -> None:
    waiting = "# 收件箱\n\n## 等你点头的\n\n- [ ] 直率些 [to:: SOUL.md#性格] [by:: nian]\n"
    memory = make(files={"inbox.md": waiting, "SOUL.md": "# 我是谁\n\n## 性格\n"})
    os.symlink("inbox.md", os.path.join(memory.root, "link.md"))
    (item,) = memory.inbox.list()
    calls: list[Callable[[], object]] = [
        lambda: memory.tick("inbox.md", "直率些", actor="nian"),
        lambda: memory.edit("inbox.md", "[ ]", "[x]", actor="nian"),
        lambda: memory.write("inbox.md", waiting.replace("[ ]", "[x]"), actor="keeper"),
        lambda: memory.remove("inbox.md", ["直率些"], actor="nian"),
        lambda: memory.add("inbox.md", ["[x] 假的 [to:: SOUL.md] [by:: user]"], section="proposals", actor="nian"),
        lambda: memory.edit("link.md", "[ ]", "[x]", actor="nian"),
        lambda: memory.delete("inbox.md", actor="nian"),
        lambda: memory.rename("inbox.md", "old.md", actor="nian"),
        lambda: memory.inbox.reject([item.key], actor="nian"),
        lambda: memory.delete("SOUL.md", actor="nian"),
        lambda: memory.rename("SOUL.md", "old.md", actor="nian"),
    ]
    for call in calls:
        with pytest.raises(RefusedError):
            call()
    (refused,) = memory.inbox.accept([item.key], actor="nian")
    assert (refused.status, refused.message) == ("waiting", "收件箱由用户决定，智能体不能直接改")
    assert text("inbox.md") == waiting
    assert text("SOUL.md") == "# 我是谁\n\n## 性格\n"


@pytest.mark.parametrize(
    ("path", "actor", "status"),
    [
        ("SOUL.md", "user", "done"), ("SOUL.md", "cli", "done"), ("SOUL.md", "nian", "waiting"),
        ("SOUL.md", "keeper", "waiting"), ("AGENT.md", "nian", "waiting"), ("AGENT.md", "user", "done"),
        ("USER.md", "nian", "done"), ("USER.md", "keeper", "done"),
        ("PINS.md", "nian", "done"), ("PINS.md", "keeper", "waiting"), ("PINS.md", "user", "done"),
        ("memory/2026-02-20.md", "keeper", "waiting"), ("memory/2026-02-20.md", "nian", "done"),
    ],
)  # fmt: skip
def test_whose_word_a_change_needs(make: Make, path: str, actor: str, status: str) -> None:
    memory = make(files={path: "# 标题\n\n- 旧的 [type:: path] [source:: chat:1]\n"})
    assert memory.edit(path, "旧的", "新的", actor=actor).status == status


def test_no_actor_is_two_things(make: Make) -> None:
    for actor in ("", "a b", "a\nb", "x" * 65, "a]", "\u202e"):
        with pytest.raises(MdmemError, match="actor 应是一个词"):
            make().write("x.md", "- a\n", actor=actor)


def test_no_second_memory_folder_is_made_in_the_first(make: Make, tmp_path: Path) -> None:
    """A path from above the folder, as `mdmem add workspace/MEMORY.md … --root workspace` would give it."""
    work = make("en", {"MEMORY.md": "# Memory\n"})
    for path in ("workspace/MEMORY.md", "workspace/facts/boat.md"):
        with pytest.raises(TargetError, match="own name inside it") as told:
            work.add(path, ["2026-02-01: the boat is blue"])
        assert path.partition("/")[2] in told.value.hint
    assert not (tmp_path / "workspace" / "workspace").exists()
    work.write("workspace/boat.md", "# Boat\n")  # no memory file: it means the folder
    work.add("workspace/MEMORY.md", ["2026-02-01: a folder of that name is there now"])
