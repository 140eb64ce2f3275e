"""A memory file in another encoding: tools refuse to extend it and name it, a hook keeps its turn, a night goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mdmem.agents.hooks.model import read_payload
from mdmem.agents.hooks.service import AgentHook
from mdmem.workspace import Workspace

Make = Callable[..., Workspace]
CHINESE = "# 记忆\n\n## 笔记\n\n- 2026-02-13：灯修好了，钥匙在抽屉里\n"
ENGLISH = "# Memory\n\n## Notes\n\n- 2026-02-13: the lamp is mended\n"
FILES = [
    ("MEMORY.md", CHINESE, "utf-16"), ("MEMORY.md", ENGLISH, "utf-16-le"), ("MEMORY.md", CHINESE, "gbk"),
    ("facts/user.md", "# user\n\n## 现在\n\n- 2026-02-13：住在上海，家里有一只猫\n", "gbk"),
    ("USER.md", CHINESE, "utf-16-be"), ("SCRATCHPAD.md", CHINESE, "gbk"), ("inbox.md", CHINESE, "gbk"),
]  # fmt: skip
each_file = pytest.mark.parametrize(("name", "text", "encoding"), FILES)


def kept(work: Workspace, name: str, text: str, encoding: str) -> Path:
    path = Path(work.root) / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path


def hook(work: Workspace, name: str, **payload: object) -> str:
    read = read_payload("", {"hook_event_name": name, "session_id": "s1", "cwd": work.root, **payload}, "claude")
    assert read is not None
    texts: list[str] = []
    AgentHook(Workspace(work.root), read).run(texts.append)
    return "\n".join(texts)


def sessions(work: Workspace) -> str:
    return "".join(path.read_text("utf-8") for path in Path(work.root, "sessions").glob("*.md"))


@each_file
def test_a_hook_keeps_its_turn(make: Make, name: str, text: str, encoding: str) -> None:
    work = make("zh", settings="[notebook]\nruns = false\n")
    path = kept(work, name, text, encoding)
    before = path.read_bytes()
    hook(work, "SessionStart", source="startup")
    hook(work, "UserPromptSubmit", prompt="请记住：我搬到了北京，猫也一起")
    hook(work, "Stop", last_assistant_message="好的，记下了：你搬到了北京。")
    assert "我搬到了北京" in sessions(work)
    Workspace(work.root).sessions.resume(agent="claude").end("搬家记下了。")
    assert path.read_bytes() == before
    assert "搬家记下了" in sessions(work)


@each_file
def test_a_night_goes_on(make: Make, name: str, text: str, encoding: str) -> None:
    work = make("zh")
    path = kept(work, name, text, encoding)
    before = path.read_bytes()
    session = work.sessions.start("聊天", agent="claude")
    session.turn("user", "我的妹妹叫小雨，她是护士。")
    session.end("聊完了。")
    assert Workspace(work.root).night(now=True).status in ("done", "unchanged")
    assert path.read_bytes() == before


@each_file
def test_a_tool_names_the_encoding_and_the_way_out(make: Make, name: str, text: str, encoding: str) -> None:
    work = make("zh")
    path = kept(work, name, text, encoding)
    before = path.read_bytes()
    call = {"path": name, "content": "2026-02-14：锚是铁的", "predicate": "锚"}
    if name.startswith("facts"):
        reply = work.call("memory_fact", {"subject": "user", "predicate": "锚", "content": "锚是铁的"}, actor="user")
    else:
        reply = work.call("memory_add", {key: call[key] for key in ("path", "content")}, actor="user")
    told = json.dumps(reply.__dict__ if hasattr(reply, "__dict__") else str(reply), ensure_ascii=False, default=str)
    assert path.read_bytes() == before
    assert "UTF-16" in told or "GBK" in told
    assert "`lint`" in told


@each_file
def test_what_lint_fixes_is_named_and_then_extended(make: Make, name: str, text: str, encoding: str) -> None:
    work = make("zh")
    path = kept(work, name, text, encoding)
    before = path.read_bytes()
    hints = [one.hint for one in work.lint().diagnostics if one.path == name and one.code in ("MM101", "MM104")]
    assert hints
    assert all("lint --fix" in hint for hint in hints)
    work.fix()
    assert path.read_text("utf-8") == text
    work.history.undo()
    assert path.read_bytes() == before
